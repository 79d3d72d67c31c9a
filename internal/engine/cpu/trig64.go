package cpu

import (
	"math"
	"math/big"
	"math/bits"
	"sync"
)

// sines are the sine and cosine of i/64 up to pi/4.
var sines = sync.OnceValue(func() *[52][2]double {
	t := new([52][2]double)
	for i := range t {
		x := double{hi: float64(i) / 64}
		sin, cos := double{}, double{}
		for n, term := 0, (double{hi: 1}); n < 30; n++ { // the terms of e^(ix)
			switch n % 4 {
			case 0:
				cos = cos.plus(term)
			case 1:
				sin = sin.plus(term)
			case 2:
				cos = cos.minus(term)
			case 3:
				sin = sin.minus(term)
			}
			term = term.times(x).over(double{hi: float64(n + 1)})
		}
		t[i] = [2]double{sin, cos}
	}
	return t
})

// turn is an angle from 0 to pi/4: i/64, whose sine and cosine a table has, and a rest of at most 1/128, which is h and
// something smaller. sin is the sine of the rest without h, cos its cosine without 1.
type turn struct {
	i           int
	h, sin, cos float64
}

func turnOf(x double) turn {
	i := math.RoundToEven(x.hi * 64)
	d := exactSum(x.hi-i/64, x.lo)
	h, q := d.hi, d.hi*d.hi
	sin := h*q*(-1./6+q*(1./120+q*(-1./5040))) + d.lo
	cos := q*(-1./2+q*(1./24+q*(-1./720))) - float64(h*d.lo)
	return turn{int(i), h, sin, cos}
}

func (a turn) sine() double {
	if a.i == 0 {
		return fastSum(a.h, a.sin)
	}
	t := &sines()[a.i]
	return rotated(t[0], t[1], a.h, a.sin, a.cos)
}

func (a turn) cosine() double {
	if a.i == 0 {
		return fastSum(1, a.cos)
	}
	t := &sines()[a.i]
	return rotated(t[1], t[0].negated(), a.h, a.sin, a.cos)
}

// rotated is u times (1 + c) plus v times (h + s), where c and s are small.
func rotated(u, v double, h, s, c float64) double {
	p := exactProduct(v.hi, h)
	sum := fastSum(u.hi, p.hi)
	return fastSum(sum.hi, sum.lo+(u.lo+(p.lo+(float64(v.lo*h)+(float64(v.hi*s)+float64(u.hi*c))))))
}

// twoOverPi are the bits of 2/pi behind the point, after 64 zeros: as many as the largest float64 needs.
var twoOverPi = sync.OnceValue(func() *[23]uint64 {
	const prec = 64*22 + 64
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
	t := new([23]uint64)
	for i := 1; i < len(t); i++ {
		f.SetMantExp(f, 64)
		t[i], _ = f.Uint64()
		f.Sub(f, new(big.Float).SetUint64(t[i]))
	}
	return t
})

// reduced gives the distance of a finite x >= 0 from the nearest multiple of pi/2, and that multiple modulo 4.
func reduced(x float64) (r double, quadrant int) {
	if x <= math.Pi/4 {
		return double{hi: x}, 0
	}
	b := math.Float64bits(x)
	m, e := b&(1<<52-1)|1<<52, int(b>>52)-1075 // x = m 2^e
	table := twoOverPi()
	word, shift := (62+e)/64, uint(62+e)%64 // of the first bit that matters: those before it give multiples of 4
	var w [3]uint64
	for i := range w {
		w[i] = table[word+i]<<shift | table[word+i+1]>>(64-shift)
	}
	// The product modulo 4 of m and these 192 bits, of which 190 are behind the point.
	h2, l2 := bits.Mul64(m, w[2])
	h1, l1 := bits.Mul64(m, w[1])
	l1, carry := bits.Add64(l1, h2, 0)
	l0 := m*w[0] + h1 + carry
	quadrant = int(l0 >> 62)
	l0 = l0<<2 | l1>>62
	l1 = l1<<2 | l2>>62
	l2 <<= 2
	negative := l0>>63 == 1
	if negative { // the next multiple is nearer
		quadrant++
		var borrow uint64
		l2, borrow = bits.Sub64(0, l2, 0)
		l1, borrow = bits.Sub64(0, l1, borrow)
		l0, _ = bits.Sub64(0, l0, borrow)
	}
	r = fraction(l0, l1, l2).times(halfPi)
	if negative {
		r = r.negated()
	}
	return r, quadrant & 3
}

