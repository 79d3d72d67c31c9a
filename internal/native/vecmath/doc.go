// Package vecmath has the functions of float32 and float64 that are no instructions, as emitters of package vec's instructions:
// each stands here once, and machine code and the interpreter (package mathloops, which is generated from it) compute the same
// bits. A NaN is any NaN.
//
// [Functions] lists them with the bounds of their errors in units in the last place, which hold for all arguments:
// scripts/sweep.sh ulp compares each function of one float32 with float64 for all 2^32 of them. Results are right for
// zeros with their signs, infinities, NaN and subnormal numbers, and round gradually to subnormal numbers.
//
// Most functions of float32 compute in it. The trigonometric functions and powers, whose arguments lose too many digits on
// the way, compute in lanes of float64. What is rare stands behind IfAny: logarithms of what is no positive normal number,
// angles of 2^30 and above, powers of what is no positive number. Functions of float64 compute with sums of two float64.
//
// The polynomials for float32 minimise the greatest relative error of the function, after Remez; their coefficients were
// rounded one after the other, from the lowest power on, and those that were left fitted again. Those for float64 are
// Taylor's.
package vecmath

//go:generate go run ./gen mathloops/mathloops_gen.go
