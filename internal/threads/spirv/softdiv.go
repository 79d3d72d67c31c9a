package spirv

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// softDiv divides in integers, which are exact everywhere: hardware's quotient of f32 may be off by 2.5 units in the last place, and has
// no bound for divisors beyond 2^126.
func (w *writer) softDiv(in *ir.Instr, x []spirv.ID) spirv.ID {
	o, t, a, b := w.wide(), in.Type, w.apart(in.Type, x[0]), w.apart(in.Type, x[1])
	q := number{sign: o.xor(a.sign, b.sign), exponent: o.sub(a.exponent, b.exponent)}
	divisor := o.b.Select(o.none(b), o.n(-1<<63), b.mantissa)
	if t == vec.F64 {
		q.mantissa = w.longQuotient(a.mantissa, divisor)
	} else { // of 24 bits by 24 bits: 39 or 40 bits, and whether there is a rest
		n, d := o.shr(a.mantissa, o.n(1)), o.shr(divisor, o.n(40))
		m := o.div(n, d)
		q.mantissa = o.jam(o.shl(m, o.n(24)), o.sub(n, o.mul(m, d)))
	}
	endless, zero := o.any(a.endless, o.none(b)), o.any(b.endless, o.none(a))
	return w.otherwise(w.together(t, w.normal(q)),
		exception{o.any(o.any(a.nan, b.nan), o.both(endless, zero)), w.quiet(t)},
		exception{endless, w.endlessly(t, q.sign)},
		exception{zero, w.signed(t, q.sign, o.n(0))})
}

// longQuotient divides mantissas of 53 bits by digits of 11 bits: the remainder has 53, so that with a digit more it has no more than 64.
func (w *writer) longQuotient(x, y spirv.ID) spirv.ID {
	o := w.wide()
	r, d := o.shr(x, o.n(11)), o.shr(y, o.n(11))
	q := o.div(r, d) // 0 or 1
	r = o.sub(r, o.mul(q, d))
	for range 5 {
		r = o.shl(r, o.n(11))
		digit := o.div(r, d)
		r = o.sub(r, o.mul(digit, d))
		q = o.or(o.shl(q, o.n(11)), digit)
	}
	return o.jam(o.shl(q, o.n(8)), r) // bit 55, which stands for 1, becomes bit 63
}

// softSqrt takes square roots bit by bit: each is set if the square does not get greater than the number.
func (w *writer) softSqrt(in *ir.Instr, x []spirv.ID) spirv.ID {
	o, t, v := w.wide(), in.Type, w.apart(in.Type, x[0])
	n := layouts[t].mantissa + 3 // bits of the root
	odd := o.and(v.exponent, o.n(1))
	square := o.shr(v.mantissa, o.sub(o.n(1), odd)) // from 1 to 4, bit 62 being 1
	last := w.b.Loop([]spirv.ID{o.n(n), square, o.n(0), o.n(0)}, func(l *spirv.Loop, c []spirv.ID) []spirv.ID {
		left, square, rest, root := c[0], c[1], c[2], c[3]
		l.BreakUnless(o.below(o.n(0), left), rest, root)
		rest = o.or(o.shl(rest, o.n(2)), o.shr(square, o.n(62)))
		next := o.or(o.shl(root, o.n(2)), o.n(1))
		fits := o.not(o.below(rest, next))
		rest = o.b.Select(fits, o.sub(rest, next), rest)
		root = o.or(o.shl(root, o.n(1)), o.one(fits))
		return []spirv.ID{o.sub(left, o.n(1)), o.shl(square, o.n(2)), rest, root}
	})
	root := number{sign: v.sign, exponent: o.sar(v.exponent, o.n(1)), mantissa: o.jam(o.shl(last[1], o.n(64-n)), last[0])}
	wrong := o.both(o.same(v.sign, o.n(1)), o.not(o.none(v)))
	return w.otherwise(w.together(t, root),
		exception{o.any(v.nan, wrong), w.quiet(t)},
		exception{v.endless, x[0]})
}
