package vecmath

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// The number ln 2 as a sum whose first term has so few bits that its products with exponents are exact, and as a pair.
const (
	ln2Part    = 0x1.62e42fefa38p-1
	ln2PartLow = 0x1.ef35793c7673p-45
	ln2Hi      = 0x1.62e42fefa39efp-1
	ln2Lo      = 0x1.abc9e3b39803fp-56
)

// Exp64 emits e^x of float64.
func Exp64(b *vec.Builder, x vec.Reg) vec.Reg {
	d := doubles(b)
	return d.rounded(d.expOf(d.exact(d.clamp(x, -800, 800))))
}

// Exp2Of64 emits 2^x of float64.
func Exp2Of64(b *vec.Builder, x vec.Reg) vec.Reg {
	d := doubles(b)
	x = d.clamp(x, -1200, 1200)
	n := d.nearest(x)
	return d.rounded(d.expNear(d.scaled(d.constant(ln2Hi, ln2Lo), d.sub(x, n))), n)
}

// expOf is e^x for |x| up to 1000, as a number from 0.7 to 1.42 and a power of two.
func (o floats) expOf(x pair) (y pair, n vec.Reg) {
	n = o.nearest(o.mul(x.hi, o.num(math.Log2E)))
	p := o.exactProduct(n, o.num(ln2PartLow))
	s := o.exactSum(o.fma(n, o.num(-ln2Part), x.hi), o.neg(p.hi))
	return o.expNear(o.fastSum(s.hi, o.add(s.lo, o.sub(x.lo, p.lo)))), n
}

// expNear is e^r for |r| up to ln(2)/2: e^(r/8) - 1 is a short series, of which 1 + t is squared three times.
func (o floats) expNear(r pair) pair {
	r = pair{o.mul(r.hi, o.num(0.125)), o.mul(r.lo, o.num(0.125))}
	square := o.times(r, r)
	half := pair{o.mul(square.hi, o.num(0.5)), o.mul(square.lo, o.num(0.5))}
	half.lo = o.fma(o.mul(square.hi, r.hi), o.poly(r.hi, factorials(3, 1, 8, 1)...), half.lo)
	t := o.plusSmall(r, half)
	for range 3 {
		t = o.plusSmall(o.doubled(t), o.times(t, t))
	}
	return o.plusSmall(o.exact(o.num(1)), t)
}

// log64 is a float64 as 2^n times a number from the root of a half to that of two, whose logarithm is y. Numbers that are
// not positive and finite are rare, and have no logarithm here.
func (o floats) log64(x vec.Reg) (n vec.Reg, y pair, rare vec.Reg) {
	const normal, bias = 1 << 52, 1023
	rare = o.isInt(o.do(vec.Sub, x, o.int(normal)), vec.UGE, o.int(0x7fe<<52))
	bits, less := set(o.Builder, x), set(o.Builder, o.num(0))
	o.Emit(vec.Instr{Op: vec.IfAny, Src: [3]vec.Reg{rare}})
	small := o.is(x, vec.LT, o.num(0x1p-1022))
	o.Set(bits, o.pick(small, o.mul(x, o.num(0x1p54)), x))
	o.Set(less, o.pick(small, o.num(54), o.num(0)))
	o.End()
	k := o.do(vec.Sub, bits, o.Bits(o.ints(), o.bits(math.Sqrt2/2)))
	f := o.sub(o.do(vec.Sub, bits, o.do(vec.And, k, o.int(-normal))), o.num(1))
	e := o.shift(vec.ShrUImm, o.do(vec.Add, k, o.int(bias<<52)), 52)
	e = o.sub(o.do(vec.Or, e, o.Bits(o.t, o.bits(1<<52))), o.num(1<<52+bias))
	return o.sub(e, less), o.logNear(f), rare
}

// logNear is log(1+f), for 1+f from the root of a half to that of two: twice the inverse hyperbolic tangent of f/(2+f).
func (o floats) logNear(f vec.Reg) pair {
	s := o.over(o.exact(f), o.fastSum(o.num(2), f))
	z := o.times(s, s)
	t := o.series(z, []pair{o.ratio(1, 3), o.ratio(1, 5), o.ratio(1, 7)}, odds(9, 10, 1)...)
	return o.doubled(o.plusSmall(s, o.times(s, t)))
}

// log is the natural logarithm of 2^n e^y.
func (o floats) log(n vec.Reg, y pair) pair {
	return o.plusSmall(o.scaled(o.constant(ln2Hi, ln2Lo), n), y)
}

// Log64 emits the natural logarithm of float64.
func Log64(b *vec.Builder, x vec.Reg) vec.Reg {
	d := doubles(b)
	n, y, rare := d.log64(x)
	return logParts{rare: rare}.special(d, x, d.log(n, y).hi)
}

// Log2Of64 emits the logarithm of float64 to the base of 2.
func Log2Of64(b *vec.Builder, x vec.Reg) vec.Reg {
	d := doubles(b)
	n, y, rare := d.log64(x)
	y = d.plusSmall(d.exact(n), d.times(y, d.constant(0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56)))
	return logParts{rare: rare}.special(d, x, y.hi)
}

// PowF64 emits x^y of float64 as C defines it.
func PowF64(b *vec.Builder, x, y vec.Reg) vec.Reg {
	d := doubles(b)
	n, l, _ := d.log64(d.abs(x))
	p := d.scaled(d.log(n, l), d.clamp(y, -0x1p70, 0x1p70))
	inside := d.is(d.abs(p.hi), vec.LT, d.num(800))
	p = pair{d.clamp(p.hi, -800, 800), d.pick(inside, p.lo, d.num(0))}
	return powSpecial(d, x, y, d.rounded(d.expOf(p)))
}

// Rsqrt64 emits 1/sqrt(x) of float64: the inverse of the root and of what the root misses.
func Rsqrt64(b *vec.Builder, x vec.Reg) vec.Reg {
	d := doubles(b)
	small := d.is(x, vec.LT, d.num(0x1p-900)) // where products underflow
	m := d.pick(small, d.mul(x, d.num(0x1p200)), x)
	r := d.Do(vec.FSqrt, d.t, m)
	s := pair{r, d.div(d.fma(d.neg(r), r, m), d.add(r, r))}
	y := d.over(d.exact(d.num(1)), s).hi
	y = d.pick(small, d.mul(y, d.num(0x1p100)), y)
	usual := b.Do(vec.MAnd, vec.NoType, d.is(x, vec.GT, d.num(0)), d.is(x, vec.LT, d.num(math.Inf(1))))
	return d.pick(usual, y, d.div(d.num(1), d.Do(vec.FSqrt, d.t, x)))
}
