package vecmath

import (
	"math"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// FromBF16 emits the float32 that lanes of bf16 stand for.
func FromBF16(b *vec.Builder, x vec.Reg) vec.Reg {
	o := singles(b)
	return o.shift(vec.ShlImm, b.Convert(vec.ZeroExtend, vec.I32, vec.I16, x), 16)
}

// ToBF16 emits the rounding of float32 to bf16, to the nearest, ties to even. NaN stays NaN.
func ToBF16(b *vec.Builder, x vec.Reg) vec.Reg {
	o := singles(b)
	upper := o.shift(vec.ShrUImm, roundOff(o, x, 16), 16)
	return b.Convert(vec.Truncate, vec.I16, vec.I32, upper)
}

// RoundBF16 emits the rounding of float32 to numbers of bf16, which are float32 whose last 16 bits are zero.
func RoundBF16(b *vec.Builder, x vec.Reg) vec.Reg { return roundTo(b, x, 16) }

// ToTF32 emits the rounding of float32 to tf32, which is a float32 whose last 13 bits are zero.
func ToTF32(b *vec.Builder, x vec.Reg) vec.Reg { return roundTo(b, x, 13) }

// roundTo rounds to numbers whose last n bits are zero. NaN keeps its sign and its other bits, as in the interpreter.
func roundTo(b *vec.Builder, x vec.Reg, n int64) vec.Reg {
	o := singles(b)
	quiet := o.do(vec.Or, x, o.int(1<<22))
	return o.do(vec.And, o.pick(o.is(x, vec.Unordered, x), quiet, nearestBits(o, x, n)), o.int(-1<<n))
}

// roundOff rounds the last n bits away, to the nearest, ties to even: it leaves them with no meaning. NaN becomes one of
// which the bits above are NaN.
func roundOff(o floats, x vec.Reg, n int64) vec.Reg {
	nan := o.is(x, vec.Unordered, x)
	return o.pick(nan, o.int(0x7fffffff), nearestBits(o, x, n))
}

// nearestBits adds to the bits of a number what makes cutting the last n of them off rounding.
func nearestBits(o floats, x vec.Reg, n int64) vec.Reg {
	last := o.do(vec.And, o.shift(vec.ShrUImm, x, n), o.int(1))
	return o.do(vec.Add, o.do(vec.Add, x, last), o.int(1<<(n-1)-1))
}

// FromSmall emits the float32 that the codes of a format of at most eight bits stand for, one in each byte; bits above the
// code must be zero. The format must have a sign, and exponents that f16 has too. The code becomes an f16, whose exponent
// is off by a number that is the same for all: so the machine's conversion does subnormal numbers.
func FromSmall(b *vec.Builder, f *elem.Format, code vec.Reg) vec.Reg {
	if f.Unsigned || f.Man == 0 || f.Exp > 5 || f.Exp == 5 && !f.Inf {
		panic("BUG: vecmath: FromSmall does not read this format")
	}
	const exp, man = 5, 10 // of f16
	int16s := func(op vec.Op, x vec.Reg, n int64) vec.Reg { return b.DoImm(op, vec.I16, n, x) }
	and := func(x vec.Reg, bits uint64) vec.Reg { return b.Do(vec.And, vec.I16, x, b.Bits(vec.I16, bits)) }
	ones := f.Sign() - 1
	wide := b.Convert(vec.ZeroExtend, vec.I16, vec.I8, code)
	size := int16s(vec.ShlImm, and(wide, ones), int64(man-f.Man))
	sign := int16s(vec.ShlImm, and(wide, f.Sign()), int64(exp+man-f.Exp-f.Man))
	o := singles(b)
	x := b.Convert(vec.FConvert, vec.F32, vec.F16, b.Do(vec.Or, vec.I16, size, sign))
	low, _ := f.Exponents()
	if low != -14 {
		x = o.mul(x, o.num(math.Ldexp(1, low+14)))
	}
	if f.NaN {
		code := b.Convert(vec.ZeroExtend, vec.I32, vec.I8, code)
		nan := o.isInt(o.do(vec.And, code, o.int(int64(ones))), vec.EQ, o.int(int64(ones)))
		x = o.pick(nan, o.num(math.NaN()), x)
	}
	return x
}

// ToSmall emits the rounding of float32 to a format of at most eight bits, to the nearest, ties to even: what is too large
// becomes the largest number, NaN the code of ones.
func ToSmall(b *vec.Builder, f *elem.Format, x vec.Reg) vec.Reg {
	if f.Unsigned || f.Man == 0 {
		panic("BUG: vecmath: ToSmall does not make this format")
	}
	o := singles(b)
	low, _ := f.Exponents()
	man := int64(f.Man)
	a := o.Do(vec.FMin, o.t, o.num(f.Decode(f.Largest())), o.abs(x))
	normal := o.shift(vec.ShrUImm, nearestBits(o, a, 23-man), 23-man)
	normal = o.do(vec.Sub, normal, o.int(int64(low+126)<<man))
	// The last bit of this number is the least subnormal one: adding it rounds.
	round := o.num(math.Ldexp(1, low+23-f.Man))
	subnormal := o.do(vec.Sub, o.add(a, round), round)
	code := o.pick(o.is(a, vec.LT, o.num(math.Ldexp(1, low))), subnormal, normal)
	sign := o.shift(vec.ShrUImm, x, int64(31-f.Exp-f.Man))
	code = o.do(vec.Or, code, o.do(vec.And, sign, o.int(int64(f.Sign()))))
	code = o.pick(o.is(x, vec.Unordered, x), o.int(int64(f.Sign()-1)), code)
	return b.Convert(vec.Truncate, vec.I8, vec.I32, code)
}
