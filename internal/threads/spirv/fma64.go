package spirv

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
)

// words writes operations on integers of 64 bits. Truth values are those of SPIR-V.
type words struct{ *writer }

func (o words) n(n int64) spirv.ID           { return o.num(vec.I64, n) }
func (o words) add(x, y spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpIAdd, x, y) }
func (o words) sub(x, y spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpISub, x, y) }
func (o words) and(x, y spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpBitwiseAnd, x, y) }
func (o words) or(x, y spirv.ID) spirv.ID    { return o.b.Binary(spirv.OpBitwiseOr, x, y) }
func (o words) xor(x, y spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpBitwiseXor, x, y) }
func (o words) shl(x, n spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpShiftLeftLogical, x, n) }
func (o words) shr(x, n spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpShiftRightLogical, x, n) }
func (o words) same(x, y spirv.ID) spirv.ID  { return o.b.Compare(spirv.OpIEqual, x, y) }
func (o words) below(x, y spirv.ID) spirv.ID { return o.b.Compare(spirv.OpULessThan, x, y) }
func (o words) less(x, y spirv.ID) spirv.ID  { return o.b.Compare(spirv.OpSLessThan, x, y) }
func (o words) any(x, y spirv.ID) spirv.ID   { return o.b.Binary(spirv.OpLogicalOr, x, y) }
func (o words) both(x, y spirv.ID) spirv.ID  { return o.b.Binary(spirv.OpLogicalAnd, x, y) }

// one is 1 where a condition holds, else 0.
func (o words) one(cond spirv.ID) spirv.ID { return o.b.Select(cond, o.n(1), o.n(0)) }

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

// shrJam shifts right, by 127 at most. The lowest bit is set also where one was lost.
func (o words) shrJam(x double, n spirv.ID) double {
	far := o.below(o.n(63), n)
	hi, lo, lost := o.b.Select(far, o.n(0), x.hi), o.b.Select(far, x.hi, x.lo), o.b.Select(far, x.lo, o.n(0))
	n = o.and(n, o.n(63))
	rest := o.sub(o.n(63), n)
	up := func(v spirv.ID) spirv.ID { return o.shl(o.shl(v, o.n(1)), rest) } // by 64 - n
	lost = o.or(lost, up(lo))
	lo = o.or(o.or(o.shr(lo, n), up(hi)), o.one(o.below(o.n(0), lost)))
	return double{o.shr(hi, n), lo}
}

// part is a float64 taken apart: its magnitude is mantissa * 2^(exponent-52), and the mantissa has 53 bits unless it is 0.
type part struct{ bits, exponent, mantissa spirv.ID }

func (o words) part(bits spirv.ID) part {
	size := o.magnitude(vec.F64, bits)
	small := o.below(size, o.n(1<<52)) // subnormal: multiplied by 2^54 it is not
	scaled := o.bits(vec.F64, o.b.Binary(spirv.OpFMul, o.float(vec.F64, size), o.b.ConstFloat(64, 1<<54)))
	from := o.b.Select(small, scaled, size)
	exponent := o.sub(o.shr(from, o.n(52)), o.b.Select(small, o.n(1023+54), o.n(1023)))
	mantissa := o.or(o.and(from, o.n(1<<52-1)), o.n(1<<52))
	return part{bits, exponent, o.b.Select(o.same(size, o.n(0)), o.n(0), mantissa)}
}

