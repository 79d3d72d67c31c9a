package spirv

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// number is a float taken apart: it is mantissa * 2^(exponent-63), where bit 63 of the mantissa is set unless that is 0. All are
// integers of 64 bits, for every type of floats; sign is 0 or 1.
type number struct {
	sign, exponent, mantissa spirv.ID
	nan, endless             spirv.ID // truth values
}

// apart takes the bits of a float apart.
func (w *writer) apart(t vec.Type, x spirv.ID) number {
	o, l := w.wide(), layouts[t]
	x = w.b.Convert(spirv.OpUConvert, w.typ(vec.I64), x)
	size := o.and(x, o.n(int64(1)<<(8*t.Bytes()-1)-1))
	field, rest := o.shr(size, o.n(l.mantissa)), o.and(size, o.n(1<<l.mantissa-1))
	small := o.zero(field) // subnormal, or 0
	rest = o.b.Select(small, rest, o.or(rest, o.n(1<<l.mantissa)))
	field = o.b.Select(small, o.n(1), field)
	up := o.leading(rest)
	return number{
		sign:     o.shr(x, o.n(int64(8*t.Bytes()-1))),
		exponent: o.sub(o.add(field, o.n(63-l.mantissa-l.bias)), up),
		mantissa: o.shl(rest, up),
		nan:      o.below(o.n(infinity(t)), size),
		endless:  o.same(size, o.n(infinity(t))),
	}
}

// none reports whether a number is 0.
func (o words) none(x number) spirv.ID { return o.zero(x.mantissa) }

// far bounds exponents beyond those of all floats and of their products.
const far = 1 << 13

// together rounds sign, exponent and mantissa to a float and gives its bits. The mantissa has bit 63 set, unless it is 0, and its
// lowest bit stands for all that lies below.
func (w *writer) together(t vec.Type, x number) spirv.ID {
	o, l := w.wide(), layouts[t]
	e := o.add(x.exponent, o.n(l.bias))
	e = o.pick(spirv.OpSLessThan, o.pick(spirv.OpSGreaterThan, e, o.n(-far)), o.n(2*l.bias+1))
	short := o.less(e, o.n(1)) // subnormal numbers have fewer bits
	by := o.pick(spirv.OpULessThan, o.b.Select(short, o.sub(o.n(1), e), o.n(0)), o.n(63))
	m := o.shrJam(x.mantissa, by)

	drop := 63 - l.mantissa
	q, rest, half := o.shr(m, o.n(drop)), o.and(m, o.n(1<<drop-1)), o.n(1<<(drop-1))
	up := o.any(o.below(half, rest), o.both(o.same(rest, half), o.same(o.and(q, o.n(1)), o.n(1))))
	q = o.add(q, o.one(up))
	field := o.b.Select(o.any(short, o.none(x)), o.n(0), o.sub(e, o.n(1))) // q has the bit above the mantissa, which adds 1
	bits := o.pick(spirv.OpULessThan, o.add(o.shl(field, o.n(l.mantissa)), q), o.n(infinity(t)))
	return w.signed(t, x.sign, bits)
}

// signed gives the bits of a float of a magnitude, as wide as the type.
func (w *writer) signed(t vec.Type, sign, bits spirv.ID) spirv.ID {
	o := w.wide()
	return w.b.Convert(spirv.OpUConvert, w.typ(t), o.or(bits, o.shl(sign, o.n(int64(8*t.Bytes()-1)))))
}

// otherwise is the last result unless an earlier condition holds, of which the first one counts.
func (w *writer) otherwise(last spirv.ID, conds ...exception) spirv.ID {
	for i := len(conds) - 1; i >= 0; i-- {
		last = w.b.Select(conds[i].when, conds[i].then, last)
	}
	return last
}

// exception is a result with when it is one.
type exception struct{ when, then spirv.ID }

// quiet is a NaN.
func (w *writer) quiet(t vec.Type) spirv.ID {
	return w.num(t, infinity(t)|1<<(layouts[t].mantissa-1))
}

