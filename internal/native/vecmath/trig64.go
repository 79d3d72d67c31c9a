package vecmath

import (
	"math"
	"math/big"
	"sync"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// Sin64 emits the sine of float64.
func Sin64(b *vec.Builder, x vec.Reg) vec.Reg {
	d := doubles(b)
	y := d.circular64(d.angle64(d.abs(x)), 0)
	return d.pick(d.finite(x), d.do(vec.Xor, y, d.do(vec.And, x, d.sign())), d.num(math.NaN()))
}

// Cos64 emits the cosine of float64.
func Cos64(b *vec.Builder, x vec.Reg) vec.Reg {
	d := doubles(b)
	return d.pick(d.finite(x), d.circular64(d.angle64(d.abs(x)), 1), d.num(math.NaN()))
}

// Tan64 emits the tangent of float64.
func Tan64(b *vec.Builder, x vec.Reg) vec.Reg {
	d := doubles(b)
	a := d.angle64(d.abs(x))
	turned := d.shift(vec.ShlImm, a.quarters, 63)
	odd := d.isInt(turned, vec.NE, d.int(0))
	y := d.over(d.pickPair(odd, a.cos, a.sin), d.pickPair(odd, a.sin, a.cos)).hi
	y = d.do(vec.Xor, d.do(vec.Xor, y, turned), d.do(vec.And, x, d.sign()))
	return d.pick(d.finite(x), y, d.num(math.NaN()))
}

// finite tells which numbers are not infinite or NaN.
func (o floats) finite(x vec.Reg) vec.Reg { return o.is(o.abs(x), vec.LT, o.num(math.Inf(1))) }

// angle64 is an angle as quarters of a turn, in the low bits, and the sine and cosine of the rest, of at most an eighth.
type angle64 struct {
	quarters vec.Reg
	sin, cos pair
}

// circular64 is the sine of an angle plus some quarters of a turn.
func (o floats) circular64(a angle64, quarters int64) vec.Reg {
	q := o.do(vec.Add, a.quarters, o.int(quarters))
	odd := o.isInt(o.do(vec.And, q, o.int(1)), vec.NE, o.int(0))
	sign := o.shift(vec.ShlImm, o.do(vec.And, q, o.int(2)), 62)
	return o.do(vec.Xor, o.pick(odd, a.cos.hi, a.sin.hi), sign)
}

// angle64 reduces an angle from 0 on and computes its sine and cosine.
func (o floats) angle64(x vec.Reg) angle64 {
	far := o.is(x, vec.GE, o.num(1<<30))
	q, r := o.reduceNear64(x)
	q, hi, lo := set(o.Builder, q), set(o.Builder, r.hi), set(o.Builder, r.lo)
	o.Emit(vec.Instr{Op: vec.IfAny, Src: [3]vec.Reg{far}})
	farQ, farR := o.reduceFar64(x)
	o.Set(q, o.pick(far, farQ, q))
	o.Set(hi, o.pick(far, farR.hi, hi))
	o.Set(lo, o.pick(far, farR.lo, lo))
	o.End()
	r = pair{hi, lo}
	z := o.times(r, r)
	s := o.series(z, []pair{o.ratio(-1, 6), o.ratio(1, 120)}, negated(factorials(7, 2, 8, -1))...)
	c := o.series(z, []pair{o.ratio(-1, 2), o.ratio(1, 24)}, negated(factorials(6, 2, 9, -1))...)
	return angle64{q, o.plusSmall(r, o.times(r, s)), o.plusSmall(o.exact(o.num(1)), c)}
}

func negated(list []float64) []float64 {
	for i := range list {
		list[i] = -list[i]
	}
	return list
}

// The angle of a quarter as the sum of three float64; the first two are those of [quarterHigh] and [quarterLow].
const quarterLowest = -0x1.f1976b7ed8fbcp-110

// reduceNear64 reduces angles below 2^30, of which the product with quarterHigh nearly cancels.
func (o floats) reduceNear64(x vec.Reg) (quarters vec.Reg, r pair) {
	t := o.fma(x, o.num(2/math.Pi), o.num(whole))
	n := o.sub(t, o.num(whole))
	p, low := o.exactProduct(n, o.num(quarterHigh)), o.exactProduct(n, o.num(quarterLow))
	s := o.exactSum(o.sub(x, p.hi), o.neg(p.lo))
	u := o.exactSum(s.hi, o.neg(low.hi))
	rest := o.sub(o.add(s.lo, u.lo), o.fma(n, o.num(quarterLowest), low.lo))
	return t, o.fastSum(u.hi, rest)
}

// twoOverPi are the bits of 2/pi behind the point, after 64 zeros: as many as the largest float64 needs.
var twoOverPi = sync.OnceValue(func() *[twoOverPiWords]uint64 {
	const prec = 64 * twoOverPiWords
	arctan := func(n int64) *big.Float { // of 1/n
		sum, square := new(big.Float).SetPrec(prec), new(big.Float).SetPrec(prec).SetInt64(-n*n)
		power := new(big.Float).SetPrec(prec).Quo(big.NewFloat(1), new(big.Float).SetPrec(prec).SetInt64(n))
		for k := int64(1); power.MantExp(nil) > -prec; k += 2 {
			sum.Add(sum, new(big.Float).SetPrec(prec).Quo(power, new(big.Float).SetPrec(prec).SetInt64(k)))
			power.Quo(power, square)
		}
		return sum
	}
	quarter := new(big.Float).SetPrec(prec).Mul(big.NewFloat(4), arctan(5)) // Machin
	quarter.Sub(quarter, arctan(239))
	f := new(big.Float).SetPrec(prec).Quo(big.NewFloat(0.5), quarter)
	t := new([twoOverPiWords]uint64)
	for i := 1; i < len(t); i++ {
		f.SetMantExp(f, 64)
		t[i], _ = f.Uint64()
		f.Sub(f, new(big.Float).SetUint64(t[i]))
	}
	return t
})

// The first bit of 2/pi that matters for an angle is in one of the first farWords words.
const (
	farWords       = 17
	twoOverPiWords = farWords + 6
)

// reduceFar64 reduces angles of 2^30 and above: m 2^e, where m is an integer. Bits of 2/pi that give multiples of four
// quarters do not count: which, depends on e. Of those from there on 192 are enough.
func (o floats) reduceFar64(x vec.Reg) (quarters vec.Reg, r pair) {
	m := o.do(vec.Or, o.do(vec.And, x, o.int(1<<52-1)), o.int(1<<52))
	at := o.do(vec.Sub, o.shift(vec.ShrUImm, x, 52), o.int(1075-62))
	word, shift := o.shift(vec.ShrUImm, at, 6), o.do(vec.And, at, o.int(63))
	var t [4]vec.Reg
	for i := range t {
		t[i] = o.Bits(o.t, twoOverPi()[i])
	}
	for k := 1; k < farWords; k++ {
		here := o.isInt(word, vec.EQ, o.int(int64(k)))
		for i := range t {
			t[i] = o.pick(here, o.Bits(o.t, twoOverPi()[k+i]), t[i])
		}
	}
	var w [3]vec.Reg
	back := o.do(vec.Sub, o.int(64), shift)
	for i := range w {
		w[i] = o.do(vec.Or, o.do(vec.Shl, t[i], shift), o.do(vec.ShrU, t[i+1], back))
	}
	return o.fraction64(o.product192(m, w))
}

// product192 is the product modulo 2^192 of a word and three, the upper one first.
func (o floats) product192(m vec.Reg, w [3]vec.Reg) (l [3]vec.Reg) {
	l[2] = o.do(vec.Mul, m, w[2])
	low, up := o.do(vec.Mul, m, w[1]), o.do(vec.MulHiU, m, w[2])
	l[1] = o.do(vec.Add, low, up)
	carry := o.pick(o.isInt(l[1], vec.ULT, low), o.int(1), o.int(0))
	l[0] = o.do(vec.Add, o.do(vec.Add, o.do(vec.Mul, m, w[0]), o.do(vec.MulHiU, m, w[1])), carry)
	return l
}

// fraction64 gives the quarters that 192 bits stand for, of which 190 are behind the point, and the angle that the rest is.
func (o floats) fraction64(l [3]vec.Reg) (quarters vec.Reg, r pair) {
	half := o.do(vec.And, o.shift(vec.ShrUImm, l[0], 61), o.int(1)) // the next multiple is nearer
	quarters = o.do(vec.Add, o.shift(vec.ShrUImm, l[0], 62), half)
	all := o.do(vec.Sub, o.int(0), half)
	for i := range l { // 1 - x, but for the last bit
		l[i] = o.do(vec.Xor, l[i], all)
	}
	piece := func(bits vec.Reg, exp int) vec.Reg {
		return o.mul(o.Convert(vec.FromInt, o.t, o.ints(), bits), o.num(math.Ldexp(1, exp)))
	}
	bits := func(x vec.Reg, from, n int64) vec.Reg { // n of them
		return o.shift(vec.ShrUImm, o.shift(vec.ShlImm, x, 64-from-n), 64-n)
	}
	a := piece(bits(l[0], 9, 53), -53)
	c := piece(o.do(vec.Or, o.shift(vec.ShlImm, bits(l[0], 0, 9), 44), bits(l[1], 20, 44)), -106)
	e := piece(o.do(vec.Or, o.shift(vec.ShlImm, bits(l[1], 0, 20), 33), bits(l[2], 31, 33)), -159)
	s := o.fastSum(a, c)
	s = o.times(o.fastSum(s.hi, o.add(s.lo, e)), o.constant(quarterHigh, quarterLow))
	sign := o.shift(vec.ShlImm, half, 63)
	return quarters, pair{o.do(vec.Xor, s.hi, sign), o.do(vec.Xor, s.lo, sign)}
}
