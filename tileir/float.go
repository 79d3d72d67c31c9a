package tileir

import (
	"math"

	"github.com/cutile-go/cutile/internal/elem"
)

// FloatOf gives the value of a float's bits, exactly.
func FloatOf(e Elem, bits uint64) float64 { return e.format().Decode(bits) }

// NearestFloat rounds x to the nearest value of a type, ties to even; false where that lies beyond its finite values.
func NearestFloat(e Elem, x float64) (uint64, bool) {
	f := e.format()
	if f.Unsigned && x < 0 {
		return 0, false
	}
	return f.Round(x, elem.Nearest)
}

// FloatBits gives the bits of a number in a float type, rounded to the nearest, ties to even, or up where the type has powers
// of two alone; beyond its range they are those of an infinity, where the type has none of NaN, and where it has neither of
// the greatest number.
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
