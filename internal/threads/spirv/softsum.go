package spirv

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// softAdd adds, or subtracts.
func (w *writer) softAdd(in *ir.Instr, x []spirv.ID) spirv.ID {
	a, b := w.apart(in.Type, x[0]), w.apart(in.Type, x[1])
	if in.Do == vec.FSub {
		b.sign = w.wide().xor(b.sign, w.num(vec.I64, 1))
	}
	return w.total(in.Type, a, b, w.sum64(a, b))
}

// softMul multiplies.
func (w *writer) softMul(in *ir.Instr, x []spirv.ID) spirv.ID {
	p := w.product(w.apart(in.Type, x[0]), w.apart(in.Type, x[1]), in.Type)
	return w.otherwise(w.together(in.Type, p), exception{p.nan, w.quiet(in.Type)}, exception{p.endless, w.endlessly(in.Type, p.sign)})
}

// softFused multiplies and adds with one rounding.
func (w *writer) softFused(in *ir.Instr, x []spirv.ID) spirv.ID {
	a, b, c := w.apart(in.Type, x[0]), w.apart(in.Type, x[1]), w.apart(in.Type, x[2])
	p := w.product(a, b, in.Type)
	if in.Type == vec.F64 {
		return w.total(in.Type, p, c, w.sum128(a, b, p, c))
	}
	return w.total(in.Type, p, c, w.sum64(p, c)) // the product has 48 bits
}

// product multiplies: the mantissa is exact for f32, and jammed for f64.
func (w *writer) product(x, y number, t vec.Type) number {
	o := w.wide()
	p := number{sign: o.xor(x.sign, y.sign), exponent: o.add(o.add(x.exponent, y.exponent), o.n(1))}
	if t == vec.F64 {
		all := w.times(x.mantissa, y.mantissa)
		p.mantissa = o.jam(all.hi, all.lo)
	} else {
		p.mantissa = o.mul(o.shr(x.mantissa, o.n(32)), o.shr(y.mantissa, o.n(32)))
	}
	p.endless = o.any(x.endless, y.endless)
	p.nan = o.any(o.any(x.nan, y.nan), o.both(p.endless, o.any(o.none(x), o.none(y))))
	return w.normal(p)
}

// times is a product of 128 bits.
func (w *writer) times(x, y spirv.ID) double {
	lo, hi := w.b.product(x, y)
	return double{hi, lo}
}

// normal shifts a mantissa whose bit 63 or 62 is set, unless it is 0.
func (w *writer) normal(x number) number {
	o := w.wide()
	up := o.one(o.below(x.mantissa, o.n(-1<<63)))
	x.mantissa, x.exponent = o.shl(x.mantissa, up), o.sub(x.exponent, up)
	return x
}

// total is a sum with its exceptions.
func (w *writer) total(t vec.Type, x, y, sum number) spirv.ID {
	o := w.wide()
	apart := o.both(o.both(x.endless, y.endless), o.not(o.same(x.sign, y.sign)))
	return w.otherwise(w.together(t, sum),
		exception{o.any(o.any(x.nan, y.nan), apart), w.quiet(t)},
		exception{x.endless, w.endlessly(t, x.sign)},
		exception{y.endless, w.endlessly(t, y.sign)})
}

// sum64 adds numbers whose mantissas have no more than 53 bits: of 64, there is room for the carry, and for as many bits of the smaller
// one as matter where the greater ones cancel out.
func (w *writer) sum64(x, y number) number {
	o := w.wide()
	x, y = w.ordered(x, y)
	by := o.pick(spirv.OpULessThan, o.sub(x.exponent, y.exponent), o.n(63))
	a, b := o.shr(x.mantissa, o.n(1)), o.shrJam(o.shr(y.mantissa, o.n(1)), by)
	alike := o.same(x.sign, y.sign)
	m := o.b.Select(alike, o.add(a, b), o.sub(a, b))
	up := o.leading(m)
	out := number{sign: x.sign, exponent: o.sub(o.add(x.exponent, o.n(1)), up), mantissa: o.shl(m, up)}
	out.sign = o.b.Select(o.both(o.zero(m), o.not(alike)), o.n(0), out.sign)
	return out
}

// ordered puts the greater magnitude first. The exponent of 0 is below all others.
func (w *writer) ordered(x, y number) (number, number) {
	o := w.wide()
	x.exponent = o.b.Select(o.none(x), o.n(-far), x.exponent)
	y.exponent = o.b.Select(o.none(y), o.n(-far), y.exponent)
	swap := o.any(o.less(x.exponent, y.exponent), o.both(o.same(x.exponent, y.exponent), o.below(x.mantissa, y.mantissa)))
	pick := func(a, b spirv.ID) spirv.ID { return o.b.Select(swap, b, a) }
	return number{sign: pick(x.sign, y.sign), exponent: pick(x.exponent, y.exponent), mantissa: pick(x.mantissa, y.mantissa)},
		number{sign: pick(y.sign, x.sign), exponent: pick(y.exponent, x.exponent), mantissa: pick(y.mantissa, x.mantissa)}
}

// sum128 adds c to the product p of a and b, which has 106 bits.
func (w *writer) sum128(a, b, p, c number) number {
	o := w.wide()
	full := w.times(a.mantissa, b.mantissa)
	up := o.one(o.below(full.hi, o.n(-1<<63)))
	full = o.shl2(full, up) // as p is normal, and so of its exponent
	x, y, empty := full, double{c.mantissa, o.n(0)}, o.n(-far)
	ex, ey := o.b.Select(o.none(p), empty, p.exponent), o.b.Select(o.none(c), empty, c.exponent)
	swap := o.any(o.less(ex, ey), o.both(o.same(ex, ey), o.below2(x, y)))
	greater, smaller := o.pick2(swap, y, x), o.pick2(swap, x, y)
	e, low := o.b.Select(swap, ey, ex), o.b.Select(swap, ex, ey)
	sign := o.b.Select(swap, c.sign, p.sign)

	half := func(v double) double { return o.shrJam2(v, o.n(1)) } // nothing is lost: products have 106 bits
	smaller = o.shrJam2(half(smaller), o.pick(spirv.OpULessThan, o.sub(e, low), o.n(127)))
	greater = half(greater)
	alike := o.same(p.sign, c.sign)
	s := o.pick2(alike, o.add2(greater, smaller), o.sub2(greater, smaller))

	high := o.zero(s.hi) // the leading bit is in the lower half
	s = o.pick2(high, double{s.lo, o.n(0)}, s)
	lead := o.leading(s.hi)
	s = o.shl2(s, lead)
	down := o.add(lead, o.b.Select(high, o.n(64), o.n(0)))
	out := number{exponent: o.sub(o.add(e, o.n(1)), down), mantissa: o.jam(s.hi, s.lo)}
	out.sign = o.b.Select(o.both(o.none(out), o.not(alike)), o.n(0), sign)
	return out
}
