package vecmath

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// Log emits the natural logarithm: n ln(2) + log(1+f), where 1+f is from 2/3 to 4/3. So no digits cancel: where the sum
// is small, it is exact.
func Log(b *vec.Builder, x vec.Reg) vec.Reg {
	o := singles(b)
	l := o.splitLog(x, 2./3)
	q := o.poly(l.f, -0x1p-1, 0x1.5555p-2, -0x1.ffff6ap-3, 0x1.99d268p-3, -0x1.55884ep-3, 0x1.1eb8dep-3, -0x1.f56284p-4, 0x1.1ee68ap-3, -0x1.03037ap-3)
	y := o.fma(o.mul(l.f, l.f), q, l.f)
	return l.special(o, x, o.fma(l.n, o.num(ln2High), y))
}

// Log2 emits the logarithm to the base of 2: n + log2(1+f), where 1+f is from the root of a half to that of two.
func Log2(b *vec.Builder, x vec.Reg) vec.Reg {
	const high, low = 0x1.715476p+0, 0x1.4ae0cp-26 // 1/ln(2)
	o := singles(b)
	l := o.splitLog(x, math.Sqrt2/2)
	q := o.poly(l.f, -0x1.715476p-1, 0x1.ec7088p-2, -0x1.7154c2p-2, 0x1.277f38p-2, -0x1.ec6a1p-3, 0x1.a4098ep-3, -0x1.6f5df4p-3, 0x1.609d84p-3, -0x1.554a56p-3, 0x1.80f22ep-4)
	y := o.fma(o.mul(l.f, l.f), q, o.mul(l.f, o.num(low)))
	return l.special(o, x, o.add(o.fma(l.f, o.num(high), y), l.n))
}

// logParts is a number as 2^n times 1+f, and where it is no positive normal number.
type logParts struct{ n, f, rare vec.Reg }

// splitLog splits a number so that 1+f is at least low.
func (o floats) splitLog(x vec.Reg, low float64) (l logParts) {
	const normal, scale = 1 << 23, 23
	l.rare = o.isInt(o.do(vec.Sub, x, o.int(normal)), vec.UGE, o.int(0x7f000000))
	bits, less := set(o.Builder, x), set(o.Builder, o.num(0))
	o.Emit(vec.Instr{Op: vec.IfAny, Src: [3]vec.Reg{l.rare}})
	small := o.is(x, vec.LT, o.num(0x1p-126))
	o.Set(bits, o.pick(small, o.mul(x, o.num(1<<scale)), x))
	o.Set(less, o.pick(small, o.num(-scale), o.num(0)))
	o.End()
	k := o.do(vec.Sub, bits, o.Bits(o.ints(), o.bits(low)))
	l.f = o.sub(o.do(vec.Sub, bits, o.do(vec.And, k, o.int(-normal))), o.num(1))
	l.n = o.add(o.Convert(vec.FromInt, o.t, o.ints(), o.shift(vec.ShrImm, k, 23)), less)
	return l
}

// special replaces the logarithms y of zero, of negative numbers, of infinity and of NaN.
func (l logParts) special(o floats, x, y vec.Reg) vec.Reg {
	y = set(o.Builder, y)
	o.Emit(vec.Instr{Op: vec.IfAny, Src: [3]vec.Reg{l.rare}})
	zero := o.num(0)
	z := o.pick(o.is(x, vec.LT, o.num(math.Inf(1))), y, x)
	z = o.pick(o.is(x, vec.LT, zero), o.num(math.NaN()), z)
	o.Set(y, o.pick(o.is(x, vec.EQ, zero), o.num(math.Inf(-1)), z))
	o.End()
	return y
}
