package cpu

import (
	"math"
	"sync"
)

// The functions of float64 here and in trig64.go have errors of less than 0.51 units in the last place: they reduce the
// argument until a short series with a table's entry is good to 2^-66, keep what a float64 cannot hold in a second
// one, and round once.

// powersOf2 are 2^(i/64).
var powersOf2 = sync.OnceValue(func() *[64]double {
	t := &[64]double{{hi: 1}}
	var step double // 2^(1/64)
	for n, term := 1, (double{hi: 1}); n < 20; n++ {
		term = term.times(ln2).scaled(1. / 64).over(double{hi: float64(n)})
		step = step.plus(term)
	}
	step = step.plus(double{hi: 1})
	for i := 1; i < len(t); i++ {
		t[i] = t[i-1].times(step)
	}
	return t
})

// expNear gives e^r times 2^(k/64) for |r| <= ln(2)/128, as a number from 1 to 2 and an exponent.
func expNear(r double, k int) (double, int) {
	h, t := r.hi, powersOf2()[k&63]
	rest := h * h * (1./2 + h*(1./6+h*(1./24+h*(1./120+h*(1./720+h*(1./5040))))))
	rest += r.lo + float64(r.lo*h)
	p := exactProduct(t.hi, h)
	s := fastSum(t.hi, p.hi)
	return fastSum(s.hi, s.lo+(p.lo+(float64(t.hi*rest)+float64(t.lo*(1+h))))), k >> 6
}

// expOf gives e^x for |x| < 1000.
func expOf(x double) (double, int) {
	const high = 0x1.62e42fep-7 // of ln(2)/64, so short that products with k are exact
	const low = 0x1.f473de6af278fp-36
	const last = math.Ln2/64 - high - low
	k := math.RoundToEven(x.hi * (64 / math.Ln2))
	p := exactProduct(k, -low)
	s := exactSum(x.hi-float64(k*high), p.hi)
	return expNear(fastSum(s.hi, s.lo+(p.lo+(x.lo-float64(k*last)))), int(k))
}

func exp64(x float64) float64 {
	if !(math.Abs(x) < 750) {
		return math.Exp(x) // 0, infinity or NaN
	}
	y, e := expOf(double{hi: x})
	return y.rounded(e)
}

func exp2of64(x float64) float64 {
	if !(math.Abs(x) < 1100) {
		return math.Exp2(x)
	}
	k := math.RoundToEven(x * 64)
	y, e := expNear(ln2.scaled(x-k/64), int(k))
	return y.rounded(e)
}

// logarithms are those of i/256 from 1/sqrt(2) to sqrt(2).
var logarithms = sync.OnceValue(func() *[364]double {
	t := new([364]double)
	var inverse []float64 // 2/(2n+1), the last first
	for n := 24; n >= 0; n-- {
		inverse = append(inverse, float64(2*n+1))
	}
	for i := 181; i < len(t); i++ {
		s := double{hi: float64(i - 256)}.over(double{hi: float64(i + 256)})
		square, sum := s.times(s), double{}
		for _, n := range inverse {
			sum = sum.times(square).plus(double{hi: 2}.over(double{hi: n}))
		}
		t[i] = sum.times(s)
	}
	return t
})

// logOf gives the logarithm of a finite x > 0 without its exponent, which comes second.
func logOf(x float64) (double, int) {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	i := math.RoundToEven(m * 256)
	near := i / 256
	s := double{hi: m - near}.over(exactSum(m, near)) // log(m/near) = 2 atanh(s), and |s| < 2^-9
	q := s.hi * s.hi
	rest := 2 * s.hi * q * (1./3 + q*(1./5+q*(1./7)))
	return logarithms()[int(i)].plus(fastSum(2*s.hi, 2*s.lo+rest)), e
}

func log64(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log(x)
	}
	y, e := logOf(x)
	return ln2.scaled(float64(e)).plus(y).hi
}

func log2of64(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log2(x)
	}
	y, e := logOf(x)
	return double{hi: float64(e)}.plus(y.times(log2e)).hi
}

// pow64 is x^y as in C: for negative x the exponent must be an integer.
func pow64(x, y float64) float64 {
	if x == 0 || y == 0 || x == 1 || x-x != 0 || y-y != 0 {
		return math.Pow(x, y)
	}
	negative := false
	if x < 0 {
		if y != math.Trunc(y) {
			return math.NaN()
		}
		negative = math.Abs(y) < 1<<53 && math.Mod(y, 2) != 0
	}
	l, e := logOf(math.Abs(x))
	l = ln2.scaled(float64(e)).plus(l)
	r := math.Inf(1)
	switch p := l.hi * y; {
	case p < -750:
		r = 0
	case p < 750:
		power, e := expOf(l.scaled(y))
		r = power.rounded(e)
	}
	if negative {
		return -r
	}
	return r
}

// hyperbolic gives sinh and cosh of 0 <= x < 750, both without a power of two.
func hyperbolic(x float64) (sinh, cosh double, exp int) {
	if x < 0.1 {
		q := x * x
		s := x * q * (1./6 + q*(1./120+q*(1./5040+q*(1./362880+q*(1./39916800)))))
		c := q * (1./24 + q*(1./720+q*(1./40320+q*(1./3628800))))
		half := exactProduct(x, x/2)
		return fastSum(x, s), double{hi: 1}.plus(half).plus(double{hi: q * c}), 0
	}
	up, e := expOf(double{hi: x})
	down := double{hi: math.Ldexp(1, -2*e)}.over(up) // e^-x with the exponent of e^x
	return up.minus(down), up.plus(down), e - 1
}

func sinh64(x float64) float64 {
	if !(math.Abs(x) < 750) || x == 0 {
		return math.Sinh(x)
	}
	s, _, e := hyperbolic(math.Abs(x))
	return math.Copysign(s.rounded(e), x)
}

func cosh64(x float64) float64 {
	if !(math.Abs(x) < 750) {
		return math.Cosh(x)
	}
	_, c, e := hyperbolic(math.Abs(x))
	return c.rounded(e)
}

func tanh64(x float64) float64 {
	if !(math.Abs(x) < 22) || x == 0 {
		return math.Tanh(x)
	}
	s, c, _ := hyperbolic(math.Abs(x))
	return math.Copysign(s.over(c).hi, x)
}

func rsqrt64(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return 1 / math.Sqrt(x)
	}
	m, e := math.Frexp(x)
	if e&1 == 1 {
		m, e = m/2, e+1
	}
	r := math.Sqrt(m)
	s := double{r, math.FMA(-r, r, m) / (2 * r)}
	return double{hi: 1}.over(s).rounded(-e / 2)
}
