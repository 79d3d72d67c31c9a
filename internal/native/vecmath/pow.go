package vecmath

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// PowF emits x^y as C defines it.
func PowF(b *vec.Builder, x, y vec.Reg) vec.Reg {
	return powSpecial(singles(b), x, y, powOf(b, x, toDouble(b, y)))
}

// powSpecial replaces those powers y of |x| where x is no positive number, or a number is infinite or NaN.
func powSpecial(o floats, x, y, power vec.Reg) vec.Reg {
	b := o.Builder
	r := set(b, power)
	inf := o.Bits(o.t, o.bits(math.Inf(1)))
	rare := b.Do(vec.MOr, vec.NoType, notPositive(o, x), o.isInt(o.abs(y), vec.UGE, inf))
	b.Emit(vec.Instr{Op: vec.IfAny, Src: [3]vec.Reg{rare}})
	half := o.mul(y, o.num(0.5))
	integer := o.is(o.trunc(y), vec.EQ, y)
	odd := b.Do(vec.MAnd, vec.NoType, integer, o.is(o.trunc(half), vec.NE, half))
	z := ends(o, x, y, r)
	root := b.Do(vec.MAndNot, vec.NoType, o.is(x, vec.LT, o.num(0)), integer)
	root = b.Do(vec.MAnd, vec.NoType, root, o.is(x, vec.GT, o.num(math.Inf(-1))))
	z = o.pick(root, o.num(math.NaN()), z)
	z = o.pick(o.is(x, vec.Unordered, y), o.num(math.NaN()), z)
	z = o.pick(odd, o.withSign(o.abs(z), x), z)
	one := b.Do(vec.MOr, vec.NoType, o.is(x, vec.EQ, o.num(1)), o.is(y, vec.EQ, o.num(0)))
	b.Set(r, o.pick(one, o.num(1), z))
	b.End()
	return r
}

// PowI32 emits x^n for integers n of 32 bits.
func PowI32(b *vec.Builder, x, n vec.Reg) vec.Reg { return powInt(b, x, n, vec.I32) }

// PowI64 emits x^n for integers n of 64 bits.
func PowI64(b *vec.Builder, x, n vec.Reg) vec.Reg { return powInt(b, x, n, vec.I64) }

func powInt(b *vec.Builder, x, n vec.Reg, t vec.Type) vec.Reg {
	o := singles(b)
	y := b.Convert(vec.FromInt, vec.F64, t, n)
	r := set(b, powOf(b, x, y))
	b.Emit(vec.Instr{Op: vec.IfAny, Src: [3]vec.Reg{notPositive(o, x)}})
	low := n
	if t == vec.I64 {
		low = b.Convert(vec.Truncate, vec.I32, vec.I64, n)
	}
	z := o.pick(o.is(x, vec.Unordered, x), x, ends(o, x, toSingle(b, y), r))
	sign := o.shift(vec.ShlImm, low, 31)
	z = o.do(vec.Xor, z, o.do(vec.And, x, sign))
	zero := b.Compare(vec.F64, vec.EQ, y, doubles(b).num(0))
	b.Set(r, o.pick(zero, o.num(1), z))
	b.End()
	return r
}

// notPositive tells which numbers are not positive and finite.
func notPositive(o floats, x vec.Reg) vec.Reg {
	inf := o.bits(math.Inf(1))
	return o.isInt(o.do(vec.Sub, x, o.int(1)), vec.UGE, o.int(int64(inf)-1))
}

// ends replaces those powers r of |x| where x is zero or infinite or y infinite.
func ends(o floats, x, y, r vec.Reg) vec.Reg {
	a, zero, inf := o.abs(x), o.num(0), o.num(math.Inf(1))
	end := o.Do(vec.MOr, vec.NoType, o.is(a, vec.EQ, zero), o.is(a, vec.EQ, inf))
	end = o.Do(vec.MOr, vec.NoType, end, o.is(o.abs(y), vec.EQ, inf))
	down := o.Do(vec.MXor, vec.NoType, o.is(a, vec.GT, o.num(1)), o.is(y, vec.GT, zero))
	z := o.pick(down, zero, inf)
	z = o.pick(o.is(a, vec.EQ, o.num(1)), o.num(1), z)
	return o.pick(end, z, r)
}

// powOf is |x|^y for finite numbers, of which x is not zero. It computes in float64: log2|x| to 2^-38 and 2 to the power
// of its product with y. Subnormal numbers of float32 are normal there.
func powOf(b *vec.Builder, x, y vec.Reg) vec.Reg {
	const field, bias = 0x7ff << 52, 1023
	d := doubles(b)
	bits := toDouble(b, singles(b).abs(x))
	k := d.do(vec.Sub, bits, d.Bits(d.ints(), d.bits(math.Sqrt2/2)))
	f := d.sub(d.do(vec.Sub, bits, d.do(vec.And, k, d.int(-1<<52))), d.num(1))
	// The exponent, made positive, becomes a float64 as low bits of one.
	e := d.shift(vec.ShrUImm, d.do(vec.Add, k, d.int(bias<<52)), 52)
	e = d.sub(d.do(vec.Or, e, d.Bits(d.t, d.bits(1<<52))), d.num(1<<52+bias))
	log := d.fma(f, d.poly(f, 0x1.71547652b89e7p+0, -0x1.715476528d481p-1, 0x1.ec709dbd1dbdbp-2, -0x1.715476b43822fp-2, 0x1.2776c944231c4p-2,
		-0x1.ec7061ef7c407p-3, 0x1.a615451cd4587p-3, -0x1.715b89c24a7e3p-3, 0x1.488d22c6e3a42p-3, -0x1.272c03d8a31e5p-3, 0x1.087bb1f744c87p-3,
		-0x1.e9f0bc75a3103p-4, 0x1.024ae5c7b74e5p-3, -0x1.fa294ec4731e9p-4, 0x1.031d18dfb9770p-4), e)
	p := d.clamp(d.mul(y, log), -200, 200)
	t := d.add(p, d.num(whole))
	r := d.sub(p, d.sub(t, d.num(whole)))
	m := d.poly(r, 0x1.00000002612f6p+0, 0x1.62e430c804a94p-1, 0x1.ebfbdadf19acbp-3, 0x1.c6aed72703168p-5, 0x1.3b2ddbaabccb3p-7, 0x1.5f435cbbfbadbp-10,
		0x1.41ae485a33476p-13)
	return toSingle(b, d.do(vec.Add, m, d.shift(vec.ShlImm, t, 52)))
}
