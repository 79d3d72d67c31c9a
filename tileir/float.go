package tileir

import (
	"math"

	"github.com/cutile-go/cutile/internal/elem"
)

// FloatOf returns the exact value of a float, given by its bits.
func FloatOf(e Elem, bits uint64) float64 { return e.format().Decode(bits) }

// NearestFloat rounds x to the nearest value of a type, ties to even; false if that is beyond its finite values.
func NearestFloat(e Elem, x float64) (uint64, bool) {
	f := e.format()
	if f.Unsigned && x < 0 {
		return 0, false
	}
	return f.Round(x, elem.Nearest)
}

// FloatBits returns the bits of a number in a float type, rounded to nearest, ties to even, or ties up if the type has only
// powers of two. A number out of range becomes an infinity, NaN if the type has no infinity, and the greatest number if it has
// neither.
func FloatBits(e Elem, x float64) uint64 {
	f := e.format()
	switch {
	case e == F32: // the sign of NaN stays
		return uint64(math.Float32bits(float32(x)))
	case math.IsNaN(x) && f.Inf && e != F64:
		return f.Quiet()
	case x < 0 && f.Unsigned:
		return 0
	}
	return f.Encode(x, elem.Nearest, false)
}

// floatOfInt rounds an integer to a float type once: what a float64 cannot hold is marked in its last bit first, which is rounding
// to odd, if the type is narrower.
func floatOfInt(e Elem, x int64) uint64 {
	const below = 1<<11 - 1 // the bits of a number of 64 bits that a float64 has no room for
	size := uint64(max(x, -x))
	if e != F64 && size>>53 != 0 && size&below != 0 {
		size = size&^below | (below + 1)
	}
	f := float64(size)
	if x < 0 {
		f = -f
	}
	return FloatBits(e, f)
}
