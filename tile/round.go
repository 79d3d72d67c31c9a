package tile

import "github.com/cutile-go/cutile/tile/op"

// The functions below are Go's operators with marks: r says how to round, and flush makes denormals zero (f32 only).

// AddRound is x + y.
func AddRound[T FloatTile](x, y T, r Rounding, flush bool) T { return op.AddF(x, y, r, flush) }

// SubRound is x - y.
func SubRound[T FloatTile](x, y T, r Rounding, flush bool) T { return op.SubF(x, y, r, flush) }

// MulRound is x * y.
func MulRound[T FloatTile](x, y T, r Rounding, flush bool) T { return op.MulF(x, y, r, flush) }

// DivRound is x / y; r may be RoundApprox or RoundFull.
func DivRound[T FloatTile](x, y T, r Rounding, flush bool) T { return op.DivF(x, y, r, flush) }

// FMARound is x*y + z with one rounding.
func FMARound[T FloatTile](x, y, z T, r Rounding, flush bool) T { return op.FMA(x, y, z, r, flush) }

// SqrtRound is the square root; r may be RoundApprox.
func SqrtRound[T FloatTile](x T, r Rounding, flush bool) T { return op.Sqrt(x, r, flush) }

// ExpRound is e raised to x; r is RoundFull or RoundApprox.
func ExpRound[T FloatTile](x T, r Rounding) T { return op.Exp(x, r) }

// TanhRound is the hyperbolic tangent; r is RoundFull or RoundApprox.
func TanhRound[T FloatTile](x T, r Rounding) T { return op.Tanh(x, r) }

// Exp2Flush is 2 raised to x, with denormals as zero.
func Exp2Flush[T FloatTile](x T) T { return op.Exp2(x, true) }

// RsqrtFlush is the reciprocal of the square root, with denormals as zero.
func RsqrtFlush[T FloatTile](x T) T { return op.Rsqrt(x, true) }

// MaxFlush is the greater of two floats, with denormals as zero; with nan a NaN wins, else it loses.
func MaxFlush[T FloatTile](x, y T, nan bool) T { return op.MaxF(x, y, nan, true) }

// MinFlush is the smaller of two floats, with denormals as zero; with nan a NaN wins, else it loses.
func MinFlush[T FloatTile](x, y T, nan bool) T { return op.MinF(x, y, nan, true) }

// ConvertRound converts floats to R, rounded as r says. To f8e8m0 it is RoundZero or RoundUp, to other floats of 8 and 4
// bits RoundEven; a conversion to a narrower float takes RoundEven and RoundZero.
func ConvertRound[R, T FloatTile](x T, r Rounding) R { return spread[R](op.FToF[op.As[R, T]](x, r)) }

// Saturate converts floats to integers towards zero; what is too large becomes the greatest or least, NaN zero.
func Saturate[R IntTile, T FloatTile](x T) R {
	return spread[R](op.FToI[op.As[R, T]](x, op.NearestIntToZero, true))
}

// AddPromise is x + y.
func AddPromise[T IntTile](x, y T, o Overflow) T { return op.AddI(x, y, o) }

// SubPromise is x - y.
func SubPromise[T IntTile](x, y T, o Overflow) T { return op.SubI(x, y, o) }

// MulPromise is x * y.
func MulPromise[T IntTile](x, y T, o Overflow) T { return op.MulI(x, y, o) }

// NegPromise is -x.
func NegPromise[T IntTile](x T, o Overflow) T { return op.NegI(x, o) }

// ShlPromise is x << n.
func ShlPromise[T IntTile](x, n T, o Overflow) T { return op.ShlI(x, n, o) }

// TruncPromise converts integers to the narrower ones of R.
func TruncPromise[R, T IntTile](x T, o Overflow) R { return spread[R](op.TruncI[op.As[R, T]](x, o)) }

// PowInt is x raised to the integer n, of at most 32 bits.
func PowInt[T FloatTile, I IntTile](x T, n I) T { return op.PowI(x, n) }
