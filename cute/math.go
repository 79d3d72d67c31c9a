package cute

import (
	"math"
	"unsafe"
)

// Functions of numbers, and of vectors element by element. What is called approximate is the GPU's fast instruction: its
// errors are those in the PTX ISA's description of it, for 16 bits and less at most half a unit of the last place more.
// Everything else is rounded once, as IEEE 754 says. Only [FMA] joins a product and a sum to one rounding. Elements of
// fewer than 32 bits without an instruction of their own are computed as float32.

// Exp2 returns 2 to the power x, approximate (ex2.approx: 2 ulp). Not for float64.
//
//cutile:intrinsic exp2
func Exp2[T Float](x T) T { return T(math.Exp2(float64(x))) }

// Exp returns e to the power x, approximate: [Exp2] of the product with log2(e). Not for float64.
func Exp[T Float](x T) T { return Exp2(x * T(math.Log2E)) }

// Log2 returns the logarithm of x to base 2, approximate (lg2.approx). Not for float64.
//
//cutile:intrinsic log2
func Log2[T Float](x T) T { return T(math.Log2(float64(x))) }

// Log returns the natural logarithm of x, approximate. Not for float64.
func Log[T Float](x T) T { return Log2(x) * T(math.Ln2) }

// Log10 returns the logarithm of x to base 10, approximate. Not for float64.
func Log10[T Float](x T) T { return Log2(x) * T(math.Ln2/math.Ln10) }

// Pow returns x to the power y for positive x, approximate: 2 to the power y*log2(x). NaN for negative x. Not for float64.
func Pow[T Float](x, y T) T { return Exp2(y * Log2(x)) }

// Sin returns the sine of x in radians, approximate (sin.approx: accurate near 0 only). Not for float64.
//
//cutile:intrinsic sin
func Sin[T Float](x T) T { return T(math.Sin(float64(x))) }

// Cos returns the cosine of x in radians, approximate (cos.approx: accurate near 0 only). Not for float64.
//
//cutile:intrinsic cos
func Cos[T Float](x T) T { return T(math.Cos(float64(x))) }

// Tanh returns the hyperbolic tangent of x, approximate (tanh.approx: relative error 2^-11). Not for float64.
//
//cutile:intrinsic tanh
func Tanh[T Float](x T) T { return T(math.Tanh(float64(x))) }

// Rsqrt returns 1/sqrt(x), approximate (rsqrt.approx).
//
//cutile:intrinsic rsqrt
func Rsqrt[T Float](x T) T { return T(1 / math.Sqrt(float64(x))) }

// Sqrt returns the square root of x, rounded to nearest even.
//
//cutile:intrinsic sqrt
func Sqrt[T Float](x T) T { return T(math.Sqrt(float64(x))) }

// Rcp returns 1/x, rounded to nearest even.
//
//cutile:intrinsic rcp
func Rcp[T Float](x T) T { return 1 / x }

// SqrtApprox returns the square root of x, approximate (sqrt.approx). Not for float64.
//
//cutile:intrinsic sqrtapprox
func SqrtApprox[T Float](x T) T { return T(math.Sqrt(float64(x))) }

// RcpApprox returns 1/x, approximate (rcp.approx: 1 ulp). Not for float64.
//
//cutile:intrinsic rcpapprox
func RcpApprox[T Float](x T) T { return 1 / x }

// DivApprox returns x/y, approximate (div.approx: 2 ulp; 0 for |y| above 2^126). Not for float64.
//
//cutile:intrinsic divapprox
func DivApprox[T Float](x, y T) T { return x / y }

// FMA returns x*y+z, rounded once, for float32, float64, Float16 and BFloat16.
//
//cutile:intrinsic fma
func FMA[T Float](x, y, z T) T {
	if unsafe.Sizeof(x) == 8 {
		return T(math.FMA(float64(x), float64(y), float64(z)))
	}
	return T(fmaOdd(float64(x), float64(y), float64(z)))
}

// Floor returns the greatest whole number that is not above x.
//
//cutile:intrinsic floor
func Floor[T Float](x T) T { return T(math.Floor(float64(x))) }

// Ceil returns the least whole number that is not below x.
//
//cutile:intrinsic ceil
func Ceil[T Float](x T) T { return T(math.Ceil(float64(x))) }

// Trunc returns x without its fraction.
//
//cutile:intrinsic trunc
func Trunc[T Float](x T) T { return T(math.Trunc(float64(x))) }

// RoundToEven returns the whole number nearest to x, with ties to even.
//
//cutile:intrinsic roundeven
func RoundToEven[T Float](x T) T { return T(math.RoundToEven(float64(x))) }

// Round returns the whole number nearest to x, with ties away from zero.
func Round[T Float](x T) T {
	t := Trunc(x)
	if t == x { // also for infinities, from which no difference can be taken
		return x
	}
	return Copysign(Abs(t)+Floor(2*Abs(x-t)), x)
}

// Copysign returns the magnitude of x with the sign of y.
//
//cutile:intrinsic copysign
func Copysign[T Float](x, y T) T { return T(math.Copysign(float64(x), float64(y))) }

// Abs returns the magnitude of x. For the least integer of a type it returns x.
//
//cutile:intrinsic abs
func Abs[T Num](x T) T {
	if x <= 0 {
		return 0 - x // 0 of -0
	}
	return x
}

// MinNum returns the lesser of two numbers, with -0 below 0. If one is NaN, it returns the other, unlike min.
//
//cutile:intrinsic minnum
func MinNum[T Float](x, y T) T {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return min(x, y)
}

// MaxNum returns the greater of two numbers, with 0 above -0. If one is NaN, it returns the other, unlike max.
//
//cutile:intrinsic maxnum
func MaxNum[T Float](x, y T) T {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return max(x, y)
}

// IsNaN reports whether x is not a number.
func IsNaN[T Float](x T) bool { return x != x }

// IsFinite reports whether x is neither infinite nor NaN.
func IsFinite[T Float](x T) bool { return x-x == 0 }
