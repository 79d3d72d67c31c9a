package vecmath

import "github.com/cutile-go/cutile/internal/native/vec"

// hyper64 is twice the hyperbolic sine and cosine of a float64 from 0 to 800, both without a power of two. below tells
// where the sine is a series, since e^x and e^-x would cancel.
type hyper64 struct {
	sinh, cosh pair
	n          vec.Reg
	below      vec.Reg
}

func (o floats) hyper64(a vec.Reg) hyper64 {
	up, n := o.expOf(o.exact(a))
	down := o.over(o.exact(o.power64(o.Do(vec.FMax, o.t, o.num(-200), o.mul(n, o.num(-2))))), up)
	z := o.mul(a, a)
	near := o.doubled(o.fastSum(a, o.mul(o.mul(a, z), o.poly(z, odds3(5)...))))
	below := o.is(a, vec.LT, o.num(0.1))
	sinh := o.pickPair(below, near, o.plusSmall(up, o.negated(down)))
	return hyper64{sinh, o.plusSmall(up, down), n, below}
}

// odds3 gives the coefficients 1/3!, 1/5! and so on.
func odds3(n int) []float64 { return factorials(3, 2, n, 1) }

// power64 is 2^n for an integer n that makes a normal number.
func (o floats) power64(n vec.Reg) vec.Reg {
	return o.shift(vec.ShlImm, o.add(n, o.num(whole+1023)), 52)
}

// half64 is x times 2^(n-1).
func (o floats) half64(x, n vec.Reg) vec.Reg { return o.scale(x, o.sub(n, o.num(1))) }

// Sinh64 emits the hyperbolic sine of float64.
func Sinh64(b *vec.Builder, x vec.Reg) vec.Reg {
	d := doubles(b)
	h := d.hyper64(d.clamp(d.abs(x), 0, 800))
	y := d.pick(h.below, d.mul(h.sinh.hi, d.num(0.5)), d.half64(h.sinh.hi, h.n))
	return d.withSign(y, x)
}

// Cosh64 emits the hyperbolic cosine of float64.
func Cosh64(b *vec.Builder, x vec.Reg) vec.Reg {
	d := doubles(b)
	h := d.hyper64(d.clamp(d.abs(x), 0, 800))
	return d.half64(h.cosh.hi, h.n)
}

// Tanh64 emits the hyperbolic tangent of float64, which is 1 from 22 on.
func Tanh64(b *vec.Builder, x vec.Reg) vec.Reg {
	d := doubles(b)
	h := d.hyper64(d.clamp(d.abs(x), 0, 40))
	return d.withSign(d.over(h.sinh, h.cosh).hi, x)
}
