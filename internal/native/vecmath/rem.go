package vecmath

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// RemF emits the remainder of x/y with the sign of x, as C's fmod: it is exact. The quotient of float64 is exact below
// 2^29, but for an integer that may be one too large. Where it is greater, multiples of y are subtracted first.
func RemF(b *vec.Builder, x, y vec.Reg) vec.Reg {
	const huge = 0x1p400 // stands for infinity, which leaves x as it is
	const step, steps = 28, 10
	d := doubles(b)
	dx := toDouble(b, x)
	r := set(b, d.abs(dx))
	m := d.Do(vec.FMin, d.t, d.num(huge), d.abs(toDouble(b, y)))
	far := d.is(r, vec.GE, d.mul(m, d.num(1<<step)))
	b.Emit(vec.Instr{Op: vec.IfAny, Src: [3]vec.Reg{far}})
	for i := steps - 1; i > 0; i-- {
		multiple := d.mul(m, d.num(math.Ldexp(1, step*i)))
		b.Emit(vec.Instr{Op: vec.IfAny, Src: [3]vec.Reg{d.is(r, vec.GE, multiple)}})
		b.Set(r, d.rest(r, multiple))
		b.End()
	}
	b.End()
	return toSingle(b, d.withSign(d.rest(r, m), dx))
}

// rest is what dividing a number by another one leaves.
func (o floats) rest(r, m vec.Reg) vec.Reg {
	q := o.trunc(o.div(r, m))
	s := o.fma(o.neg(q), m, r)
	return o.pick(o.is(s, vec.LT, o.num(0)), o.add(s, m), s)
}

// RemF64 emits the remainder of float64 x/y with the sign of x, as C's fmod: it is exact. Quotients below 2^52 are exact,
// but for an integer that may be one too large. Where it is greater, multiples of y are subtracted first.
func RemF64(b *vec.Builder, x, y vec.Reg) vec.Reg {
	const step, steps = 50, 42 // quotients are below 2^2099
	const most = 1000          // a multiple of step up to which powers of two are float64
	d := doubles(b)
	r := set(b, d.abs(x))
	m := d.abs(y)
	far := d.is(r, vec.GE, d.mul(m, d.num(1<<step)))
	b.Emit(vec.Instr{Op: vec.IfAny, Src: [3]vec.Reg{far}})
	for i := steps - 1; i > 0; i-- {
		multiple := m
		for exp := step * i; exp > 0; exp -= most {
			multiple = d.mul(multiple, d.num(math.Ldexp(1, min(exp, most))))
		}
		above := d.is(r, vec.GE, multiple) // of a number that is too large to have this multiple it is infinite
		b.Emit(vec.Instr{Op: vec.IfAny, Src: [3]vec.Reg{above}})
		b.Set(r, d.pick(above, d.rest(r, multiple), r))
		b.End()
	}
	b.End()
	keeps := b.Do(vec.MAnd, vec.NoType, d.is(m, vec.EQ, d.num(math.Inf(1))), d.finite(x))
	return d.withSign(d.pick(keeps, d.abs(x), d.rest(r, m)), x)
}