// fma64 adds in integers: the product has 106 bits, of 128, and what lies below only matters for whether there is something.
func (w *writer) fma64(src []spirv.ID) spirv.ID {
	o := words{w}
	x, y, z := o.part(src[0]), o.part(src[1]), o.part(src[2])
	sign := func(bits spirv.ID) spirv.ID { return o.and(bits, o.n(-1<<63)) }

	// Both are so many times 2^(exponent-125), and less than 2^127.
	hiLo := o.b.Op(spirv.OpUMulExtended, o.b.Struct(o.typ(vec.I64), o.typ(vec.I64)), o.shl(x.mantissa, o.n(11)), o.shl(y.mantissa, o.n(10)))
	p := double{o.b.Extract(hiLo, 1), o.b.Extract(hiLo, 0)}
	c := double{o.shl(z.mantissa, o.n(9)), o.n(0)}
	ep, signP, signZ := o.add(x.exponent, y.exponent), sign(o.xor(x.bits, y.bits)), sign(z.bits)
	ez := o.b.Select(o.same(z.mantissa, o.n(0)), ep, z.exponent)

	apart := o.sub(ep, ez)
	negative := o.less(apart, o.n(0))
	by := o.b.Select(negative, o.sub(o.n(0), apart), apart)
	by = o.pick(spirv.OpULessThan, by, o.n(127))
	p = o.pick2(negative, o.shrJam(p, by), p)
	c = o.pick2(negative, c, o.shrJam(c, by))
	exponent := o.b.Select(negative, ez, ep)

	less := o.below2(p, c)
	difference := o.sub2(o.pick2(less, c, p), o.pick2(less, p, c))
	alike := o.same(signP, signZ)
	s := o.pick2(alike, o.add2(p, c), difference)
	sum := o.or(o.b.Select(o.both(less, o.b.Unary(spirv.OpLogicalNot, alike)), signZ, signP), o.assemble(s, exponent))
	sum = o.b.Select(o.same(o.or(s.hi, s.lo), o.n(0)), o.n(0), sum)

	// What is infinite, NaN or a product of 0 needs no care, unless the product, which is finite, would become infinite beside z.
	plain := o.bits(vec.F64, o.b.Binary(spirv.OpFAdd, o.b.Binary(spirv.OpFMul, o.float(vec.F64, x.bits), o.float(vec.F64, y.bits)), o.float(vec.F64, z.bits)))
	endless := func(v part) spirv.ID {
		return o.b.Compare(spirv.OpUGreaterThanEqual, o.magnitude(vec.F64, v.bits), o.n(infinity(vec.F64)))
	}
	none := func(v part) spirv.ID { return o.same(v.mantissa, o.n(0)) }
	odd := o.any(endless(x), endless(y))
	sum = o.b.Select(endless(z), z.bits, sum)
	return o.b.Select(o.any(odd, o.both(o.any(none(x), none(y)), o.b.Unary(spirv.OpLogicalNot, endless(z)))), plain, sum)
}

// assemble rounds a number that is so many times 2^(exponent-125) to a float64 and gives the bits of that.
func (o words) assemble(s double, exponent spirv.ID) spirv.ID {
	exponent = o.add(exponent, o.n(2+1023)) // that of bit 127, biased
	for _, k := range []int64{64, 32, 16, 8, 4, 2, 1} {
		up := double{s.lo, o.n(0)}
		empty := o.same(s.hi, o.n(0))
		if k < 64 {
			empty = o.same(o.shr(s.hi, o.n(64-k)), o.n(0))
			up = double{o.or(o.shl(s.hi, o.n(k)), o.shr(s.lo, o.n(64-k))), o.shl(s.lo, o.n(k))}
		}
		s = o.pick2(empty, up, s)
		exponent = o.b.Select(empty, o.sub(exponent, o.n(k)), exponent)
	}
	top := double{s.hi, o.one(o.below(o.n(0), s.lo))}
	// Subnormal numbers have fewer bits.
	short := o.less(exponent, o.n(1))
	by := o.b.Select(short, o.sub(o.n(1), exponent), o.n(0))
	top = o.shrJam(top, o.pick(spirv.OpULessThan, by, o.n(63)))
	r := o.or(top.hi, o.one(o.below(o.n(0), top.lo)))

	m, rest := o.shr(r, o.n(11)), o.and(r, o.n(1<<11-1))
	half := o.n(1 << 10)
	up := o.any(o.below(half, rest), o.both(o.same(rest, half), o.same(o.and(m, o.n(1)), o.n(1))))
	m = o.add(m, o.one(up))
	exponent = o.pick(spirv.OpSLessThan, exponent, o.n(2047))
	field := o.b.Select(short, o.n(0), o.sub(exponent, o.n(1))) // m has the bit of 2^52, which adds 1
	return o.pick(spirv.OpULessThan, o.add(o.shl(field, o.n(52)), m), o.n(infinity(vec.F64)))
}
