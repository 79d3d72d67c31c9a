package tileblas

import "gonum.org/v1/gonum/blas"

// float lists the types of elements.
type float interface{ float32 | float64 }

// matrix is a matrix in memory, in row-major order: rows by cols elements, of which row i begins at data[i*ld]. As in BLAS, data
// may end with the last element of the last row.
type matrix[E float] struct {
	data           []E
	rows, cols, ld int
}

// fits reports whether the slice and the stride are large enough.
func (x matrix[E]) fits() bool {
	return x.ld >= max(1, x.cols) && (x.rows == 0 || x.cols == 0 || len(x.data) >= x.size())
}

// size is the number of elements from the first to the last, with those between the rows.
func (x matrix[E]) size() int { return (x.rows-1)*x.ld + x.cols }

// row is row i.
func (x matrix[E]) row(i int) []E { return x.data[i*x.ld:][:x.cols:x.cols] }

// part is rows i to i1 and columns j to j1.
func (x matrix[E]) part(i, i1, j, j1 int) matrix[E] {
	p := matrix[E]{rows: i1 - i, cols: j1 - j, ld: x.ld}
	if p.rows > 0 && p.cols > 0 {
		p.data = x.data[i*x.ld+j:]
	}
	return p
}

// factor is a matrix, or its transpose.
type factor[E float] struct {
	matrix[E]
	t bool
}

// operand gives the factor of m by n elements that a call of BLAS describes.
func operand[E float](t blas.Transpose, m, n int, data []E, ld int) factor[E] {
	if t != blas.NoTrans {
		return factor[E]{matrix[E]{data, n, m, ld}, true}
	}
	return factor[E]{matrix[E]{data, m, n, ld}, false}
}

// whole is a matrix as a factor.
func whole[E float](x matrix[E]) factor[E] { return factor[E]{x, false} }

// T is the transpose.
func (f factor[E]) T() factor[E] { return factor[E]{f.matrix, !f.t} }

// extents are the rows and columns of the factor.
func (f factor[E]) extents() (m, n int) {
	if f.t {
		return f.cols, f.rows
	}
	return f.rows, f.cols
}

// part is rows i to i1 and columns j to j1 of the factor.
func (f factor[E]) part(i, i1, j, j1 int) factor[E] {
	if f.t {
		i, i1, j, j1 = j, j1, i, i1
	}
	return factor[E]{f.matrix.part(i, i1, j, j1), f.t}
}

// trans is the factor's form as BLAS names it.
func (f factor[E]) trans() blas.Transpose {
	if f.t {
		return blas.Trans
	}
	return blas.NoTrans
}

// isTrans reports whether a value of blas.Transpose is valid.
func isTrans(t blas.Transpose) bool {
	return t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans
}
