package vecmath

import (
	"math"
	"math/big"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// The functions of float64 have errors of less than 0.51 units in the last place: they compute what decides the last bit
// with pairs, and round once.

// pair is a number as the sum of two float64, of which the second is at most half a unit in the last place of the first:
// about 106 bits.
type pair struct{ hi, lo vec.Reg }

// exact is a float64 as a pair.
func (o floats) exact(x vec.Reg) pair { return pair{x, o.num(0)} }

// constant is a number that is given as the sum of two.
func (o floats) constant(hi, lo float64) pair { return pair{o.num(hi), o.num(lo)} }

// ratio is the number n/d.
func (o floats) ratio(n, d int64) pair {
	x := big.NewRat(n, d)
	hi, _ := x.Float64()
	lo, _ := x.Sub(x, new(big.Rat).SetFloat64(hi)).Float64()
	return o.constant(hi, lo)
}

// fastSum adds exactly where a is not the smaller one.
func (o floats) fastSum(a, b vec.Reg) pair {
	s := o.add(a, b)
	return pair{s, o.sub(b, o.sub(s, a))}
}

// exactSum adds exactly.
func (o floats) exactSum(a, b vec.Reg) pair {
	s := o.add(a, b)
	t := o.sub(s, a)
	return pair{s, o.add(o.sub(a, o.sub(s, t)), o.sub(b, t))}
}

// exactProduct multiplies exactly, where nothing underflows.
func (o floats) exactProduct(a, b vec.Reg) pair {
	p := o.mul(a, b)
	return pair{p, o.fma(a, b, o.neg(p))}
}

// plusSmall is x + y, where y is not the greater one.
func (o floats) plusSmall(x, y pair) pair {
	s := o.fastSum(x.hi, y.hi)
	return o.fastSum(s.hi, o.add(s.lo, o.add(x.lo, y.lo)))
}

func (o floats) times(x, y pair) pair {
	p := o.exactProduct(x.hi, y.hi)
	return o.fastSum(p.hi, o.fma(x.lo, y.hi, o.fma(x.hi, y.lo, p.lo)))
}

// scaled is x times a float64.
func (o floats) scaled(x pair, y vec.Reg) pair {
	p := o.exactProduct(x.hi, y)
	return o.fastSum(p.hi, o.fma(x.lo, y, p.lo))
}

func (o floats) over(x, y pair) pair {
	q := o.div(x.hi, y.hi)
	minus := o.neg(q)
	rest := o.fma(minus, y.lo, o.add(o.fma(minus, y.hi, x.hi), x.lo))
	return o.fastSum(q, o.div(rest, y.hi))
}

func (o floats) negated(x pair) pair { return pair{o.neg(x.hi), o.neg(x.lo)} }

// doubled is 2x.
func (o floats) doubled(x pair) pair { return pair{o.add(x.hi, x.hi), o.add(x.lo, x.lo)} }

// pickPair selects pairs.
func (o floats) pickPair(m vec.Reg, x, y pair) pair {
	return pair{o.pick(m, x.hi, y.hi), o.pick(m, x.lo, y.lo)}
}

// series is z times the polynomial of z whose first coefficients are pairs, followed by float64.
func (o floats) series(z pair, first []pair, rest ...float64) pair {
	last := len(first) - 1
	v := o.fastSum(first[last].hi, o.mul(z.hi, o.poly(z.hi, rest...)))
	v.lo = o.add(v.lo, first[last].lo)
	for i := last - 1; i >= 0; i-- {
		v = o.plusSmall(first[i], o.times(z, v))
	}
	return o.times(z, v)
}

// rounded is x times 2^n, rounded once, for x from 2^-30 to 2^30 and an integer n from -1200 on, which may be NaN if x is.
func (o floats) rounded(x pair, n vec.Reg) vec.Reg {
	y := set(o.Builder, o.scale(x.hi, n))
	small := o.is(y, vec.LT, o.num(0x1p-1022))
	o.Emit(vec.Instr{Op: vec.IfAny, Src: [3]vec.Reg{small}})
	o.Set(y, o.pick(small, o.scale(o.subnormal(x, n), n), y))
	o.End()
	return y
}

// subnormal is the multiple of the least float64 over 2^n that is nearest to x: the one that is nearest to x.hi, unless that
// is in the middle between two, when x.lo decides.
func (o floats) subnormal(x pair, n vec.Reg) vec.Reg {
	unit := o.power64(o.sub(o.num(-1074), n))
	round, half, zero := o.mul(unit, o.num(1<<52)), o.mul(unit, o.num(0.5)), o.num(0)
	near := o.sub(o.add(x.hi, round), round)
	lost := o.sub(x.hi, near)
	both := func(a, b vec.Reg) vec.Reg { return o.Do(vec.MAnd, vec.NoType, a, b) }
	up := both(o.is(lost, vec.EQ, half), o.is(x.lo, vec.GT, zero))
	down := both(o.is(lost, vec.EQ, o.neg(half)), o.is(x.lo, vec.LT, zero))
	return o.pick(up, o.add(near, unit), o.pick(down, o.sub(near, unit), near))
}

// factorials gives the coefficients sign^k/(first+step*k)!, as many as are asked for.
func factorials(first, step, n int, sign float64) []float64 {
	out := make([]float64, n)
	for k := range out {
		f, _ := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).MulRange(1, int64(first+step*k))).Float64()
		out[k] = math.Pow(sign, float64(k)) * f
	}
	return out
}

// odds gives the coefficients sign^k/(first+2k).
func odds(first, n int, sign float64) []float64 {
	out := make([]float64, n)
	for k := range out {
		out[k] = math.Pow(sign, float64(k)) / float64(first+2*k)
	}
	return out
}
