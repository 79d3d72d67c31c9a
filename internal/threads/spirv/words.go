package spirv

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
)

// words writes operations on integers of a type. Truth values are those of SPIR-V.
type words struct {
	*writer
	t vec.Type
}

// wide are operations on integers of 64 bits.
func (w *writer) wide() words { return words{w, vec.I64} }

func (o words) n(n int64) spirv.ID           { return o.num(o.t, n) }
func (o words) add(x, y spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpIAdd, x, y) }
func (o words) sub(x, y spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpISub, x, y) }
func (o words) mul(x, y spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpIMul, x, y) }
func (o words) div(x, y spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpUDiv, x, y) }
func (o words) and(x, y spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpBitwiseAnd, x, y) }
func (o words) or(x, y spirv.ID) spirv.ID    { return o.b.Binary(spirv.OpBitwiseOr, x, y) }
func (o words) xor(x, y spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpBitwiseXor, x, y) }
func (o words) shl(x, n spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpShiftLeftLogical, x, n) }
func (o words) shr(x, n spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpShiftRightLogical, x, n) }
func (o words) sar(x, n spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpShiftRightArithmetic, x, n) }
func (o words) same(x, y spirv.ID) spirv.ID  { return o.b.Compare(spirv.OpIEqual, x, y) }
func (o words) below(x, y spirv.ID) spirv.ID { return o.b.Compare(spirv.OpULessThan, x, y) }
func (o words) less(x, y spirv.ID) spirv.ID  { return o.b.Compare(spirv.OpSLessThan, x, y) }
func (o words) any(x, y spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpLogicalOr, x, y) }
func (o words) both(x, y spirv.ID) spirv.ID  { return o.b.Binary(spirv.OpLogicalAnd, x, y) }
func (o words) not(x spirv.ID) spirv.ID      { return o.b.Unary(spirv.OpLogicalNot, x) }

// zero reports whether a number is 0.
func (o words) zero(x spirv.ID) spirv.ID { return o.same(x, o.n(0)) }

// one is 1 where a condition holds, else 0.
func (o words) one(cond spirv.ID) spirv.ID { return o.b.Select(cond, o.n(1), o.n(0)) }

// jam is x with its lowest bit set where rest is not 0, which stands for all that lies below that bit.
func (o words) jam(x, rest spirv.ID) spirv.ID { return o.or(x, o.one(o.below(o.n(0), rest))) }

// shrJam shifts right, by less than the width, and jams what is lost.
func (o words) shrJam(x, n spirv.ID) spirv.ID {
	lost := o.sub(o.shl(o.n(1), n), o.n(1))
	return o.jam(o.shr(x, n), o.and(x, lost))
}

// leading is the number of zero bits above the first one of a number of 64 bits, and 0 for 0.
func (o words) leading(x spirv.ID) spirv.ID {
	b, u32 := o.b, o.b.Uint(32)
	hi, lo := b.Convert(spirv.OpUConvert, u32, o.shr(x, o.n(32))), b.Convert(spirv.OpUConvert, u32, x)
	low := b.Compare(spirv.OpIEqual, hi, o.num(vec.I32, 0))
	top := b.GLSL(spirv.GLSLFindUMsb, u32, b.Select(low, lo, hi))
	n := b.Binary(spirv.OpISub, b.Select(low, o.num(vec.I32, 63), o.num(vec.I32, 31)), top)
	return o.b.Select(o.zero(x), o.n(0), b.Convert(spirv.OpUConvert, o.typ(vec.I64), n))
}

// double is a number of 128 bits.
type double struct{ hi, lo spirv.ID }

func (o words) pick2(cond spirv.ID, x, y double) double {
	return double{o.b.Select(cond, x.hi, y.hi), o.b.Select(cond, x.lo, y.lo)}
}

func (o words) add2(x, y double) double {
	lo := o.add(x.lo, y.lo)
	return double{o.add(o.add(x.hi, y.hi), o.one(o.below(lo, x.lo))), lo}
}

func (o words) sub2(x, y double) double {
	return double{o.sub(o.sub(x.hi, y.hi), o.one(o.below(x.lo, y.lo))), o.sub(x.lo, y.lo)}
}

func (o words) below2(x, y double) spirv.ID {
	return o.any(o.below(x.hi, y.hi), o.both(o.same(x.hi, y.hi), o.below(x.lo, y.lo)))
}

// shl2 shifts left, by less than 64.
func (o words) shl2(x double, n spirv.ID) double {
	over := o.shr(o.shr(x.lo, o.n(1)), o.sub(o.n(63), n))
	return double{o.or(o.shl(x.hi, n), over), o.shl(x.lo, n)}
}

// shrJam2 shifts right, by 127 at most, and jams what is lost.
func (o words) shrJam2(x double, n spirv.ID) double {
	far := o.below(o.n(63), n)
	hi, lo, lost := o.b.Select(far, o.n(0), x.hi), o.b.Select(far, x.hi, x.lo), o.b.Select(far, x.lo, o.n(0))
	n = o.and(n, o.n(63))
	rest := o.sub(o.n(63), n)
	up := func(v spirv.ID) spirv.ID { return o.shl(o.shl(v, o.n(1)), rest) } // by 64 - n
	lost = o.or(lost, up(lo))
	return double{o.shr(hi, n), o.jam(o.or(o.shr(lo, n), up(hi)), lost)}
}
