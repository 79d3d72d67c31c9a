package tileblas

import "gonum.org/v1/gonum/blas"

// triangular is op(A) of a triangular matrix A, as BLAS describes it, and the matrix B beside it.
type triangular[E float] struct {
	factor[E]
	side blas.Side
	uplo blas.Uplo // of the stored matrix
	diag blas.Diag
	b    matrix[E]
}

// trsm solves op(A)·X = alpha·B or X·op(A) = alpha·B, in place, where that pays, and reports whether it did.
func (x *engine[E]) trsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha E, a []E, lda int, b []E, ldb int) bool {
	u, ok := x.triangular(s, ul, t, d, m, n, alpha, a, lda, b, ldb)
	if ok {
		x.solve(u, alpha)
	}
	return ok
}

// trmm computes B = alpha·op(A)·B or alpha·B·op(A) where that pays, and reports whether it did.
func (x *engine[E]) trmm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha E, a []E, lda int, b []E, ldb int) bool {
	u, ok := x.triangular(s, ul, t, d, m, n, alpha, a, lda, b, ldb)
	if ok {
		x.product(u, alpha)
	}
	return ok
}

// leastTriangle times the threshold is the number of multiplications below which Gonum computes with the whole triangle: two
// halves of one beside a product take longer than the numbers of multiplications say.
const leastTriangle = 32

// triangular gives the operands of a call of trsm or trmm, if the arguments are right and the call pays.
func (x *engine[E]) triangular(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha E, a []E, lda int, b []E, ldb int) (u triangular[E], ok bool) {
	k := m
	if s == blas.Right {
		k = n
	}
	if m <= 0 || n <= 0 || alpha == 0 || !isSide(s) || !isUplo(ul) || !isTrans(t) || d != blas.Unit && d != blas.NonUnit {
		return u, false
	}
	u = triangular[E]{operand(t, k, k, a, lda), s, ul, d, matrix[E]{b, m, n, ldb}}
	return u, m*n*k >= leastTriangle*x.threshold && x.halves(besideGonum, u) && u.fits() && u.b.fits()
}

// halves reports whether a triangle is cut in two: the product of a square of half of its extent with the other matrix pays.
// Smaller ones are Gonum's.
func (x *engine[E]) halves(worth int, a triangular[E]) bool {
	k := a.rows
	return x.pays(worth, k/2, a.b.rows*a.b.cols/k, k/2)
}

// solve is trsm for arguments that are right: the part of B that depends on the other one comes last.
func (x *engine[E]) solve(a triangular[E], alpha E) {
	if !x.halves(withCopies, a) {
		x.gonum.trsm(a.side, a.uplo, a.trans(), a.diag, a.b.rows, a.b.cols, alpha, a.data, a.ld, a.b.data, a.b.ld)
		return
	}
	free, rest, dependent := a.cut()
	x.solve(free, alpha)
	x.beside(-1, rest, free, alpha, dependent)
	x.solve(dependent, 1)
}

// product is trmm for arguments that are right: the part of B that depends on the other one comes first, as it needs what is
// there.
func (x *engine[E]) product(a triangular[E], alpha E) {
	if !x.halves(withCopies, a) {
		x.gonum.trmm(a.side, a.uplo, a.trans(), a.diag, a.b.rows, a.b.cols, alpha, a.data, a.ld, a.b.data, a.b.ld)
		return
	}
	free, rest, dependent := a.cut()
	x.product(dependent, alpha)
	x.beside(alpha, rest, free, 1, dependent)
	x.product(free, alpha)
}

// beside multiplies a square beside the diagonal with one part of B and adds that to beta times the other one.
func (x *engine[E]) beside(alpha E, square factor[E], from triangular[E], beta E, to triangular[E]) {
	if from.side == blas.Left {
		x.multiply(alpha, square, whole(from.b), beta, to.b)
	} else {
		x.multiply(alpha, whole(from.b), square, beta, to.b)
	}
}

// cut gives the two triangles on the diagonal of op(A), each with its part of B, and the square of op(A) between them. In a
// product, the dependent part has a term of the other one, the free one has none.
func (a triangular[E]) cut() (free triangular[E], square factor[E], dependent triangular[E]) {
	k := a.rows
	half := k / 2
	upper := (a.uplo == blas.Upper) != a.t
	first, second := a, a
	first.factor, second.factor = a.part(0, half, 0, half), a.part(half, k, half, k)
	if upper {
		square = a.part(0, half, half, k)
	} else {
		square = a.part(half, k, 0, half)
	}
	if a.side == blas.Left {
		first.b, second.b = a.b.part(0, half, 0, a.b.cols), a.b.part(half, k, 0, a.b.cols)
	} else {
		first.b, second.b = a.b.part(0, a.b.rows, 0, half), a.b.part(0, a.b.rows, half, k)
	}
	if upper == (a.side == blas.Right) {
		return first, square, second
	}
	return second, square, first
}
