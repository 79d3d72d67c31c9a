package main

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// implementation is what is compared.
type implementation interface {
	blas.Float32
	blas.Float64
}

// work is something to do for matrices of n by n elements, or vectors of n.
type work struct {
	name    string
	prepare func(n int) func(implementation) func()
}

// works lists everything.
func works() []work {
	list := append(ofBLAS("D", doubles), ofBLAS("S", singles)...)
	return append(list, ofMat...)
}

// float lists the types of elements.
type float interface{ float32 | float64 }

// functions are functions of BLAS for one type.
type functions[E float] struct {
	gemm       func(tA, tB blas.Transpose, m, n, k int, alpha E, a []E, lda int, b []E, ldb int, beta E, c []E, ldc int)
	symm       func(s blas.Side, ul blas.Uplo, m, n int, alpha E, a []E, lda int, b []E, ldb int, beta E, c []E, ldc int)
	syrk       func(ul blas.Uplo, t blas.Transpose, n, k int, alpha E, a []E, lda int, beta E, c []E, ldc int)
	syr2k      func(ul blas.Uplo, t blas.Transpose, n, k int, alpha E, a []E, lda int, b []E, ldb int, beta E, c []E, ldc int)
	trmm, trsm func(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha E, a []E, lda int, b []E, ldb int)
	gemv       func(tA blas.Transpose, m, n int, alpha E, a []E, lda int, x []E, incX int, beta E, y []E, incY int)
	dot        func(n int, x []E, incX int, y []E, incY int) E
	axpy       func(n int, alpha E, x []E, incX int, y []E, incY int)
}

func doubles(x implementation) functions[float64] {
	return functions[float64]{x.Dgemm, x.Dsymm, x.Dsyrk, x.Dsyr2k, x.Dtrmm, x.Dtrsm, x.Dgemv, x.Ddot, x.Daxpy}
}

func singles(x implementation) functions[float32] {
	return functions[float32]{x.Sgemm, x.Ssymm, x.Ssyrk, x.Ssyr2k, x.Strmm, x.Strsm, x.Sgemv, x.Sdot, x.Saxpy}
}

// ofBLAS lists calls of BLAS for one type.
func ofBLAS[E float](prefix string, of func(implementation) functions[E]) []work {
	var list []work
	add := func(name string, call func(f *functions[E], n int, a, b, c []E)) {
		list = append(list, work{prefix + name, func(n int) func(implementation) func() {
			a, b, c := small[E](n), random[E](n*n), random[E](n*n)
			return func(x implementation) func() {
				f := of(x)
				return func() { call(&f, n, a, b, c) }
			}
		}})
	}
	const no, yes, left, lower, unit = blas.NoTrans, blas.Trans, blas.Left, blas.Lower, blas.Unit
	add("gemm", func(f *functions[E], n int, a, b, c []E) { f.gemm(no, no, n, n, n, 1, a, n, b, n, 0, c, n) })
	add("gemm, -A·Bᵀ+C", func(f *functions[E], n int, a, b, c []E) { f.gemm(no, yes, n, n, n, -1, a, n, b, n, 1, c, n) })
	add("syrk", func(f *functions[E], n int, a, b, c []E) { f.syrk(lower, no, n, n, 1, b, n, 0, c, n) })
	add("syr2k", func(f *functions[E], n int, a, b, c []E) { f.syr2k(lower, no, n, n, 1, a, n, b, n, 0, c, n) })
	add("symm", func(f *functions[E], n int, a, b, c []E) { f.symm(left, lower, n, n, 1, a, n, b, n, 0, c, n) })
	add("trmm", func(f *functions[E], n int, a, b, c []E) { f.trmm(left, lower, no, unit, n, n, 1, a, n, b, n) })
	add("trsm", func(f *functions[E], n int, a, b, c []E) { f.trsm(left, lower, no, unit, n, n, 1, a, n, b, n) })
	add("gemv", func(f *functions[E], n int, a, b, c []E) { f.gemv(no, n, n, 1, b, n, a, 1, 0, c, 1) })
	add("dot", func(f *functions[E], n int, a, b, c []E) { f.dot(n, b, 1, c, 1) })
	add("axpy", func(f *functions[E], n int, a, b, c []E) { f.axpy(n, 1e-9, b, 1, c, 1) })
	return list
}

// ofMat are operations of package mat.
var ofMat = []work{
	{"mat.Dense.Mul", func(n int) func(implementation) func() {
		a, b, c := mat.NewDense(n, n, random[float64](n*n)), mat.NewDense(n, n, random[float64](n*n)), mat.NewDense(n, n, nil)
		return using(func() { c.Mul(a, b) })
	}},
	{"mat.LU", func(n int) func(implementation) func() {
		a := mat.NewDense(n, n, random[float64](n*n))
		return using(func() { new(mat.LU).Factorize(a) })
	}},
	{"mat.QR", func(n int) func(implementation) func() {
		a := mat.NewDense(n, n, random[float64](n*n))
		return using(func() { new(mat.QR).Factorize(a) })
	}},
	{"mat.Cholesky", func(n int) func(implementation) func() {
		a := mat.NewDense(n, n, random[float64](n*n))
		var s mat.SymDense
		s.SymOuterK(1, a)
		for i := range n {
			s.SetSym(i, i, s.At(i, i)+1)
		}
		return using(func() { new(mat.Cholesky).Factorize(&s) })
	}},
}

// using calls f with an implementation in use.
func using(f func()) func(implementation) func() {
	return func(x implementation) func() {
		return func() {
			blas64.Use(x)
			f()
		}
	}
}

// small makes a matrix by which another one is multiplied often without becoming large or tiny, if its diagonal stands for ones.
func small[E float](n int) []E {
	a := random[E](n * n)
	for i := range a {
		a[i] *= 1e-6
	}
	return a
}
