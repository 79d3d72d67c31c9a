package lane

import (
	"math"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vecmath"
	"github.com/cutile-go/cutile/tileir"
)

// intToFloat converts with one rounding: directly, or by way of a float64, which has all integers of at most 32 bits and the
// longer ones rounded to odd.
func intToFloat(c *call) vec.Reg {
	x, from := c.args[0], c.form
	f := smalls[c.out.Elem]
	single := c.to == vec.F32 && c.out.Elem == tileir.F32
	switch {
	case !c.nearest() || !c.to.Float() && f == nil:
		return 0
	case from == vec.I64 && c.to == vec.F64 && !c.signed():
		return vecmath.FromUint64(c.Builder, x)
	case (from == vec.I32 || from == vec.I64) && c.signed() && (single || c.to == vec.F64):
		return c.Convert(vec.FromInt, c.to, from, x)
	case from == vec.NoType:
		x = c.Pick(vec.F64, x, c.Bits(vec.F64, math.Float64bits(c.one())), c.Bits(vec.F64, 0))
	case from == vec.I64:
		x = vecmath.OddFromInt64(c.Builder, c.signed(), x)
	default:
		x = c.Convert(vec.FromInt, vec.F64, vec.I64, c.wide(x))
	}
	switch {
	case c.to == vec.F64:
		return x
	case single || from.Bytes() < 4: // which float32 has
		x = c.Convert(vec.FConvert, vec.F32, vec.F64, x)
	default:
		x = vecmath.OddSingle(c.Builder, x)
	}
	return c.narrow(vec.Nearest, x)
}

// one is the number that true stands for.
func (c *call) one() float64 {
	if c.signed() {
		return -1
	}
	return 1
}

// narrow brings a float32 to the element type of the result.
func (c *call) narrow(mode vec.Rounding, x vec.Reg) vec.Reg {
	if f := smalls[c.out.Elem]; f != nil {
		if mode != vec.Nearest && f.Man > 0 {
			return 0
		}
		return vecmath.ToSmall(c.Builder, f, mode, x)
	}
	return round(c.Builder, c.out.Elem, mode, x)
}

// floatToInt converts toward zero, to the nearest integer there is where the number is out of range, and NaN to zero.
func floatToInt(c *call) vec.Reg {
	if f := smalls[c.in.Elem]; f != nil {
		c.args, c.form = []vec.Reg{c.widen(f)}, vec.F32
	}
	if !c.form.Float() {
		return 0
	}
	x := c.args[0]
	if c.to == vec.NoType {
		return c.Compare(c.form, vec.NE, x, c.Bits(c.form, 0))
	}
	if c.form == vec.F32 && c.to != vec.I64 && (c.to != vec.I32 || c.signed()) {
		return c.floatToShort(x)
	}
	if c.form == vec.F32 {
		x = c.Convert(vec.FConvert, vec.F64, vec.F32, x)
	}
	if c.to == vec.I64 && !c.signed() {
		return vecmath.ToUint64(c.Builder, x)
	}
	lo, hi := limits(c.to, c.signed())
	number := func(f float64) vec.Reg { return c.Bits(vec.F64, math.Float64bits(f)) }
	y := c.Do(vec.FMin, vec.F64, c.Do(vec.FMax, vec.F64, x, number(lo)), number(hi))
	n := c.Convert(vec.ToInt, vec.I64, vec.F64, y)
	if c.to == vec.I64 { // the greatest integer is no float64
		n = c.Pick(vec.I64, c.Compare(vec.F64, vec.GE, x, number(1<<63)), c.Bits(vec.I64, math.MaxInt64), n)
	}
	n = c.Pick(vec.I64, c.Compare(vec.F64, vec.Unordered, x, x), c.Bits(vec.I64, 0), n)
	if c.to == vec.I64 {
		return n
	}
	return c.Convert(vec.Truncate, c.to, vec.I64, n)
}

// floatToShort converts float32 to what 32 bits with sign can hold, in lanes of 32 bits.
func (c *call) floatToShort(x vec.Reg) vec.Reg {
	lo, hi := limits(c.to, c.signed())
	number := func(f float64) vec.Reg { return c.Bits(vec.F32, uint64(math.Float32bits(float32(f)))) }
	most := number(hi)
	if c.to == vec.I32 { // the greatest integer is no float32
		most = c.Bits(vec.F32, uint64(math.Float32bits(1<<31)-1))
	}
	y := c.Do(vec.FMin, vec.F32, c.Do(vec.FMax, vec.F32, x, number(lo)), most)
	n := c.Convert(vec.ToInt, vec.I32, vec.F32, y)
	if c.to == vec.I32 {
		n = c.Pick(vec.I32, c.Compare(vec.F32, vec.GE, x, number(1<<31)), c.Bits(vec.I32, math.MaxInt32), n)
	}
	n = c.Pick(vec.I32, c.Compare(vec.F32, vec.Unordered, x, x), c.Bits(vec.I32, 0), n)
	if c.to == vec.I32 {
		return n
	}
	return c.Convert(vec.Truncate, c.to, vec.I32, n)
}

// limits are the least and the greatest float64 that a conversion to an integer type keeps.
func limits(t vec.Type, signed bool) (lo, hi float64) {
	n := 8 * t.Bytes()
	switch {
	case n == 64:
		return -1 << 63, math.Nextafter(1<<63, 0)
	case signed:
		return -math.Ldexp(1, n-1), math.Ldexp(1, n-1) - 1
	}
	return 0, math.Ldexp(1, n) - 1
}

// widen gives the float32 of a float of at most eight bits. All NaNs become one.
func (c *call) widen(f *elem.Format) vec.Reg {
	x := vecmath.FromSmall(c.Builder, f, c.args[0])
	if !f.Inf {
		return x
	}
	return c.Pick(vec.F32, c.Compare(vec.F32, vec.Unordered, x, x), c.Bits(vec.F32, 0x7fc00000), x)
}

// floatToFloat converts with one rounding.
func floatToFloat(c *call) vec.Reg {
	mode, ok := c.mode()
	if !ok || c.flag("flush_to_zero") {
		return 0
	}
	if exactly(c.in.Elem, c.out.Elem) {
		mode = vec.Nearest
	}
	if f := smalls[c.in.Elem]; f != nil {
		c.args, c.form = []vec.Reg{c.widen(f)}, vec.F32
	}
	if !c.form.Float() || !c.to.Float() && smalls[c.out.Elem] == nil {
		return 0
	}
	x := c.args[0]
	switch {
	case mode == vecmath.Away && c.out.Elem != tileir.TF32:
		return 0
	case c.form == vec.F64 && c.to == vec.F64:
		return x
	case c.to == vec.F64:
		return c.Convert(vec.FConvert, vec.F64, vec.F32, x)
	case c.form == vec.F64 && c.out.Elem == tileir.F32:
		return vecmath.Single(c.Builder, mode, x)
	case c.form == vec.F64:
		x = vecmath.OddSingle(c.Builder, x)
	}
	return c.narrow(mode, x)
}

// exactly reports whether a float type has all numbers of another one.
func exactly(from, to tileir.Elem) bool {
	f, t := elem.ByIR(from.String()).Format, elem.ByIR(to.String()).Format
	switch { // float32 and float64 have no format
	case to == tileir.F64 || to == tileir.F32 && from != tileir.F64:
		return true
	case f == nil || t == nil:
		return false
	}
	low, high := f.Exponents()
	least, most := t.Exponents()
	return f.Man <= t.Man && low-f.Man >= least-t.Man && high <= most && (f.Unsigned || !t.Unsigned)
}
