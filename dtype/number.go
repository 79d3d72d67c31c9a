package dtype

import (
	"math"

	"github.com/cutile-go/cutile/internal/elem"
)

// FloatBits returns the bits of the number of float type t that is nearest to f. It panics if t is not a float type.
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

// FloatFromBits returns the number of float type t that has these bits. It panics if t is not a float type.
func (t Type) FloatFromBits(bits uint64) float64 {
	return t.row().Format.Decode(bits >> t.row().Format.Pad)
}

// Holds reports whether float type t can represent f, perhaps rounded. It cannot represent numbers that are too large, nor an
// infinity, NaN or sign that the type lacks.
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
