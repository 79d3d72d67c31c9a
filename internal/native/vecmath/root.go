package vecmath

import "github.com/cutile-go/cutile/internal/native/vec"

// Sqrt emits the square root.
func Sqrt(b *vec.Builder, x vec.Reg) vec.Reg { return b.Do(vec.FSqrt, vec.F32, x) }

// Rsqrt emits 1/sqrt(x). The roundings of the root s and of its inverse r would add up to more than an ulp, so the result
// is corrected by half of 1 - x r^2, which is 1 - s r - (x r - s) r.
func Rsqrt(b *vec.Builder, x vec.Reg) vec.Reg {
	o := singles(b)
	s := Sqrt(b, x)
	r := o.div(o.num(1), s)
	minus := o.neg(s)
	d := o.fma(o.fma(x, r, minus), o.neg(r), o.fma(minus, r, o.num(1)))
	y := o.fma(o.mul(r, o.num(0.5)), d, r)
	return o.pick(o.is(d, vec.Ordered, d), y, r) // of zeros and infinity there is nothing to correct
}
