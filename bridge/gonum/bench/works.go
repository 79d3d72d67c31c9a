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

// work is something to do for matrices of n by n elements.
type work struct {
	name    string
	prepare func(n int) func(implementation)
}

var works = []work{
	{"mat.Dense.Mul", func(n int) func(implementation) {
		a, b, c := mat.NewDense(n, n, random[float64](n*n)), mat.NewDense(n, n, random[float64](n*n)), mat.NewDense(n, n, nil)
		return func(x implementation) {
			blas64.Use(x)
			c.Mul(a, b)
		}
	}},
	{"Dgemm", func(n int) func(implementation) {
		a, b, c := random[float64](n*n), random[float64](n*n), random[float64](n*n)
		return func(x implementation) {
			x.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, a, n, b, n, 0, c, n)
		}
	}},
	{"Dgemm, -A·Bᵀ+C", func(n int) func(implementation) {
		a, b, c := random[float64](n*n), random[float64](n*n), random[float64](n*n)
		return func(x implementation) {
			x.Dgemm(blas.NoTrans, blas.Trans, n, n, n, -1, a, n, b, n, 1, c, n)
		}
	}},
	{"Sgemm", func(n int) func(implementation) {
		a, b, c := random[float32](n*n), random[float32](n*n), random[float32](n*n)
		return func(x implementation) {
			x.Sgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, a, n, b, n, 0, c, n)
		}
	}},
	{"Dsyrk", func(n int) func(implementation) {
		a, c := random[float64](n*n), random[float64](n*n)
		return func(x implementation) { x.Dsyrk(blas.Upper, blas.NoTrans, n, n, 1, a, n, 0, c, n) }
	}},
	{"Dsyr2k", func(n int) func(implementation) {
		a, b, c := random[float64](n*n), random[float64](n*n), random[float64](n*n)
		return func(x implementation) { x.Dsyr2k(blas.Upper, blas.NoTrans, n, n, 1, a, n, b, n, 0, c, n) }
	}},
	{"Dsymm", func(n int) func(implementation) {
		a, b, c := random[float64](n*n), random[float64](n*n), random[float64](n*n)
		return func(x implementation) { x.Dsymm(blas.Left, blas.Upper, n, n, 1, a, n, b, n, 0, c, n) }
	}},
	{"Dtrmm", func(n int) func(implementation) {
		a, b := small(n), random[float64](n*n)
		return func(x implementation) {
			x.Dtrmm(blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n, n, 1, a, n, b, n)
		}
	}},
	{"Dtrsm", func(n int) func(implementation) {
		a, b := small(n), random[float64](n*n)
		return func(x implementation) {
			x.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.Unit, n, n, 1, a, n, b, n)
		}
	}},
	{"mat.LU", func(n int) func(implementation) {
		a := mat.NewDense(n, n, random[float64](n*n))
		return func(x implementation) {
			blas64.Use(x)
			var lu mat.LU
			lu.Factorize(a)
		}
	}},
	{"mat.QR", func(n int) func(implementation) {
		a := mat.NewDense(n, n, random[float64](n*n))
		return func(x implementation) {
			blas64.Use(x)
			var qr mat.QR
			qr.Factorize(a)
		}
	}},
}

// small makes a matrix by which a vector is multiplied often without becoming large or tiny: a unit triangle with little beside it.
func small(n int) []float64 {
	a := random[float64](n * n)
	for i := range a {
		a[i] *= 1e-6
	}
	return a
}
