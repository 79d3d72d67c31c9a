// Package gogen writes random programs of Go, for judging what the compilers of kernels make of Go.
//
// A [Program] is a function of numbers with what it needs: types, constants, helper functions. It is plain Go, without a
// word of package tile or cute, and ends without a panic for every argument. So the Go compiler can say on the host what
// the results are, and a kernel that calls the same function must give the same bits. The same seed gives the same program.
//
// What the two levels do not have (docs/language.md, docs/cute.md) is not written: an index of an array is known, pointers,
// slices and functions are set where code always runs, floats are multiplied with an explicit conversion, as Go may fuse
// without. Where Go leaves the result of a conversion from float to integer to the machine, a program calls a function
// of [Prelude], which saturates on the host and converts in a kernel.
//
// The tests run the programs at both levels with arguments that are known when compiled, that are not, and a mixture of
// both, before and after the passes, and compare every bit with the host. A difference is made small and printed as a file
// for testdata, which every later run replays. The package has three families more, each against a reference that it computes
// itself: compositions of views of tensors, with indices that branches join, which run with what a launch proves of them, too,
// tiles whose extents follow from those of others, or are none, and chains of conversions of tile numbers. And TestLimits writes
// the least and greatest numbers of every element type, and those that floats round, into every place that takes a number.
//
// A few seeds more, and findings that are not made small, which takes a minute each:
//
//	go test -run TestPrograms -seed 1000 -programs 500 -level tile -small 0 ./internal/testing/gogen
//
// scripts/sweep.sh gofuzz takes 100,000 of each family, in processes of their own.
package gogen
