package tileblas_test

import (
	"math"
	"math/rand/v2"

	tileblas "github.com/cutile-go/cutile/bridge/gonum"
	"gonum.org/v1/gonum/blas"
)

// functions are the products of one type.
type functions[E float] struct {
	unit float64 // half of the distance from 1 to the next number
	gemm func(tA, tB blas.Transpose, m, n, k int, alpha E, a []E, lda int, b []E, ldb int, beta E, c []E, ldc int)
	symm func(s blas.Side, ul blas.Uplo, m, n int, alpha E, a []E, lda int, b []E, ldb int, beta E, c []E, ldc int)
	syrk func(ul blas.Uplo, t blas.Transpose, n, k int, alpha E, a []E, lda int, beta E, c []E, ldc int)
	syr2 func(ul blas.Uplo, t blas.Transpose, n, k int, alpha E, a []E, lda int, b []E, ldb int, beta E, c []E, ldc int)
	trmm func(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha E, a []E, lda int, b []E, ldb int)
	trsm func(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha E, a []E, lda int, b []E, ldb int)
}

func doubles(x *tileblas.Implementation) functions[float64] {
	return functions[float64]{0x1p-53, x.Dgemm, x.Dsymm, x.Dsyrk, x.Dsyr2k, x.Dtrmm, x.Dtrsm}
}

func singles(x *tileblas.Implementation) functions[float32] {
	return functions[float32]{0x1p-24, x.Sgemm, x.Ssymm, x.Ssyrk, x.Ssyr2k, x.Strmm, x.Strsm}
}

// matrix is a matrix inside a larger slice, with other numbers around it.
type matrix[E float] struct {
	whole          []E // with a margin on both sides
	data           []E // from the first element to the last
	rows, cols, ld int
}

// margin is the number of elements before and after a matrix.
const margin = 7

// newMatrix makes a random matrix with a few elements between rows, whose slice often ends in the last row.
func newMatrix[E float](r *rand.Rand, rows, cols int) matrix[E] {
	x := matrix[E]{rows: rows, cols: cols, ld: max(1, cols+r.IntN(3)*r.IntN(9))}
	n := max(0, (rows-1)*x.ld+cols) // without columns, too, Gonum demands the memory of all rows but the last
	if r.IntN(2) == 0 {
		n = rows * x.ld
	}
	x.whole = random[E](r, n+2*margin)
	x.data = x.whole[margin : margin+n : margin+n]
	return x
}

func (x matrix[E]) at(i, j int) float64 { return float64(x.data[i*x.ld+j]) }

// clone is a copy of a matrix with all around it.
func (x matrix[E]) clone() matrix[E] {
	x.whole = append([]E(nil), x.whole...)
	x.data = x.whole[margin : margin+len(x.data) : margin+len(x.data)]
	return x
}

// fill sets each element that f says to a value.
func (x matrix[E]) fill(v E, f func(i, j int) bool) {
	for i := range x.rows {
		for j := range x.cols {
			if f(i, j) {
				x.data[i*x.ld+j] = v
			}
		}
	}
}

// changed finds an element that differs from that of a clone although f does not say that it may.
func (x matrix[E]) changed(from matrix[E], f func(i, j int) bool) (index int, is bool) {
	for p := range x.whole {
		q := p - margin
		if i, j := q/x.ld, q%x.ld; q >= 0 && i < x.rows && j < x.cols && f(i, j) {
			continue
		}
		if math.Float64bits(float64(x.whole[p])) != math.Float64bits(float64(from.whole[p])) {
			return q, true
		}
	}
	return 0, false
}

// sum adds products with twice the digits of float64, and their absolute values.
type sum struct{ high, low, size float64 }

func (s *sum) add(x, y float64) {
	p := x * y
	e := math.FMA(x, y, -p)
	t := s.high + p
	b := t - s.high
	s.low += (s.high - (t - b)) + (p - b) + e
	s.high = t
	s.size += math.Abs(p)
}

// value is the sum. The absolute values of its terms add up to size.
func (s *sum) value() float64 { return s.high + s.low }

// element gives element (i, j) of op(X) by a function.
type element func(i, j int) float64

// op is a matrix as an operand.
func op[E float](t blas.Transpose, x matrix[E]) element {
	if t != blas.NoTrans {
		return func(i, j int) float64 { return x.at(j, i) }
	}
	return x.at
}

// symmetric is a symmetric matrix of which a triangle is given.
func symmetric[E float](ul blas.Uplo, x matrix[E]) element {
	return func(i, j int) float64 {
		if (ul == blas.Upper) != (i <= j) {
			i, j = j, i
		}
		return x.at(i, j)
	}
}

// triangle is op of a triangular matrix.
func triangle[E float](ul blas.Uplo, t blas.Transpose, d blas.Diag, x matrix[E]) element {
	return func(i, j int) float64 {
		if t != blas.NoTrans {
			i, j = j, i
		}
		switch {
		case i == j && d == blas.Unit:
			return 1
		case inTriangle(ul)(i, j):
			return x.at(i, j)
		}
		return 0
	}
}

// inTriangle says which elements a triangle has.
func inTriangle(ul blas.Uplo) func(i, j int) bool {
	if ul == blas.Upper {
		return func(i, j int) bool { return i <= j }
	}
	return func(i, j int) bool { return i >= j }
}

func everywhere(int, int) bool { return true }
