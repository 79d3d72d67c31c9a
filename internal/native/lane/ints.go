package lane

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vecmath"
	"github.com/cutile-go/cutile/tileir"
)

// plain reports whether the first operand is an integer other than i1.
func (c *call) plain() bool { return !c.in.Pointer && c.in.Elem.IsInt() && c.form != vec.NoType }

func (c *call) signed() bool { return c.op.Int("signedness") == int64(tileir.Signed) }

func ints(op vec.Op) rule {
	return func(c *call) vec.Reg {
		if !c.plain() {
			return 0
		}
		return c.Do(op, c.form, c.args...)
	}
}

func bySign(signed, unsigned vec.Op) rule {
	return func(c *call) vec.Reg {
		if !c.plain() {
			return 0
		}
		if c.signed() {
			return c.Do(signed, c.form, c.args...)
		}
		return c.Do(unsigned, c.form, c.args...)
	}
}

func bits(op, ofMasks vec.Op) rule {
	return func(c *call) vec.Reg {
		if c.form == vec.NoType {
			return c.Do(ofMasks, vec.NoType, c.args...)
		}
		return c.Do(op, c.form, c.args...)
	}
}

func negate(c *call) vec.Reg {
	if !c.plain() {
		return 0
	}
	return c.Do(vec.Sub, c.form, c.Bits(c.form, 0), c.args[0])
}

func absolute(c *call) vec.Reg {
	if !c.plain() {
		return 0
	}
	return c.Do(vec.Max, c.form, c.args[0], c.Do(vec.Sub, c.form, c.Bits(c.form, 0), c.args[0]))
}

var intConds = map[int64][2]vec.Cond{ // without and with sign
	int64(tileir.CompareEqual): {vec.EQ, vec.EQ}, int64(tileir.CompareNotEqual): {vec.NE, vec.NE},
	int64(tileir.CompareLessThan): {vec.ULT, vec.LT}, int64(tileir.CompareLessThanOrEqual): {vec.ULE, vec.LE},
	int64(tileir.CompareGreaterThan): {vec.UGT, vec.GT}, int64(tileir.CompareGreaterThanOrEqual): {vec.UGE, vec.GE},
}

func compareInts(c *call) vec.Reg {
	if !c.plain() {
		return 0
	}
	return c.Compare(c.form, IntCond(c.op), c.args[0], c.args[1])
}

// IntCond is the condition that cmpi tests.
func IntCond(op *tileir.Op) vec.Cond {
	sign := 0
	if op.Int("signedness") == int64(tileir.Signed) {
		sign = 1
	}
	return intConds[op.Int("comparison_predicate")][sign]
}

// quotients are the directions in which the quotient of integers is rounded.
var quotients = map[int64]vec.Rounding{
	int64(tileir.RoundingZero): vec.Trunc, int64(tileir.RoundingNegativeInf): vec.Floor, int64(tileir.RoundingPositiveInf): vec.Ceil,
}

// quotient divides integers of at most 32 bits, in float64: with 32 bits and an error of one part in 2^53 the quotient of
// floats never reaches an integer that the exact one does not reach. It is 0 where the divisor is.
func (c *call) quotient(mode vec.Rounding) vec.Reg {
	if c.form == vec.I64 {
		return vecmath.Quotient(c.Builder, mode, c.signed(), c.args[0], c.args[1])
	}
	a, d := c.wide(c.args[0]), c.wide(c.args[1])
	q := c.Do(vec.FDiv, vec.F64, c.Convert(vec.FromInt, vec.F64, vec.I64, a), c.Convert(vec.FromInt, vec.F64, vec.I64, d))
	zero := c.Compare(c.form, vec.EQ, c.args[1], c.Bits(c.form, 0))
	q = c.Pick(vec.F64, zero, c.Bits(vec.F64, 0), q)
	n := c.Convert(vec.ToInt, vec.I64, vec.F64, c.DoImm(vec.FRound, vec.F64, int64(mode), q))
	return c.Convert(vec.Truncate, c.form, vec.I64, n)
}

// wide extends an operand to 64 bits.
func (c *call) wide(x vec.Reg) vec.Reg { return c.extended(x, vec.I64, c.form) }

