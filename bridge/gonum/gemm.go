package tileblas

import (
	"context"
	"errors"
	"sync"

	"github.com/cutile-go/cutile"
	"gonum.org/v1/gonum/blas"
)

// engine computes with elements of one type.
type engine[E float] struct {
	*shared
	gonum   level3[E]
	kernels sync.Map // of block: kernels
	scratch sync.Pool
}

// level3 are functions of Gonum for one type.
type level3[E float] struct {
	gemm func(tA, tB blas.Transpose, m, n, k int, alpha E, a []E, lda int, b []E, ldb int, beta E, c []E, ldc int)
	syrk func(ul blas.Uplo, t blas.Transpose, n, k int, alpha E, a []E, lda int, beta E, c []E, ldc int)
	syr2 func(ul blas.Uplo, t blas.Transpose, n, k int, alpha E, a []E, lda int, b []E, ldb int, beta E, c []E, ldc int)
	trsm func(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha E, a []E, lda int, b []E, ldb int)
	trmm func(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha E, a []E, lda int, b []E, ldb int)
}

// buffer gives memory for n elements, of unspecified values.
func (x *engine[E]) buffer(n int) *[]E {
	b, _ := x.scratch.Get().(*[]E)
	if b == nil || cap(*b) < n {
		s := make([]E, n)
		b = &s
	}
	*b = (*b)[:cap(*b)]
	return b
}

// kernelsFor gives the kernels for blocks of a size.
func (x *engine[E]) kernelsFor(b block) kernels {
	k, ok := x.kernels.Load(b)
	if !ok {
		k, _ = x.kernels.LoadOrStore(b, kernelsOf[E](b))
	}
	return k.(kernels)
}

// multiply computes c = alpha·a·b + beta·c, on the device where that pays, else by Gonum. The extents fit each other and the
// slices. c must not overlap a or b.
func (x *engine[E]) multiply(alpha E, a, b factor[E], beta E, c matrix[E]) {
	_, k := a.extents()
	switch m, n := c.rows, c.cols; {
	case alpha == 0 || !x.pays(useful, m, n, k):
		x.byGonum(alpha, a, b, beta, c)
	case m > 1 && (c.ends() || !a.t && a.ends()):
		// The last row ends early, as at the end of a matrix that is part of another: Gonum computes it.
		x.multiply(alpha, a.part(0, m-1, 0, k), b, beta, c.part(0, m-1, 0, n))
		x.byGonum(alpha, a.part(m-1, m, 0, k), b, beta, c.part(m-1, m, 0, n))
	case n > 1 && b.t && b.ends():
		x.multiply(alpha, a, b.part(0, k, 0, n-1), beta, c.part(0, m, 0, n-1))
		x.byGonum(alpha, a, b.part(0, k, n-1, n), beta, c.part(0, m, n-1, n))
	default:
		must(x.launch(alpha, a, b, beta, c))
	}
}

// byGonum is multiply by Gonum.
func (x *engine[E]) byGonum(alpha E, a, b factor[E], beta E, c matrix[E]) {
	_, k := a.extents()
	x.gonum.gemm(a.trans(), b.trans(), c.rows, c.cols, k, alpha, a.data, a.ld, b.data, b.ld, beta, c.data, c.ld)
}

// launch is multiply on the device.
func (x *engine[E]) launch(alpha E, a, b factor[E], beta E, c matrix[E]) error {
	s, err := x.stream()
	if err != nil {
		return err
	}
	run := call[E]{x: x}
	err = run.multiply(s, alpha, a, b, beta, c)
	if err := errors.Join(err, run.end(s)); err != nil {
		return err
	}
	x.done(s)
	return nil
}

// multiply queues the product, and waits for it where the result must be copied to c.
func (run *call[E]) multiply(s *cutile.Stream, alpha E, a, b factor[E], beta E, c matrix[E]) error {
	ctx := context.Background()
	z, out, err := run.output(c, beta != 0)
	if err != nil {
		return err
	}
	u, err := run.input(a)
	if err != nil {
		return err
	}
	v := u
	if !a.same(b.matrix) {
		if v, err = run.input(b); err != nil {
			return err
		}
	} else if a.t != b.t {
		v = u.T()
	}
	_, k := a.extents()
	blocks, _ := blockFor(c.rows, c.cols, k)
	kernel := run.x.kernelsFor(blocks)
	if alpha == 1 && beta == 0 {
		err = cutile.Launch(ctx, s, kernel.product, u, v, z)
	} else {
		err = cutile.Launch(ctx, s, kernel.update, u, v, z, alpha, beta)
	}
	if err != nil || out.data == nil {
		return err
	}
	if err := s.Sync(ctx); err != nil {
		return err
	}
	c.copy(out)
	return nil
}

// gemm multiplies where that pays, and reports whether it did. It does not for arguments that are wrong, for which Gonum has
// panics, nor for a product without sums, which only scales c.
func (x *engine[E]) gemm(tA, tB blas.Transpose, m, n, k int, alpha E, a []E, lda int, b []E, ldb int, beta E, c []E, ldc int) bool {
	if m <= 0 || n <= 0 || k <= 0 || alpha == 0 || !x.pays(useful, m, n, k) || !isTrans(tA) || !isTrans(tB) {
		return false
	}
	u, v, z := operand(tA, m, k, a, lda), operand(tB, k, n, b, ldb), matrix[E]{c, m, n, ldc}
	if !u.fits() || !v.fits() || !z.fits() {
		return false
	}
	x.multiply(alpha, u, v, beta, z)
	return true
}
