package vecmath

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// The number ln 2 as the sum of two float32, and its inverse.
const (
	ln2High = 0x1.62e43p-1
	ln2Low  = -0x1.05c61p-29
)

// Exp emits e^x: 2^n times e^r, where n is an integer and |r| at most ln(2)/2.
func Exp(b *vec.Builder, x vec.Reg) vec.Reg {
	o := singles(b)
	x = o.clamp(x, -110, 100)
	n := o.nearest(o.mul(x, o.num(math.Log2E)))
	return o.scale(o.expRest(x, n), n)
}

// expRest is e^(x - n·ln 2).
func (o floats) expRest(x, n vec.Reg) vec.Reg {
	r := o.fma(n, o.num(-ln2High), x)
	r = o.fma(n, o.num(-ln2Low), r)
	return o.poly(r, 1, 1, 0x1.fffff8p-2, 0x1.55548ep-3, 0x1.555b9ap-5, 0x1.123bfp-7, 0x1.684fe4p-10)
}

// Exp2 emits 2^x.
func Exp2(b *vec.Builder, x vec.Reg) vec.Reg {
	o := singles(b)
	x = o.clamp(x, -160, 140)
	n := o.nearest(x)
	return o.scale(o.exp2Rest(x, n), n)
}

// exp2Rest is 2^(x - n).
func (o floats) exp2Rest(x, n vec.Reg) vec.Reg {
	return o.poly(o.sub(x, n), 1, 0x1.62e43p-1, 0x1.ebfbd8p-3, 0x1.c6af76p-5, 0x1.3b30a8p-7, 0x1.5f0baep-10, 0x1.3f9a64p-13)
}

// ExpBySums is [Exp], with the same result, for machines that round to integers and convert more slowly than they add: a great number is
// added and taken away, and between the two the integer is in the lowest bits.
func ExpBySums(b *vec.Builder, x vec.Reg) vec.Reg {
	o := singles(b)
	x = o.clamp(x, -110, 100)
	shifted, n := o.nearestBySums(o.mul(x, o.num(math.Log2E)))
	return o.scaleBySums(o.expRest(x, n), shifted)
}

// Exp2BySums is [Exp2] in the way of [ExpBySums].
func Exp2BySums(b *vec.Builder, x vec.Reg) vec.Reg {
	o := singles(b)
	x = o.clamp(x, -160, 140)
	shifted, n := o.nearestBySums(x)
	return o.scaleBySums(o.exp2Rest(x, n), shifted)
}

// nearestBySums rounds numbers below 2^22 to integers; the bits of shifted are those of a constant plus the integer.
func (o floats) nearestBySums(x vec.Reg) (shifted, n vec.Reg) {
	const great = 0x1.8p23 // the distance of float32 from there on is 1
	shifted = o.add(x, o.num(great))
	return shifted, o.sub(shifted, o.num(great))
}

// scaleBySums is p times 2^n, rounded once, for n from -252 to 254 and p from 1/2 to 2: it multiplies by 2^⌊n/2⌋, which rounds nothing, and
// by the rest. What shifted has above the integer is shifted out.
func (o floats) scaleBySums(p, shifted vec.Reg) vec.Reg {
	const mantissa, bias = 23, 127
	half := o.do(vec.Add, o.shift(vec.ShlImm, o.shift(vec.ShrImm, shifted, 1), mantissa), o.int(bias<<mantissa))
	both := o.do(vec.Add, o.shift(vec.ShlImm, shifted, mantissa), o.int(2*bias<<mantissa))
	return o.mul(o.mul(p, half), o.do(vec.Sub, both, half))
}

// scale is p times 2^n, where n is an integer or, like p, NaN.
func (o floats) scale(p, n vec.Reg) vec.Reg {
	return o.Do(vec.FScale, o.t, p, o.Convert(vec.ToInt, o.ints(), o.t, n))
}
