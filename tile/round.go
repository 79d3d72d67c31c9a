package tile

import "github.com/cutile-go/cutile/tile/op"

// The functions below are Go's operators with a rounding mode r and a flag flush, which flushes denormals to zero (f32
// only).

// AddRound returns x + y.
func AddRound[T FloatTile](x, y T, r Rounding, flush bool) T { return op.AddF(x, y, r, flush) }

// SubRound returns x - y.
func SubRound[T FloatTile](x, y T, r Rounding, flush bool) T { return op.SubF(x, y, r, flush) }

// MulRound returns x * y.
func MulRound[T FloatTile](x, y T, r Rounding, flush bool) T { return op.MulF(x, y, r, flush) }

// DivRound returns x / y; r may be RoundApprox or RoundFull.
func DivRound[T FloatTile](x, y T, r Rounding, flush bool) T { return op.DivF(x, y, r, flush) }

// FMARound returns x*y + z with one rounding.
func FMARound[T FloatTile](x, y, z T, r Rounding, flush bool) T { return op.FMA(x, y, z, r, flush) }

// SqrtRound returns the square root; r may be RoundApprox.
func SqrtRound[T FloatTile](x T, r Rounding, flush bool) T { return op.Sqrt(x, r, flush) }

// ExpRound returns e raised to x; r is RoundFull or RoundApprox.
func ExpRound[T FloatTile](x T, r Rounding) T { return op.Exp(x, r) }

// TanhRound returns the hyperbolic tangent; r is RoundFull or RoundApprox.
func TanhRound[T FloatTile](x T, r Rounding) T { return op.Tanh(x, r) }

// Exp2Flush returns 2 raised to x, with denormals as zero.
func Exp2Flush[T FloatTile](x T) T { return op.Exp2(x, true) }

// RsqrtFlush returns the reciprocal of the square root, with denormals as zero.
func RsqrtFlush[T FloatTile](x T) T { return op.Rsqrt(x, true) }

// MaxFlush returns the greater of two floats, with denormals as zero. If one is NaN, it returns NaN if nan is true, else the
// other.
func MaxFlush[T FloatTile](x, y T, nan bool) T { return op.MaxF(x, y, nan, true) }

// MinFlush returns the smaller of two floats, with denormals as zero. If one is NaN, it returns NaN if nan is true, else the
// other.
func MinFlush[T FloatTile](x, y T, nan bool) T { return op.MinF(x, y, nan, true) }

// ConvertRound converts floats to R with rounding r. For f8e8m0, r is RoundZero or RoundUp; for other floats of 8 and 4 bits,
// RoundEven; a conversion to a narrower float takes RoundEven and RoundZero.
func ConvertRound[R, T FloatTile](x T, r Rounding) R { return spread[R](op.FToF[op.As[R, T]](x, r)) }

// Saturate converts floats to integers, rounding towards zero. Numbers out of range become the greatest or least integer, and
// NaN becomes zero.
func Saturate[R IntTile, T FloatTile](x T) R {
	return spread[R](op.FToI[op.As[R, T]](x, op.NearestIntToZero, true))
}

// AddPromise returns x + y.
func AddPromise[T IntTile](x, y T, o Overflow) T { return op.AddI(x, y, o) }

// SubPromise returns x - y.
func SubPromise[T IntTile](x, y T, o Overflow) T { return op.SubI(x, y, o) }

// MulPromise returns x * y.
func MulPromise[T IntTile](x, y T, o Overflow) T { return op.MulI(x, y, o) }

// NegPromise returns -x.
func NegPromise[T IntTile](x T, o Overflow) T { return op.NegI(x, o) }

// ShlPromise returns x << n.
func ShlPromise[T IntTile](x, n T, o Overflow) T { return op.ShlI(x, n, o) }

// TruncPromise converts integers to the narrower integers of R.
func TruncPromise[R, T IntTile](x T, o Overflow) R { return spread[R](op.TruncI[op.As[R, T]](x, o)) }

// PowInt returns x raised to the integer n, of at most 32 bits.
func PowInt[T FloatTile, I IntTile](x T, n I) T { return op.PowI(x, n) }
