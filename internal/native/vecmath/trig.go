package vecmath

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// Sin emits the sine.
func Sin(b *vec.Builder, x vec.Reg) vec.Reg { return circular(b, x, 0) }

// Cos emits the cosine.
func Cos(b *vec.Builder, x vec.Reg) vec.Reg { return circular(b, x, 1) }

// circular is the sine of x plus some quarters of a turn.
func circular(b *vec.Builder, x vec.Reg, quarters int64) vec.Reg {
	o := singles(b)
	a := angleOf(b, x)
	sin, cos := toSingle(b, a.sin), toSingle(b, a.cos)
	q := b.Convert(vec.Truncate, vec.I32, vec.I64, a.quarters)
	if quarters != 0 {
		q = o.do(vec.Add, q, o.int(quarters))
	}
	odd := o.isInt(o.do(vec.And, q, o.int(1)), vec.NE, o.int(0))
	sign := o.shift(vec.ShlImm, o.do(vec.And, q, o.int(2)), 30)
	return o.do(vec.Xor, o.pick(odd, cos, sin), sign)
}

// Tan emits the tangent.
func Tan(b *vec.Builder, x vec.Reg) vec.Reg {
	d := doubles(b)
	a := angleOf(b, x)
	turned := d.shift(vec.ShlImm, a.quarters, 63)
	odd := d.isInt(turned, vec.NE, d.int(0))
	y := d.div(d.pick(odd, a.cos, a.sin), d.pick(odd, a.sin, a.cos))
	return toSingle(b, d.do(vec.Xor, y, turned))
}

// angle is an angle as quarters of a turn, in the low bits, and the sine and cosine of the rest, of at most an eighth.
type angle struct{ quarters, sin, cos vec.Reg }

// The angle of a quarter as the sum of two float64.
const (
	quarterHigh = 0x1.921fb54442d18p+0
	quarterLow  = 0x1.1a62633145c07p-54
)

// angleOf computes in float64. Products with quarterHigh cancel without a rounding, because float32 have so few bits.
func angleOf(b *vec.Builder, x vec.Reg) angle {
	d := doubles(b)
	far := singles(b).is(singles(b).abs(x), vec.GE, singles(b).num(1<<30))
	x = toDouble(b, x)
	t := d.fma(x, d.num(2/math.Pi), d.num(whole))
	n := d.sub(t, d.num(whole))
	r := d.fma(n, d.num(-quarterLow), d.fma(n, d.num(-quarterHigh), x))
	t, r = set(b, t), set(b, r)
	b.Emit(vec.Instr{Op: vec.IfAny, Src: [3]vec.Reg{far}})
	farT, farR := d.reduceFar(x)
	b.Set(t, d.pick(far, farT, t))
	b.Set(r, d.pick(far, farR, r))
	b.End()
	z := d.mul(r, r)
	sin := d.mul(r, d.poly(z, 1, -0x1.5555554c6ffd8p-3, 0x1.11110868ed7b9p-7, -0x1.a00f7db87e98fp-13, 0x1.6cd1875b14313p-19))
	cos := d.poly(z, 1, -0x1.ffffffcb77a6fp-2, 0x1.55553c744550dp-5, -0x1.6c07efa01bbbbp-10, 0x1.99162dfbb7293p-16)
	return angle{t, sin, cos}
}

// turns are pieces of 1/(2 pi) of 26 bits, the first one of 28: their products with a float32 are exact.
var turns = [...]float64{0x1.45f306cp-3, 0x1.c9c8828p-31, 0x1.29fc27p-58, 0x1.5f47d4p-84, 0x1.a6ee068p-109, 0x1.6c52b3p-135}

// turnsFrom are what the pieces before the third, fourth ... leave of it.
var turnsFrom = [...]float64{3: 0x1.5f47d4d377037p-84, 0x1.a6ee06db14acdp-109, 0x1.6c52b32788721p-135, 0x1.3c439041fe516p-162}

// reduceFar reduces angles of 2^30 and above; it gives quarters like whole plus a number, and the rest.
//
// The product of x and 1/(2 pi) is the sum of those with the pieces. The first of them are whole turns, and do not count:
// which, depends on the exponent of x. Of the next two the whole turns go, which leaves 52 bits of their sum behind the
// point. The third and fourth are too small to need that.
func (o floats) reduceFar(x vec.Reg) (quarters, r vec.Reg) {
	size := o.abs(x)
	var from [3]vec.Reg
	for i := range from {
		from[i] = o.is(size, vec.GE, o.num(math.Ldexp(1, 23+4+26*(i+1))))
	}
	product := func(pieces []float64) vec.Reg {
		c := o.num(pieces[0])
		for i, mask := range from {
			c = o.pick(mask, o.num(pieces[i+1]), c)
		}
		return o.mul(x, c)
	}
	part := func(p vec.Reg) vec.Reg { return o.sub(p, o.nearest(p)) }
	sum := o.add(part(product(turns[:])), part(product(turns[1:])))
	third := product(turns[2:])
	n := o.nearest(o.mul(o.add(sum, third), o.num(4)))
	sum = o.add(o.fma(n, o.num(-0.25), sum), third)
	sum = o.add(sum, product(turnsFrom[3:]))
	return o.add(n, o.num(whole)), o.mul(sum, o.num(2*math.Pi))
}
