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
	r := o.fma(n, o.num(-ln2High), x)
	r = o.fma(n, o.num(-ln2Low), r)
	p := o.poly(r, 1, 1, 0x1.fffff8p-2, 0x1.55548ep-3, 0x1.555b9ap-5, 0x1.123bfp-7, 0x1.684fe4p-10)
	return o.scale(p, n)
}

// Exp2 emits 2^x.
func Exp2(b *vec.Builder, x vec.Reg) vec.Reg {
	o := singles(b)
	x = o.clamp(x, -160, 140)
	n := o.nearest(x)
	p := o.poly(o.sub(x, n), 1, 0x1.62e43p-1, 0x1.ebfbd8p-3, 0x1.c6af76p-5, 0x1.3b30a8p-7, 0x1.5f0baep-10, 0x1.3f9a64p-13)
	return o.scale(p, n)
}

// scale is p times 2^n, where n is an integer or, like p, NaN.
func (o floats) scale(p, n vec.Reg) vec.Reg {
	return o.Do(vec.FScale, o.t, p, o.Convert(vec.ToInt, o.ints(), o.t, n))
}