// fraction gives the number 0.abc.
func fraction(a, b, c uint64) double {
	exp := -64
	if a == 0 {
		a, b, c, exp = b, c, 0, exp-64
	}
	n := uint(bits.LeadingZeros64(a))
	a, b = a<<n|b>>(64-n), b<<n|c>>(64-n)
	exp -= int(n)
	high, low := float64(a>>11), float64(a&(1<<11-1)<<42|b>>22)
	return fastSum(high*powerOf2(exp+11), low*powerOf2(exp-42))
}

// reflected gives the angle from 0 to pi/4 that a reduced one is, or its negative.
func reflected(r double) (turn, float64) {
	if r.hi < 0 {
		return turnOf(r.negated()), -1
	}
	return turnOf(r), 1
}

// tiny is where sine and tangent of a number are the number itself.
const tiny = 0x1p-30

func sin64(x float64) float64 {
	if !(math.Abs(x) >= tiny) || math.IsInf(x, 0) {
		return math.Sin(x)
	}
	r, quadrant := reduced(math.Abs(x))
	a, sign := reflected(r)
	if quadrant&1 == 1 {
		r, sign = a.cosine(), 1
	} else {
		r = a.sine()
	}
	if quadrant&2 == 2 {
		sign = -sign
	}
	return math.Copysign(1, x) * sign * r.hi
}

func cos64(x float64) float64 {
	if x-x != 0 {
		return math.NaN()
	}
	r, quadrant := reduced(math.Abs(x))
	a, sign := reflected(r)
	if quadrant&1 == 0 {
		r, sign = a.cosine(), 1
	} else {
		r, sign = a.sine(), -sign
	}
	if quadrant&2 == 2 {
		sign = -sign
	}
	return sign * r.hi
}

func tan64(x float64) float64 {
	if !(math.Abs(x) >= tiny) || math.IsInf(x, 0) {
		return math.Tan(x)
	}
	r, quadrant := reduced(math.Abs(x))
	a, sign := reflected(r)
	if quadrant&1 == 0 {
		r = a.sine().over(a.cosine())
	} else {
		r, sign = a.cosine().over(a.sine()), -sign
	}
	return math.Copysign(1, x) * sign * r.hi
}

// arcTangents are those of i/64 from 0 to 1.
var arcTangents = sync.OnceValue(func() *[65]double {
	t := new([65]double)
	for i := 1; i < len(t); i++ { // by the angle between two neighbours
		u := double{hi: 64}.over(double{hi: float64(4096 + i*(i-1))})
		square, sum := u.times(u), double{}
		for n := 15; n >= 0; n-- {
			sum = double{hi: 1}.over(double{hi: float64(2*n + 1)}).minus(sum.times(square))
		}
		t[i] = t[i-1].plus(sum.times(u))
	}
	return t
})

// atanOf gives the arc tangent of 0 <= q <= 1.
func atanOf(q double) double {
	i := math.RoundToEven(q.hi * 64)
	near := i / 64
	u := q
	if i > 0 {
		u = exactSum(q.hi-near, q.lo).over(double{hi: 1}.plus(q.scaled(near)))
	}
	s := u.hi * u.hi
	rest := u.hi * s * (-1./3 + s*(1./5+s*(-1./7+s*(1./9))))
	return arcTangents()[int(i)].plus(fastSum(u.hi, u.lo+rest))
}

// atan2of64 is the angle of the point at x and y, which stand in C's order.
func atan2of64(y, x float64) float64 {
	if x == 0 || y == 0 || x-x != 0 || y-y != 0 {
		return math.Atan2(y, x)
	}
	my, ey := math.Frexp(math.Abs(y))
	mx, ex := math.Frexp(math.Abs(x))
	exp := ey - ex
	turned := exp > 0 || exp == 0 && my > mx
	if turned {
		my, mx, exp = mx, my, -exp
	}
	q := double{hi: my}.over(double{hi: mx})
	if exp < -60 && !turned && x > 0 { // the angle is the quotient, perhaps a subnormal number
		return math.Copysign(q.rounded(exp), y)
	}
	angle := double{}
	if exp >= -200 {
		angle = atanOf(double{math.Ldexp(q.hi, exp), math.Ldexp(q.lo, exp)})
	}
	if turned {
		angle = halfPi.minus(angle)
	}
	if x < 0 {
		angle = double{2 * halfPi.hi, 2 * halfPi.lo}.minus(angle)
	}
	return math.Copysign(angle.hi, y)
}
