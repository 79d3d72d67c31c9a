package elem

import "math"

// Rounding is a direction of rounding.
type Rounding uint8

// The directions.
const (
	Nearest Rounding = iota // ties to even; of powers of two, up
	Zero
	Down
	Up
	Away // to the nearest, ties away from zero
)

// Encode gives the code of a number, rounded once; NaN is the code of ones. A number that is too large becomes the largest
// number if the conversion saturates or rounds toward zero. Otherwise it becomes an infinity, or NaN in a format without
// infinities, or the largest number in a format without either.
//
// A number that was itself rounded to odd, at two bits more than the format has or above, is rounded as the exact one.
func (f *Format) Encode(x float64, mode Rounding, saturate bool) uint64 {
	switch {
	case x != x && f.Man < 52:
		return f.ones()
	case f.Man == 52:
		return math.Float64bits(x)
	}
	code, fits := f.Round(x, mode)
	if fits || saturate || !f.HasNaN() {
		return code
	}
	negative := code&f.Sign() != 0
	if !math.IsInf(x, 0) && (mode == Zero || mode == Up && negative || mode == Down && !negative) {
		return code
	}
	if f.Inf {
		return code + 1
	}
	return code&f.Sign() | f.ones()
}

// Round gives the code of a number, rounded once, or that of the largest finite number and false if the number is too
// large or NaN. It is for formats of at most 32 bits.
func (f *Format) Round(x float64, mode Rounding) (code uint64, fits bool) {
	b := math.Float64bits(x)
	sign := b >> 63 << (f.Exp + f.Man) & f.Sign()
	size := f.magnitude(b&^(1<<63), mode, sign != 0)
	if size > f.largest {
		return sign | f.largest, false
	}
	return sign | size, true
}

// magnitude rounds a number without its sign, given as its bits. The result is above the largest code where the number is
// too large.
func (f *Format) magnitude(b uint64, mode Rounding, negative bool) uint64 {
	e := int(b>>52) - 1023 // of the leading bit
	frac := b&(1<<52-1) | 1<<52
	switch {
	case b == 0:
		return 0
	case b>>52 == 0: // below the least number of any format: any value that is not 0 will do
		frac, e = 1<<52, -1022
	case b>>52 == 0x7ff:
		return f.largest + 1
	}
	if e < f.low && f.Man == 0 {
		return 0 // the least number, which is as near as zero would be
	}
	keep := rounded(frac, uint(max(e, f.low)-f.Man-e+52), mode, negative)
	if e >= f.low {
		keep += uint64(e-f.low) << f.Man
	}
	if f.Man == 0 {
		keep-- // the leading one is not subnormal's next
	}
	return keep
}

// rounded drops the given number of bits of a number.
func rounded(frac uint64, drop uint, mode Rounding, negative bool) uint64 {
	keep, rest, half := frac>>drop, frac&(1<<drop-1), uint64(1)<<drop>>1
	if drop > 54 { // less than half
		keep, rest, half = 0, 1, 2
	}
	switch mode {
	case Nearest:
		if rest > half || rest == half && half != 0 && keep&1 == 1 {
			keep++
		}
	case Away:
		if half != 0 && rest >= half {
			keep++
		}
	case Up, Down:
		if rest != 0 && (mode == Down) == negative {
			keep++
		}
	}
	return keep
}
