package tileblas

import "gonum.org/v1/gonum/blas"

// diagonal is the extent of the blocks on the diagonal of a symmetric result, which are computed as a whole: half of the work
// is for nothing, but it is one product.
const diagonal = 256

// syrk computes the triangle ul of c = alpha·a·aᵀ + beta·c, and reports whether it did: not for wrong arguments.
func (x *engine[E]) syrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha E, a []E, lda int, beta E, c []E, ldc int) bool {
	if n <= 0 || k < 0 || !isUplo(ul) || !isTrans(t) {
		return false
	}
	u, z := operand(t, n, k, a, lda), matrix[E]{c, n, n, ldc}
	if !u.fits() || !z.fits() {
		return false
	}
	x.rankK(ul, alpha, u, beta, z)
	return true
}

// way is how the triangle of a symmetric result is computed.
type way int

const (
	byGonum  way = iota
	asSquare     // as a whole matrix, of which the triangle is copied
	inHalves     // two triangles, and a rectangle between them
)

// wayFor chooses the way for a triangle of n by n elements, sums of k products.
func (x *engine[E]) wayFor(alpha E, n, k int) way {
	switch {
	case alpha == 0:
		return byGonum
	case n <= diagonal && x.pays(halfForNone, n, n, k):
		return asSquare
	case n > diagonal && x.pays(useful, n/2, n/2, k):
		return inHalves
	}
	return byGonum
}

// rankK is syrk for arguments that are right.
func (x *engine[E]) rankK(ul blas.Uplo, alpha E, a factor[E], beta E, c matrix[E]) {
	n, k := a.extents()
	switch x.wayFor(alpha, n, k) {
	case byGonum:
		if keepsNaN(ul, a.t, beta) {
			c.clear(ul)
		}
		x.gonum.syrk(ul, a.trans(), n, k, alpha, a.data, a.ld, beta, c.data, c.ld)
	case asSquare:
		x.triangle(ul, beta, c, func(z matrix[E]) { x.multiply(alpha, a, a.T(), 0, z) })
	case inHalves:
		half := n / 2
		upper, lower := a.part(0, half, 0, k), a.part(half, n, 0, k)
		x.rankK(ul, alpha, upper, beta, c.part(0, half, 0, half))
		if ul == blas.Upper {
			x.multiply(alpha, upper, lower.T(), beta, c.part(0, half, half, n))
		} else {
			x.multiply(alpha, lower, upper.T(), beta, c.part(half, n, 0, half))
		}
		x.rankK(ul, alpha, lower, beta, c.part(half, n, half, n))
	}
}

// keepsNaN reports whether Gonum's syrk multiplies what is in C by 0, so that NaN stays, where it has no effect by the rules of BLAS.
func keepsNaN[E float](ul blas.Uplo, t bool, beta E) bool { return beta == 0 && t && ul == blas.Lower }

// inTriangle is the part of row i that lies in a triangle.
func (x matrix[E]) inTriangle(ul blas.Uplo, i int) []E {
	if ul == blas.Upper {
		return x.row(i)[i:]
	}
	return x.row(i)[:i+1]
}

// clear sets the elements of a triangle to 0.
func (x matrix[E]) clear(ul blas.Uplo) {
	for i := range x.rows {
		clear(x.inTriangle(ul, i))
	}
}

// triangle adds to the triangle ul of beta·c what compute puts into a whole matrix.
func (x *engine[E]) triangle(ul blas.Uplo, beta E, c matrix[E], compute func(matrix[E])) {
	buf := x.buffer(c.rows * c.cols)
	defer x.scratch.Put(buf)
	z := matrix[E]{(*buf)[:c.rows*c.cols], c.rows, c.cols, c.cols}
	compute(z)
	for i := range c.rows {
		from, to := z.inTriangle(ul, i), c.inTriangle(ul, i)
		if beta == 0 {
			copy(to, from)
			continue
		}
		for j, v := range from {
			to[j] = beta*to[j] + v
		}
	}
}