// extended extends an integer.
func (c *call) extended(x vec.Reg, to, from vec.Type) vec.Reg {
	op := vec.ZeroExtend
	if c.signed() {
		op = vec.SignExtend
	}
	return c.Convert(op, to, from, x)
}

// Divisions of single numbers have a fault where the divisor is zero: they are not for lanes.
func divide(c *call) vec.Reg {
	mode, ok := quotients[c.op.Int("rounding")]
	if !ok || !c.plain() || c.in.Rank() == 0 {
		return 0
	}
	return c.quotient(mode)
}

func remainder(c *call) vec.Reg {
	if !c.plain() || c.in.Rank() == 0 {
		return 0
	}
	return c.Do(vec.Sub, c.form, c.args[0], c.Do(vec.Mul, c.form, c.quotient(vec.Trunc), c.args[1]))
}

// An offset of 64 bits could lead around the space of addresses, back to memory, or to another buffer. One of more than FarBytes, which no
// buffer has, leads to Nowhere instead, where no device has memory, so that an access is a fault. Buffers are so far apart that any other
// offset from one leads to an address that belongs to it alone.
const (
	FarBytes = 1 << 38
	Nowhere  = 3 << 61
)

// offset moves addresses by elements.
func offset(c *call) vec.Reg {
	by, _ := Form(c.op.Operands[1].Type.(*tileir.TileType))
	if c.in.Elem.PerByte() > 1 || by == vec.NoType || by.Float() {
		return 0
	}
	n, shift := c.args[1], int64(0)
	for 1<<shift < c.in.Elem.Bytes() {
		shift++
	}
	if by != vec.I64 {
		n = c.Convert(vec.SignExtend, vec.I64, by, n)
	}
	to := c.Do(vec.Add, vec.I64, c.args[0], c.DoImm(vec.ShlImm, vec.I64, shift, n))
	if by != vec.I64 {
		return to
	}
	most := uint64(FarBytes) >> shift
	near := c.Compare(vec.I64, vec.ULE, c.Do(vec.Add, vec.I64, n, c.Bits(vec.I64, most)), c.Bits(vec.I64, 2*most))
	return c.Pick(vec.I64, near, to, c.Bits(vec.I64, Nowhere))
}

// bitcast keeps the bits that memory would hold.
func bitcast(c *call) vec.Reg {
	if c.form == vec.NoType || c.to == vec.NoType || c.in.Elem == tileir.TF32 || c.out.Elem == tileir.TF32 {
		return 0
	}
	return FromMemory(c.Builder, c.out, ToMemory(c.Builder, c.in, c.args[0]))
}

// extend extends integers. An i4 lies in the lower half of a byte, and is brought to a whole one first.
func extend(c *call) vec.Reg {
	x := c.args[0]
	switch {
	case c.form == vec.NoType && c.signed():
		x = c.Pick(c.to, x, c.Bits(c.to, math.MaxUint64), c.Bits(c.to, 0))
	case c.form == vec.NoType:
		x = c.Pick(c.to, x, c.Bits(c.to, 1), c.Bits(c.to, 0))
	default:
		if c.in.Elem == tileir.I4 && c.signed() {
			x = c.DoImm(vec.ShrImm, vec.I8, 4, c.DoImm(vec.ShlImm, vec.I8, 4, x))
		}
		x = c.resized(x)
	}
	return c.lowHalf(x)
}

// resized brings an integer to the width of the result.
func (c *call) resized(x vec.Reg) vec.Reg {
	switch n := c.to.Bytes() - c.form.Bytes(); {
	case n > 0:
		return c.extended(x, c.to, c.form)
	case n < 0:
		return c.Convert(vec.Truncate, c.to, c.form, x)
	}
	return x
}

// lowHalf leaves only the lower half of bytes for an i4.
func (c *call) lowHalf(x vec.Reg) vec.Reg {
	if c.out.Elem != tileir.I4 {
		return x
	}
	return c.Do(vec.And, vec.I8, x, c.Bits(vec.I8, 15))
}

func truncate(c *call) vec.Reg {
	if c.to == vec.NoType {
		return c.lastBit(c.args[0], c.form)
	}
	return c.lowHalf(c.resized(c.args[0]))
}
