package vecmath

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// missed is a result that was rounded to the nearest, and a number with the sign of what it misses. sign has the sign that a
// zero gets when rounding down; 0 for none.
type missed struct{ near, rest, sign vec.Reg }

// directed are the operations of float64 that round in directions. What a result misses is found with operands that are
// multiplied by powers of two, so that nothing overflows or underflows on the way.
var directed = map[vec.Op]func(o floats, x []vec.Reg) missed{
	vec.FAdd:    func(o floats, x []vec.Reg) missed { return o.missedSum(x[0], x[1]) },
	vec.FSub:    func(o floats, x []vec.Reg) missed { return o.missedSum(x[0], o.neg(x[1])) },
	vec.FMul:    func(o floats, x []vec.Reg) missed { return o.missedProduct(x[0], x[1]) },
	vec.FDiv:    func(o floats, x []vec.Reg) missed { return o.missedQuotient(x[0], x[1]) },
	vec.FSqrt:   func(o floats, x []vec.Reg) missed { return o.missedRoot(x[0]) },
	vec.FMulAdd: func(o floats, x []vec.Reg) missed { return o.missedProductSum(x[0], x[1], x[2]) },
}

// Directed emits an operation of float64 that rounds in a direction.
func Directed(b *vec.Builder, op vec.Op, mode vec.Rounding, args []vec.Reg) vec.Reg {
	o := doubles(b)
	m := directed[op](o, args)
	finite := o.finite(args[0])
	for _, x := range args[1:] {
		finite = b.Do(vec.MAnd, vec.NoType, finite, o.finite(x))
	}
	if op == vec.FDiv { // by zero
		finite = b.Do(vec.MAnd, vec.NoType, finite, o.is(args[1], vec.NE, o.num(0)))
	}
	// An infinity that finite numbers give is too much.
	less := o.withSign(o.num(1), o.neg(m.near))
	rest := o.pick(finite, o.pick(o.finite(m.near), m.rest, less), o.num(0))
	if mode == vec.Floor && m.sign != 0 {
		none := b.Do(vec.MAnd, vec.NoType, o.is(m.near, vec.EQ, o.num(0)), o.is(rest, vec.EQ, o.num(0)))
		none = b.Do(vec.MAnd, vec.NoType, none, finite)
		m.near = o.pick(none, o.do(vec.And, m.sign, o.sign()), m.near)
	}
	negative := o.isInt(m.near, vec.LT, o.int(0))
	above, below := o.is(rest, vec.GT, o.num(0)), o.is(rest, vec.LT, o.num(0))
	farther := b.Do(vec.MOr, vec.NoType, b.Do(vec.MAnd, vec.NoType, above, negative), b.Do(vec.MAndNot, vec.NoType, below, negative))
	nearer := b.Do(vec.MOr, vec.NoType, b.Do(vec.MAndNot, vec.NoType, above, negative), b.Do(vec.MAnd, vec.NoType, below, negative))
	return o.towards(mode, m.near, nearer, farther)
}

func (o floats) missedSum(a, b vec.Reg) missed {
	swap := o.is(o.abs(a), vec.LT, o.abs(b))
	great, small := o.pick(swap, b, a), o.pick(swap, a, b)
	s := o.add(a, b)
	return missed{s, o.sub(small, o.sub(s, great)), o.do(vec.Or, a, b)}
}

func (o floats) missedProduct(a, b vec.Reg) missed {
	swap := o.is(o.abs(a), vec.LT, o.abs(b))
	great, small := o.pick(swap, b, a), o.pick(swap, a, b)
	p := o.mul(a, b)
	by := o.pick(o.is(o.abs(p), vec.LT, o.num(0x1p-900)), o.num(0x1p600), o.num(1))
	rest := o.fma(o.mul(small, by), great, o.neg(o.mul(p, by)))
	// Where the product is zero, but no factor, it misses all.
	return missed{near: p, rest: o.pick(o.is(p, vec.EQ, o.num(0)), o.withSign(o.abs(small), p), rest)}
}

func (o floats) missedRoot(a vec.Reg) missed {
	r := o.Do(vec.FSqrt, o.t, a)
	small := o.is(a, vec.LT, o.num(0x1p-500))
	m, s := o.pick(small, o.mul(a, o.num(0x1p600)), a), o.pick(small, o.mul(r, o.num(0x1p300)), r)
	return missed{near: r, rest: o.fma(o.neg(s), s, m)}
}

func (o floats) missedQuotient(a, b vec.Reg) missed {
	q := o.div(a, b)
	x, y, z := o.split(a), o.split(b), o.split(q)
	back := o.do(vec.Sub, o.do(vec.Add, z.exp, y.exp), x.exp)
	rest := o.fma(o.neg(o.scaledBack(z, back)), y.m, x.m)
	return missed{near: q, rest: o.do(vec.Xor, rest, o.do(vec.And, b, o.sign()))}
}

// missedProductSum brings the greater one of product and summand to the exponent 0. The other one may be so small that only
// its sign counts.
func (o floats) missedProductSum(a, b, c vec.Reg) missed {
	r := o.fma(a, b, c)
	w, x, y, z := o.split(a), o.split(b), o.split(c), o.split(r)
	product := o.do(vec.Add, w.exp, x.exp)
	top := o.do(vec.Max, product, y.exp)
	to := func(m, exp vec.Reg) vec.Reg {
		return o.Do(vec.FScale, o.t, m, o.do(vec.Max, o.do(vec.Sub, exp, top), o.int(-200)))
	}
	p := o.exactProduct(w.m, to(x.m, product))
	t := o.exactSum(to(y.m, y.exp), p.lo)
	v := o.exactSum(p.hi, t.hi)
	low := odd(o, o.exactSum(t.lo, v.lo))
	rest := o.add(o.sub(v.hi, o.scaledBack(z, o.do(vec.Sub, z.exp, top))), low)
	return missed{r, rest, o.do(vec.Or, o.do(vec.Xor, a, b), c)}
}

// parts is a number as a mantissa, from 1 to 2 with a sign, and an exponent; zero has one below all others.
type parts struct{ m, exp vec.Reg }

func (o floats) split(x vec.Reg) parts {
	const field, bias, zero = 0x7ff << 52, 1023, -5000
	small := o.is(o.abs(x), vec.LT, o.num(0x1p-1022))
	bits := o.pick(small, o.mul(x, o.num(0x1p54)), x)
	exp := o.do(vec.Sub, o.shift(vec.ShrUImm, o.abs(bits), 52), o.pick(small, o.int(bias+54), o.int(bias)))
	m := o.do(vec.Or, o.Do(vec.AndNot, o.ints(), bits, o.int(field)), o.Bits(o.t, math.Float64bits(1)))
	none := o.is(x, vec.EQ, o.num(0))
	return parts{o.pick(none, x, m), o.pick(none, o.int(zero), exp)}
}

// scaledBack is a number with another exponent.
func (o floats) scaledBack(x parts, exp vec.Reg) vec.Reg {
	return o.pick(o.is(x.m, vec.EQ, o.num(0)), o.num(0), o.Do(vec.FScale, o.t, x.m, exp))
}
