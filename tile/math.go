package tile

import (
	"math"

	"github.com/cutile-go/cutile/tile/op"
)

// The functions of this file work element by element and keep the shape.

// Exp is e raised to x.
func Exp[T FloatTile](x T) T { return op.Exp(x, op.Full) }

// Exp2 is 2 raised to x.
func Exp2[T FloatTile](x T) T { return op.Exp2(x, false) }

// Log is the natural logarithm.
func Log[T FloatTile](x T) T { return op.Log(x) }

// Log2 is the base-2 logarithm.
func Log2[T FloatTile](x T) T { return op.Log2(x) }

// Sqrt is the square root, rounded to nearest.
func Sqrt[T FloatTile](x T) T { return op.Sqrt(x, op.NearestEven, false) }

// Rsqrt is the reciprocal of the square root.
func Rsqrt[T FloatTile](x T) T { return op.Rsqrt(x, false) }

// Sin is the sine of x in radians.
func Sin[T FloatTile](x T) T { return op.Sin(x) }

// Cos is the cosine of x in radians.
func Cos[T FloatTile](x T) T { return op.Cos(x) }

// Tan is the tangent of x in radians.
func Tan[T FloatTile](x T) T { return op.Tan(x) }

// Sinh is the hyperbolic sine.
func Sinh[T FloatTile](x T) T { return op.Sinh(x) }

// Cosh is the hyperbolic cosine.
func Cosh[T FloatTile](x T) T { return op.Cosh(x) }

// Tanh is the hyperbolic tangent.
func Tanh[T FloatTile](x T) T { return op.Tanh(x, op.Full) }

// Atan2 is the angle of the point (x, y) in radians, as math.Atan2.
func Atan2[T FloatTile](y, x T) T { return op.Atan2(y, x) }

// Pow is x raised to y.
func Pow[T FloatTile](x, y T) T { return op.Pow(x, y) }

// Mod is the remainder of x/y with the sign of x, as math.Mod.
func Mod[T FloatTile](x, y T) T { return op.RemF(x, y) }

// FMA is x*y + z with one rounding.
func FMA[T FloatTile](x, y, z T) T { return op.FMA(x, y, z, op.NearestEven, false) }

// Ceil rounds up to an integral value.
func Ceil[T FloatTile](x T) T { return op.Ceil(x) }

// Floor rounds down to an integral value.
func Floor[T FloatTile](x T) T { return op.Floor(x) }

// Sigmoid is 1 / (1 + e^-x).
func Sigmoid[T FloatTile](x T) T { return 1 / (1 + Exp(-x)) }

// MaxNum is the greater of two floats; a NaN loses. The built-in max gives NaN instead.
func MaxNum[T FloatTile](x, y T) T { return op.MaxF(x, y, false, false) }

// MinNum is the smaller of two floats; a NaN loses. The built-in min gives NaN instead.
func MinNum[T FloatTile](x, y T) T { return op.MinF(x, y, false, false) }

// Abs is the magnitude; that of the least signed integer is itself.
func Abs[T SignedNumTile](x T) T {
	if op.IsFloat[T]() {
		return op.AbsF(x)
	}
	return op.AbsI(x)
}

// IsNaN holds where x is not a number.
func IsNaN[T FloatTile](x T) bool { return x != x }

// Inf is a tile of infinities: positive if sign is not negative.
func Inf[T FloatTile](sign int) T { return T(math.Inf(sign)) }

// NaN is a tile of NaN.
func NaN[T FloatTile]() T { return T(math.NaN()) }

// MulHi is the upper half of the unsigned double-width product.
func MulHi[T IntTile](x, y T) T { return op.MulHiI(x, y) }

// DivFloor is the quotient rounded down.
func DivFloor[T SignedTile](x, y T) T { return op.DivI(x, y, op.NegativeInf) }

// DivCeil is the quotient rounded up.
func DivCeil[T IntTile](x, y T) T { return op.DivI(x, y, op.PositiveInf) }
