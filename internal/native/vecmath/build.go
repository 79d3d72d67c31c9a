package vecmath

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// floats is a builder with short names for the operations of one type of floats, which is F32 or F64.
type floats struct {
	*vec.Builder
	t vec.Type
}

func singles(b *vec.Builder) floats { return floats{b, vec.F32} }
func doubles(b *vec.Builder) floats { return floats{b, vec.F64} }

// ints is the type of integers of the same width.
func (o floats) ints() vec.Type {
	if o.t == vec.F32 {
		return vec.I32
	}
	return vec.I64
}

// bits are those of a number in the type.
func (o floats) bits(x float64) uint64 {
	if o.t == vec.F32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

func (o floats) num(x float64) vec.Reg              { return o.Bits(o.t, o.bits(x)) }
func (o floats) int(x int64) vec.Reg                { return o.Bits(o.ints(), uint64(x)) }
func (o floats) add(x, y vec.Reg) vec.Reg           { return o.Do(vec.FAdd, o.t, x, y) }
func (o floats) sub(x, y vec.Reg) vec.Reg           { return o.Do(vec.FSub, o.t, x, y) }
func (o floats) mul(x, y vec.Reg) vec.Reg           { return o.Do(vec.FMul, o.t, x, y) }
func (o floats) div(x, y vec.Reg) vec.Reg           { return o.Do(vec.FDiv, o.t, x, y) }
func (o floats) fma(x, y, z vec.Reg) vec.Reg        { return o.Do(vec.FMulAdd, o.t, x, y, z) }
func (o floats) nearest(x vec.Reg) vec.Reg          { return o.DoImm(vec.FRound, o.t, int64(vec.Nearest), x) }
func (o floats) trunc(x vec.Reg) vec.Reg            { return o.DoImm(vec.FRound, o.t, int64(vec.Trunc), x) }
func (o floats) pick(m, x, y vec.Reg) vec.Reg       { return o.Pick(o.t, m, x, y) }
func (o floats) do(op vec.Op, x, y vec.Reg) vec.Reg { return o.Do(op, o.ints(), x, y) }
func (o floats) shift(op vec.Op, x vec.Reg, n int64) vec.Reg {
	return o.DoImm(op, o.ints(), n, x)
}

// is compares floats, isInt their bits.
func (o floats) is(x vec.Reg, c vec.Cond, y vec.Reg) vec.Reg    { return o.Compare(o.t, c, x, y) }
func (o floats) isInt(x vec.Reg, c vec.Cond, y vec.Reg) vec.Reg { return o.Compare(o.ints(), c, x, y) }

// sign is the bit of the sign alone.
func (o floats) sign() vec.Reg { return o.Bits(o.t, 1<<(8*o.t.Bytes()-1)) }

func (o floats) abs(x vec.Reg) vec.Reg { return o.Do(vec.AndNot, o.ints(), x, o.sign()) }
func (o floats) neg(x vec.Reg) vec.Reg { return o.Do(vec.Xor, o.ints(), x, o.sign()) }

// withSign gives a number that is not negative the sign of another.
func (o floats) withSign(x, of vec.Reg) vec.Reg {
	return o.do(vec.Or, x, o.do(vec.And, of, o.sign()))
}

// clamp limits a number, and leaves NaN.
func (o floats) clamp(x vec.Reg, lo, hi float64) vec.Reg {
	return o.Do(vec.FMax, o.t, o.num(lo), o.Do(vec.FMin, o.t, o.num(hi), x))
}

// poly is the polynomial with the given coefficients, the lowest power first.
func (o floats) poly(x vec.Reg, c ...float64) vec.Reg {
	last := len(c) - 1
	y := o.num(c[last])
	for i := last - 1; i >= 0; i-- {
		y = o.fma(y, x, o.num(c[i]))
	}
	return y
}

// toDouble and toSingle convert.
func toDouble(b *vec.Builder, x vec.Reg) vec.Reg { return b.Convert(vec.FConvert, vec.F64, vec.F32, x) }
func toSingle(b *vec.Builder, x vec.Reg) vec.Reg { return b.Convert(vec.FConvert, vec.F32, vec.F64, x) }

// whole is a float64 to which adding a number rounds that to an integer, which then stands in its low bits.
const whole = 3 << 51

// set makes a register that may be assigned again.
func set(b *vec.Builder, x vec.Reg) vec.Reg {
	r := b.New(b.Class(x))
	b.Set(r, x)
	return r
}