// endlessly is infinity with a sign.
func (w *writer) endlessly(t vec.Type, sign spirv.ID) spirv.ID {
	return w.signed(t, sign, w.num(vec.I64, infinity(t)))
}

// softConvert converts between floats.
func (w *writer) softConvert(in *ir.Instr, x []spirv.ID) spirv.ID {
	t, v := in.Type, w.apart(in.From, x[0])
	return w.otherwise(w.together(t, v), exception{v.nan, w.quiet(t)}, exception{v.endless, w.endlessly(t, v.sign)})
}

// softFromInt converts an integer with sign.
func (w *writer) softFromInt(in *ir.Instr, x []spirv.ID) spirv.ID {
	o := w.wide()
	n := w.b.Convert(spirv.OpSConvert, w.typ(vec.I64), x[0])
	sign := o.shr(n, o.n(63))
	m := o.b.Select(o.less(n, o.n(0)), o.sub(o.n(0), n), n)
	up := o.leading(m)
	return w.together(in.Type, number{sign: sign, exponent: o.sub(o.n(63), up), mantissa: o.shl(m, up)})
}

// softToInt converts a float inside the range of the integers.
func (w *writer) softToInt(in *ir.Instr, x []spirv.ID) spirv.ID {
	o, v := w.wide(), w.apart(in.From, x[0])
	by := o.sub(o.n(63), v.exponent)
	n := o.b.Select(o.below(by, o.n(64)), o.shr(v.mantissa, o.and(by, o.n(63))), o.n(0))
	n = o.b.Select(o.zero(v.sign), n, o.sub(o.n(0), n))
	return w.b.Convert(spirv.OpUConvert, w.typ(in.Type), n)
}

// softScale multiplies by a power of two.
func (w *writer) softScale(in *ir.Instr, x []spirv.ID) spirv.ID {
	o, t, v := w.wide(), in.Type, w.apart(in.Type, x[0])
	v.exponent = o.add(v.exponent, w.b.Convert(spirv.OpSConvert, w.typ(vec.I64), x[1]))
	return w.otherwise(w.together(t, v), exception{o.any(v.nan, v.endless), x[0]})
}

// softRound rounds to an integer: what lies behind the point is the lowest bits of the float, to which one is added that carries into
// the bits before.
func (w *writer) softRound(in *ir.Instr, x []spirv.ID) spirv.ID {
	o, t, l, how := words{w, in.Type}, in.Type, layouts[in.Type], vec.Rounding(in.Imm)
	size := w.magnitude(t, x[0])
	negative := o.less(x[0], o.n(0))
	behind := o.sub(o.n(l.mantissa+l.bias), o.shr(size, o.n(l.mantissa))) // as many bits, of a number from 1 on
	small, whole := o.below(size, o.n(l.bias<<l.mantissa)), o.less(behind, o.n(1))
	behind = o.b.Select(o.any(small, whole), o.n(1), behind)
	unit := o.shl(o.n(1), behind)
	rest := o.and(size, o.sub(unit, o.n(1)))
	down := o.sub(size, rest)
	var away, far spirv.ID // whether a number is rounded away from 0; and one below 1, which is not 0
	half := o.shr(unit, o.n(1))
	switch how {
	case vec.Nearest:
		odd := o.same(o.and(down, unit), unit) // for numbers from 1 to 2 that is a bit of the exponent, which is odd
		away = o.any(o.below(half, rest), o.both(o.same(half, rest), odd))
		far = o.below(o.n((l.bias-1)<<l.mantissa), size)
	case vec.Floor:
		away, far = negative, negative
	case vec.Ceil:
		away, far = o.not(negative), o.not(negative)
	case vec.Trunc:
		away, far = w.b.ConstBool(false), w.b.ConstBool(false)
	}
	up := o.b.Select(o.both(away, o.below(o.n(0), rest)), o.add(down, unit), down)
	tiny := o.b.Select(o.both(far, o.below(o.n(0), size)), o.n(l.bias<<l.mantissa), o.n(0))
	y := o.b.Select(small, tiny, o.b.Select(whole, size, up))
	return o.or(y, o.and(x[0], o.n(-1<<(8*t.Bytes()-1))))
}
