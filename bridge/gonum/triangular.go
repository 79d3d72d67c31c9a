package tileblas

import "gonum.org/v1/gonum/blas"

// triangular is op(A) of a triangular matrix A, as BLAS describes it, from one side of another matrix.
type triangular[E float] struct {
	factor[E]
	side blas.Side
	uplo blas.Uplo // of the stored matrix
	diag blas.Diag
}

// triangular gives the operands of a call of trsm or trmm, if the arguments are right and the call pays.
func (x *engine[E]) triangular(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha E, a []E, lda int, b []E, ldb int) (u triangular[E], v matrix[E], ok bool) {
	k := m
	if s == blas.Right {
		k = n
	}
	if m <= 0 || n <= 0 || alpha == 0 || !x.halves(m, n, k) || !isSide(s) || !isUplo(ul) || !isTrans(t) || d != blas.Unit && d != blas.NonUnit {
		return u, v, false
	}
	u, v = triangular[E]{operand(t, k, k, a, lda), s, ul, d}, matrix[E]{b, m, n, ldb}
	return u, v, u.fits() && v.fits()
}

// halves reports whether a triangle of k by k elements, beside a matrix of m by n, is cut in two: the product of one half of it
// with the other matrix pays. Smaller ones are Gonum's.
func (x *engine[E]) halves(m, n, k int) bool { return x.pays(k/2, m*n/k, k/2) }

// trsm solves op(A)·X = alpha·B or X·op(A) = alpha·B, in place, where that pays, and reports whether it did.
func (x *engine[E]) trsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha E, a []E, lda int, b []E, ldb int) bool {
	u, v, ok := x.triangular(s, ul, t, d, m, n, alpha, a, lda, b, ldb)
	if ok {
		x.solve(u, alpha, v)
	}
	return ok
}

// solve is trsm for arguments that are right. One half of the unknowns comes from one half of the triangle; the rest of A takes
// its part from the other half of B.
func (x *engine[E]) solve(a triangular[E], alpha E, b matrix[E]) {
	k := a.rows
	if !x.halves(b.rows, b.cols, k) {
		x.gonum.trsm(a.side, a.uplo, a.trans(), a.diag, b.rows, b.cols, alpha, a.data, a.ld, b.data, b.ld)
		return
	}
	first, rest, second, b1, b2 := a.cut(b, a.upper() == (a.side == blas.Right))
	x.solve(first, alpha, b1)
	if a.side == blas.Left {
		x.multiply(-1, rest, whole(b1), alpha, b2)
	} else {
		x.multiply(-1, whole(b1), rest, alpha, b2)
	}
	x.solve(second, 1, b2)
}

// trmm computes B = alpha·op(A)·B or alpha·B·op(A) where that pays, and reports whether it did.
func (x *engine[E]) trmm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha E, a []E, lda int, b []E, ldb int) bool {
	u, v, ok := x.triangular(s, ul, t, d, m, n, alpha, a, lda, b, ldb)
	if ok {
		x.product(u, alpha, v)
	}
	return ok
}

// product is trmm for arguments that are right. The half of B that needs the other half comes first.
func (x *engine[E]) product(a triangular[E], alpha E, b matrix[E]) {
	k := a.rows
	if !x.halves(b.rows, b.cols, k) {
		x.gonum.trmm(a.side, a.uplo, a.trans(), a.diag, b.rows, b.cols, alpha, a.data, a.ld, b.data, b.ld)
		return
	}
	second, rest, first, b2, b1 := a.cut(b, a.upper() == (a.side == blas.Right))
	x.product(first, alpha, b1)
	if a.side == blas.Left {
		x.multiply(alpha, rest, whole(b2), 1, b1)
	} else {
		x.multiply(alpha, whole(b2), rest, 1, b1)
	}
	x.product(second, alpha, b2)
}

// upper reports whether op(A) has its elements above the diagonal.
func (a triangular[E]) upper() bool { return (a.uplo == blas.Upper) != a.t }

// cut gives the halves of a triangle, the square of op(A) that is between them, and the halves of b that go with them: the
// upper left half first, or last.
func (a triangular[E]) cut(b matrix[E], leftFirst bool) (first triangular[E], rest factor[E], second triangular[E], b1, b2 matrix[E]) {
	k := a.rows
	half := k / 2
	first, second = a, a
	first.factor, second.factor = a.part(0, half, 0, half), a.part(half, k, half, k)
	if a.upper() {
		rest = a.part(0, half, half, k)
	} else {
		rest = a.part(half, k, 0, half)
	}
	if a.side == blas.Left {
		b1, b2 = b.part(0, half, 0, b.cols), b.part(half, k, 0, b.cols)
	} else {
		b1, b2 = b.part(0, b.rows, 0, half), b.part(0, b.rows, half, k)
	}
	if !leftFirst {
		first, second, b1, b2 = second, first, b2, b1
	}
	return first, rest, second, b1, b2
}
