package vecmath

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// Tanh emits the hyperbolic tangent: a polynomial below 1, and 1 - 2/(e^2x + 1) above.
func Tanh(b *vec.Builder, x vec.Reg) vec.Reg {
	o := singles(b)
	a := o.abs(x)
	z := o.mul(x, x)
	q := o.poly(z, -0x1.555552p-2, 0x1.11103cp-3, -0x1.b9f6dep-5, 0x1.64c0a4p-6, -0x1.18de98p-7, 0x1.8f9f52p-9, -0x1.aee922p-11, 0x1.e86d62p-14)
	near := o.fma(o.mul(a, z), q, a)

	// e^2x = 2^n e^2r, so that the denominator is (2^n + 1) + 2^n (e^2r - 1).
	u := o.clamp(a, 0, 10)
	n := o.nearest(o.mul(u, o.num(2*math.Log2E)))
	r := o.fma(n, o.num(-ln2High/2), u)
	r = o.fma(n, o.num(-ln2Low/2), r)
	r = o.add(r, r)
	s := o.fma(o.mul(r, r), o.poly(r, 0x1.fffff8p-2, 0x1.55548ep-3, 0x1.555b9ap-5, 0x1.123bfp-7, 0x1.684fe4p-10), r)
	t := o.power(n)
	far := o.sub(o.num(1), o.div(o.num(2), o.fma(t, s, o.add(t, o.num(1)))))
	return o.withSign(o.pick(o.is(a, vec.LT, o.num(1)), near, far), x)
}

// power is 2^n for an integer n that makes a normal number.
func (o floats) power(n vec.Reg) vec.Reg {
	i := o.Convert(vec.ToInt, o.ints(), o.t, n)
	return o.shift(vec.ShlImm, o.do(vec.Add, i, o.int(127)), 23)
}

// Sinh emits the hyperbolic sine, Cosh the cosine.
func Sinh(b *vec.Builder, x vec.Reg) vec.Reg {
	o := singles(b)
	a := o.abs(x)
	h := o.hyperbolic(a)
	up, down := o.add(h.up, h.down), o.sub(h.up, h.down)
	lost := o.sub(o.sub(h.up, down), h.down) // by rounding down
	rest := o.fma(h.down, h.r, o.fma(up, h.sinh, o.fma(down, h.cosh, lost)))
	y := o.add(o.fma(h.up, h.r, rest), down)
	near := o.is(h.n, vec.EQ, o.num(0)) // where it may be subnormal
	return o.withSign(o.pick(near, o.add(a, h.sinh), o.mul(y, o.num(2))), x)
}

// Cosh emits the hyperbolic cosine.
func Cosh(b *vec.Builder, x vec.Reg) vec.Reg {
	o := singles(b)
	h := o.hyperbolic(o.abs(x))
	up, down := o.add(h.up, h.down), o.sub(h.up, h.down)
	rest := o.fma(down, h.sinh, o.fma(up, h.cosh, h.down))
	y := o.add(o.fma(down, h.r, rest), h.up)
	return o.mul(y, o.num(2))
}

// hyper has what the hyperbolic functions of a number from 0 on consist of: it is n ln(2) plus a rest; up is 2^n/4,
// down 2^-n/4, sinh the sine of the rest less r, which is most of the rest, and cosh its cosine less 1. Sums of these by
// the addition theorems, with the greatest term last, lose less than functions of e^x.
type hyper struct{ n, up, down, r, sinh, cosh vec.Reg }

func (o floats) hyperbolic(a vec.Reg) (h hyper) {
	a = o.clamp(a, 0, 89.6) // results overflow from 89.5 on, up would at 89.8
	n := o.nearest(o.mul(a, o.num(math.Log2E)))
	h.n = n
	h.r = o.fma(n, o.num(-ln2Short), a)
	low := o.mul(n, o.num(-ln2Rest))
	r := o.add(h.r, low)
	z := o.mul(r, r)
	h.sinh = o.fma(o.mul(r, z), o.poly(z, 0x1.555556p-3, 0x1.110fbep-7, 0x1.a2e2f6p-13), low)
	h.cosh = o.mul(z, o.poly(z, 0x1p-1, 0x1.5554e6p-5, 0x1.6d4f24p-10))
	i := o.shift(vec.ShlImm, o.Convert(vec.ToInt, o.ints(), o.t, n), 23)
	quarter := o.Bits(o.ints(), o.bits(0.25))
	h.up = o.do(vec.Add, quarter, i)
	h.down = o.do(vec.Max, o.do(vec.Sub, quarter, i), o.int(0))
	return h
}

// The number ln 2 as a sum whose first term has 16 bits: its products with n are exact.
const (
	ln2Short = 0x1.62e4p-1
	ln2Rest  = 0x1.7f7d1cp-20
)