// syr2k computes the triangle ul of c = alpha·(a·bᵀ + b·aᵀ) + beta·c where that pays, and reports whether it did.
func (x *engine[E]) syr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha E, a []E, lda int, b []E, ldb int, beta E, c []E, ldc int) bool {
	if n <= 0 || k <= 0 || !isUplo(ul) || !isTrans(t) || x.wayFor(alpha, n, k) == byGonum {
		return false
	}
	u, v, z := operand(t, n, k, a, lda), operand(t, n, k, b, ldb), matrix[E]{c, n, n, ldc}
	if !u.fits() || !v.fits() || !z.fits() {
		return false
	}
	x.rank2K(ul, alpha, u, v, beta, z)
	return true
}

// rank2K is syr2k for arguments that are right.
func (x *engine[E]) rank2K(ul blas.Uplo, alpha E, a, b factor[E], beta E, c matrix[E]) {
	n, k := a.extents()
	switch x.wayFor(alpha, n, k) {
	case byGonum:
		x.gonum.syr2(ul, a.trans(), n, k, alpha, a.data, a.ld, b.data, b.ld, beta, c.data, c.ld)
	case asSquare:
		x.triangle(ul, beta, c, func(z matrix[E]) {
			x.multiply(alpha, a, b.T(), 0, z)
			x.multiply(alpha, b, a.T(), 1, z)
		})
	case inHalves:
		half := n / 2
		a1, a2, b1, b2 := a.part(0, half, 0, k), a.part(half, n, 0, k), b.part(0, half, 0, k), b.part(half, n, 0, k)
		x.rank2K(ul, alpha, a1, b1, beta, c.part(0, half, 0, half))
		x.rank2K(ul, alpha, a2, b2, beta, c.part(half, n, half, n))
		rest := c.part(0, half, half, n)
		if ul == blas.Lower {
			rest = c.part(half, n, 0, half)
			a1, a2, b1, b2 = a2, a1, b2, b1
		}
		x.multiply(alpha, a1, b2.T(), beta, rest)
		x.multiply(alpha, b1, a2.T(), 1, rest)
	}
}

// symm computes c = alpha·a·b + beta·c, or with b·a, for a symmetric matrix a of which one triangle is given, where that pays,
// and reports whether it did.
func (x *engine[E]) symm(s blas.Side, ul blas.Uplo, m, n int, alpha E, a []E, lda int, b []E, ldb int, beta E, c []E, ldc int) bool {
	k := m
	if s == blas.Right {
		k = n
	}
	if m <= 0 || n <= 0 || alpha == 0 || !x.pays(withCopies, m, n, k) || !isSide(s) || !isUplo(ul) {
		return false
	}
	u, v, z := matrix[E]{a, k, k, lda}, matrix[E]{b, m, n, ldb}, matrix[E]{c, m, n, ldc}
	if !u.fits() || !v.fits() || !z.fits() {
		return false
	}
	buf := x.buffer(k * k)
	defer x.scratch.Put(buf)
	full := matrix[E]{(*buf)[:k*k], k, k, k}
	full.mirror(ul, u)
	if s == blas.Left {
		x.multiply(alpha, whole(full), whole(v), beta, z)
	} else {
		x.multiply(alpha, whole(v), whole(full), beta, z)
	}
	return true
}

// mirror makes a whole matrix of a symmetric one of which a triangle is given. Columns are written in squares, so that their
// elements stay in the cache.
func (x matrix[E]) mirror(ul blas.Uplo, from matrix[E]) {
	const side = 32
	for i := range x.rows {
		copy(x.inTriangle(ul, i), from.inTriangle(ul, i))
	}
	for i0 := 0; i0 < x.rows; i0 += side {
		for j0 := 0; j0 <= i0; j0 += side {
			for i := i0; i < min(i0+side, x.rows); i++ {
				for j := j0; j < min(j0+side, i); j++ {
					below, above := &x.data[i*x.ld+j], &x.data[j*x.ld+i]
					if ul == blas.Upper {
						*below = *above
					} else {
						*above = *below
					}
				}
			}
		}
	}
}

func isUplo(ul blas.Uplo) bool { return ul == blas.Upper || ul == blas.Lower }
func isSide(s blas.Side) bool  { return s == blas.Left || s == blas.Right }
