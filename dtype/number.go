package dtype

import (
	"math"

	"github.com/cutile-go/cutile/internal/elem"
)

// FloatBits gives the bits of the number of a float type that is nearest to f. It panics where t is no float type.
func (t Type) FloatBits(f float64) uint64 {
	row := t.row()
	switch {
	case row.Bits <= 8: // those saturate
		return row.Format.Encode(f, elem.Nearest, true)
	case f != f && t != F64:
		return (math.Float64bits(f)>>63*row.Format.Sign() | row.Format.Quiet()) << row.Format.Pad
	}
	return row.Format.Encode(f, elem.Nearest, false) << row.Format.Pad
}

// FloatFromBits gives the number of a float type that has these bits. It panics where t is no float type.
func (t Type) FloatFromBits(bits uint64) float64 {
	return t.row().Format.Decode(bits >> t.row().Format.Pad)
}

// Holds reports whether a float type has a number for f, rounded where need be: what is too large for it, an infinity
// or NaN that it lacks and a sign that it lacks do not fit.
func (t Type) Holds(f float64) bool {
	back := t.FloatFromBits(t.FloatBits(f))
	switch {
	case f != f:
		return back != back
	case math.IsInf(f, 0):
		return back == f
	case f < 0 && !t.IsSigned():
		return false
	}
	return !math.IsInf(back, 0) && (t.Size() > 1 || math.Abs(f) <= math.Abs(t.FloatFromBits(t.FloatBits(math.Copysign(math.MaxFloat64, f)))))
}
