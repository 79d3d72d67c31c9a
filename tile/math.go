package tile

import (
	"math"

	"github.com/cutile-go/cutile/tile/op"
)

// The functions of this file work element by element and keep the shape.

// Exp returns e raised to x.
func Exp[T FloatTile](x T) T { return op.Exp(x, op.Full) }

// Exp2 returns 2 raised to x.
func Exp2[T FloatTile](x T) T { return op.Exp2(x, false) }

// Log returns the natural logarithm.
func Log[T FloatTile](x T) T { return op.Log(x) }

// Log2 returns the base-2 logarithm.
func Log2[T FloatTile](x T) T { return op.Log2(x) }

// Sqrt returns the square root, rounded to nearest.
func Sqrt[T FloatTile](x T) T { return op.Sqrt(x, op.NearestEven, false) }

// Rsqrt returns the reciprocal of the square root.
func Rsqrt[T FloatTile](x T) T { return op.Rsqrt(x, false) }

// Sin returns the sine of x in radians.
func Sin[T FloatTile](x T) T { return op.Sin(x) }

// Cos returns the cosine of x in radians.
func Cos[T FloatTile](x T) T { return op.Cos(x) }

// Tan returns the tangent of x in radians.
func Tan[T FloatTile](x T) T { return op.Tan(x) }

// Sinh returns the hyperbolic sine.
func Sinh[T FloatTile](x T) T { return op.Sinh(x) }

// Cosh returns the hyperbolic cosine.
func Cosh[T FloatTile](x T) T { return op.Cosh(x) }

// Tanh returns the hyperbolic tangent.
func Tanh[T FloatTile](x T) T { return op.Tanh(x, op.Full) }

// Atan2 returns the angle of the point (x, y) in radians, like math.Atan2.
func Atan2[T FloatTile](y, x T) T { return op.Atan2(y, x) }

// Pow returns x raised to y.
func Pow[T FloatTile](x, y T) T { return op.Pow(x, y) }

// Mod returns the remainder of x/y with the sign of x, like math.Mod.
func Mod[T FloatTile](x, y T) T { return op.RemF(x, y) }

// FMA returns x*y + z with one rounding.
func FMA[T FloatTile](x, y, z T) T { return op.FMA(x, y, z, op.NearestEven, false) }

// Ceil rounds up to an integral value.
func Ceil[T FloatTile](x T) T { return op.Ceil(x) }

// Floor rounds down to an integral value. Tile IR has no operation that rounds to the nearest one: the example shows how additions do.
func Floor[T FloatTile](x T) T { return op.Floor(x) }

// Sigmoid returns 1 / (1 + e^-x).
func Sigmoid[T FloatTile](x T) T { return 1 / (1 + Exp(-x)) }

// MaxNum returns the greater of two floats; if one is NaN, it returns the other. The built-in max returns NaN instead.
func MaxNum[T FloatTile](x, y T) T { return op.MaxF(x, y, false, false) }

// MinNum returns the smaller of two floats; if one is NaN, it returns the other. The built-in min returns NaN instead.
func MinNum[T FloatTile](x, y T) T { return op.MinF(x, y, false, false) }

// Abs returns the magnitude; for the least signed integer it returns that integer.
func Abs[T SignedNumTile](x T) T {
	if op.IsFloat[T]() {
		return op.AbsF(x)
	}
	return op.AbsI(x)
}

// IsNaN returns a mask that is true where x is NaN.
func IsNaN[T FloatTile](x T) bool { return x != x }

// Inf returns a tile of infinities, negative if sign is negative.
func Inf[T FloatTile](sign int) T { return T(math.Inf(sign)) }

// NaN returns a tile of NaN.
func NaN[T FloatTile]() T { return T(math.NaN()) }

// MulHi returns the upper half of the double-width product of unsigned integers.
func MulHi[T IntTile](x, y T) T { return op.MulHiI(x, y) }

// DivFloor returns the quotient rounded down.
func DivFloor[T SignedTile](x, y T) T { return op.DivI(x, y, op.NegativeInf) }

// DivCeil returns the quotient rounded up.
func DivCeil[T IntTile](x, y T) T { return op.DivI(x, y, op.PositiveInf) }
