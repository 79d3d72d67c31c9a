// Package tileblas is BLAS for Gonum on the CPU engine of cuTile: an implementation of blas.Float32 and blas.Float64 whose large
// products of matrices run as tile kernels, in machine code for the vectors of the CPU, on all cores. Packages mat and lapack use
// it after
//
//	if err := tileblas.Use(); err != nil {
//		log.Fatal(err)
//	}
//
// The kernels compute Dgemm, Dsymm, Dsyrk, Dsyr2k, Dtrmm and Dtrsm, and the same of float32. Small products, everything else,
// complex numbers, and the panics for wrong arguments are Gonum's own: README.md has figures.
//
// Slices are used in place where possible. A matrix is copied if its memory overlaps that of another operand, as in
// factorisations, or is in use by another goroutine, or is wrapped by the program (cutile.Wrap).
//
// # Results
//
// Each element of a product is a chain of fused multiplications and additions in the order of k, whatever the shape, the strides
// and the number of goroutines: Gonum rounds each product and each sum, and adds in parts of 64. Both are within the same bound.
// With u = 2⁻⁵³, of float32 2⁻²⁴, an element of alpha·A·B + beta·C differs from the exact one by at most
//
//	(k+3)·u / (1 - (k+3)·u) · (|alpha|·Σ|a||b| + |beta||c|)
//
// if nothing overflows or becomes subnormal. Two results, such as Gonum's and this package's, differ by twice that at most.
//
// Infinities and NaN follow the arithmetic: 0·NaN in a product is NaN. Gonum leaves out products whose factor in one of the
// matrices is 0. As in all BLAS, elements that an operation does not refer to, such as those of C when beta is 0, have no effect.
//
// # Tests
//
// In programs that go test builds, devices check kernels by default, which is slow; the environment variable CUTILE_CHECKS=off
// turns that off.
package tileblas
