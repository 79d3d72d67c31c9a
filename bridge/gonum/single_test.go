package tileblas_test

import (
	"math"
	"testing"

	tileblas "github.com/cutile-go/cutile/bridge/gonum"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// single lets tests of float64 call the products of float32: it converts the operands, and compares each result, with everything
// around it, with that of Gonum in float64 on the same numbers, which is what the test gets.
type single struct {
	gonum.Implementation
	t *testing.T
	x *tileblas.Implementation
}

// number is a number as a float32.
func number(x float64) float32 { return float32(x) }

// run calls a function of float32 and one of float64 with the same numbers, the last of which are the result.
func (s single) run(single func(x ...[]float32), double func(x ...[]float64), operands ...[]float64) {
	s.t.Helper()
	narrow, wide := make([][]float32, len(operands)), make([][]float64, len(operands))
	for i, o := range operands {
		narrow[i], wide[i] = make([]float32, len(o)), make([]float64, len(o))
		for j, v := range o {
			narrow[i][j] = float32(v)
			wide[i][j] = float64(narrow[i][j])
		}
	}
	got, want := panics(func() { single(narrow...) }), panics(func() { double(wide...) })
	if got != want {
		s.t.Errorf("float32 panics with %v, float64 with %v", got, want)
	}
	if want != nil {
		panic(want)
	}
	last := len(operands) - 1
	for j, want := range wide[last] {
		got := float64(narrow[last][j])
		if math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > 2e-5*max(1, math.Abs(want)) {
			s.t.Errorf("element %d is %v, want %v", j, got, want)
		}
	}
	for i := range last {
		for j, want := range wide[i] {
			if got := narrow[i][j]; float64(got) != want && !math.IsNaN(want) {
				s.t.Errorf("element %d of operand %d is %v now, was %v", j, i, got, want)
			}
		}
	}
	// The test compares with a result of its own, from numbers that were not rounded.
	double(operands...)
}

// panics is what a function panics with; nil if it does not.
func panics(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func (s single) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	s.run(func(x ...[]float32) {
		s.x.Sgemm(tA, tB, m, n, k, number(alpha), x[0], lda, x[1], ldb, number(beta), x[2], ldc)
	}, func(x ...[]float64) {
		s.Implementation.Dgemm(tA, tB, m, n, k, alpha, x[0], lda, x[1], ldb, beta, x[2], ldc)
	}, a, b, c)
}

func (s single) Dsymm(side blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	s.run(func(x ...[]float32) {
		s.x.Ssymm(side, ul, m, n, number(alpha), x[0], lda, x[1], ldb, number(beta), x[2], ldc)
	}, func(x ...[]float64) {
		s.Implementation.Dsymm(side, ul, m, n, alpha, x[0], lda, x[1], ldb, beta, x[2], ldc)
	}, a, b, c)
}

func (s single) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	s.run(func(x ...[]float32) {
		s.x.Ssyrk(ul, t, n, k, number(alpha), x[0], lda, number(beta), x[1], ldc)
	}, func(x ...[]float64) {
		s.Implementation.Dsyrk(ul, t, n, k, alpha, x[0], lda, beta, x[1], ldc)
	}, a, c)
}

func (s single) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	s.run(func(x ...[]float32) {
		s.x.Ssyr2k(ul, t, n, k, number(alpha), x[0], lda, x[1], ldb, number(beta), x[2], ldc)
	}, func(x ...[]float64) {
		s.Implementation.Dsyr2k(ul, t, n, k, alpha, x[0], lda, x[1], ldb, beta, x[2], ldc)
	}, a, b, c)
}

func (s single) Dtrmm(side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	s.run(func(x ...[]float32) {
		s.x.Strmm(side, ul, tA, d, m, n, number(alpha), x[0], lda, x[1], ldb)
	}, func(x ...[]float64) {
		s.Implementation.Dtrmm(side, ul, tA, d, m, n, alpha, x[0], lda, x[1], ldb)
	}, a, b)
}

func (s single) Dtrsm(side blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	s.run(func(x ...[]float32) {
		s.x.Strsm(side, ul, tA, d, m, n, number(alpha), x[0], lda, x[1], ldb)
	}, func(x ...[]float64) {
		s.Implementation.Dtrsm(side, ul, tA, d, m, n, alpha, x[0], lda, x[1], ldb)
	}, a, b)
}
