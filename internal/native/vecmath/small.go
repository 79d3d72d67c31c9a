package vecmath

import (
	"math"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// FromSmall emits the float32 that the codes of a format of at most eight bits stand for, one in each byte; bits above the
// code must be zero.
func FromSmall(b *vec.Builder, f *elem.Format, code vec.Reg) vec.Reg {
	o := singles(b)
	ones := int64(1)<<(f.Exp+f.Man) - 1
	var x vec.Reg
	switch {
	case f.Man == 0:
		x = fromPower(o, f, code)
	case f.Unsigned:
		x = fromMagnitude(o, f, code)
	default:
		x = fromSigned(o, f, code, uint64(ones))
	}
	if f.NaN {
		code := b.Convert(vec.ZeroExtend, vec.I32, vec.I8, code)
		nan := o.isInt(o.do(vec.And, code, o.int(ones)), vec.EQ, o.int(ones))
		x = o.pick(nan, o.num(math.NaN()), x)
	}
	return x
}

// fromSigned is for formats with exponents that f16 has too. The code becomes an f16, whose exponent is off by a number that is
// the same for all: so the machine's conversion does subnormal numbers.
func fromSigned(o floats, f *elem.Format, code vec.Reg, ones uint64) vec.Reg {
	if f.Exp > 5 || f.Exp == 5 && !f.Inf {
		panic("BUG: vecmath: FromSmall does not read this format")
	}
	const exp, man = 5, 10 // of f16
	int16s := func(op vec.Op, x vec.Reg, n int64) vec.Reg { return o.DoImm(op, vec.I16, n, x) }
	and := func(x vec.Reg, bits uint64) vec.Reg { return o.Do(vec.And, vec.I16, x, o.Bits(vec.I16, bits)) }
	wide := o.Convert(vec.ZeroExtend, vec.I16, vec.I8, code)
	size := int16s(vec.ShlImm, and(wide, ones), int64(man-f.Man))
	sign := int16s(vec.ShlImm, and(wide, f.Sign()), int64(exp+man-f.Exp-f.Man))
	x := o.Convert(vec.FConvert, vec.F32, vec.F16, o.Do(vec.Or, vec.I16, size, sign))
	if low, _ := f.Exponents(); low != -14 {
		x = o.mul(x, o.num(math.Ldexp(1, low+14)))
	}
	return x
}

// fromMagnitude is for formats without a sign: a normal number is the bits of a float32, and the others are integers times the
// least one.
func fromMagnitude(o floats, f *elem.Format, code vec.Reg) vec.Reg {
	low, _ := f.Exponents()
	man := int64(f.Man)
	n := o.Convert(vec.ZeroExtend, vec.I32, vec.I8, code)
	normal := o.do(vec.Add, o.shift(vec.ShlImm, n, 23-man), o.int(int64(low+126)<<23))
	subnormal := o.mul(o.Convert(vec.FromInt, o.t, vec.I32, n), o.num(math.Ldexp(1, low-f.Man)))
	return o.pick(o.isInt(n, vec.LT, o.int(1<<man)), subnormal, normal)
}

// fromPower is for powers of two with the exponents of float32, of which the least one is subnormal there.
func fromPower(o floats, f *elem.Format, code vec.Reg) vec.Reg {
	low, _ := f.Exponents()
	if low != -127 {
		panic("BUG: vecmath: FromSmall does not read these powers of two")
	}
	n := o.Convert(vec.ZeroExtend, vec.I32, vec.I8, code)
	return o.pick(o.isInt(n, vec.EQ, o.int(0)), o.int(1<<22), o.shift(vec.ShlImm, n, 23))
}

// ToSmall emits the rounding of float32 to a format of at most eight bits: what is too large becomes the largest number, NaN the code
// of ones. To powers of two it rounds in any direction, to others to the nearest, ties to even. A format without a sign takes the
// magnitude.
func ToSmall(b *vec.Builder, f *elem.Format, mode vec.Rounding, x vec.Reg) vec.Reg {
	o := singles(b)
	var code vec.Reg
	switch {
	case f.Man == 0:
		code = toPower(o, f, mode, x)
	case mode != vec.Nearest:
		panic("BUG: vecmath: ToSmall does not round to this format in a direction")
	default:
		code = nearestSmall(o, f, x)
	}
	code = o.pick(o.is(x, vec.Unordered, x), o.int(1<<(f.Exp+f.Man)-1), code)
	return b.Convert(vec.Truncate, vec.I8, vec.I32, code)
}

func nearestSmall(o floats, f *elem.Format, x vec.Reg) vec.Reg {
	low, _ := f.Exponents()
	man := int64(f.Man)
	a := o.Do(vec.FMin, o.t, o.num(f.Decode(f.Largest())), o.abs(x))
	normal := o.shift(vec.ShrUImm, nearestBits(o, a, 23-man), 23-man)
	normal = o.do(vec.Sub, normal, o.int(int64(low+126)<<man))
	// The last bit of this number is the least subnormal one: adding it rounds.
	round := o.num(math.Ldexp(1, low+23-f.Man))
	subnormal := o.do(vec.Sub, o.add(a, round), round)
	code := o.pick(o.is(a, vec.LT, o.num(math.Ldexp(1, low))), subnormal, normal)
	if f.Unsigned {
		return code
	}
	sign := o.shift(vec.ShrUImm, x, int64(31-f.Exp-f.Man))
	return o.do(vec.Or, code, o.do(vec.And, sign, o.int(int64(f.Sign()))))
}

// powerRounds are what is added to a magnitude's bits below the exponent, so that cutting them off rounds. Halves go up.
var powerRounds = map[vec.Rounding]int64{vec.Nearest: 1 << 22, Away: 1 << 22, vec.Trunc: 0, vec.Floor: 0, vec.Ceil: 1<<23 - 1}

// toPower gives the exponent of a float32 as its code. What is less than the least power becomes that in any direction. A subnormal
// float32 that is not so small has this exponent: without its leading one, its bits are half of those that a normal one would have.
func toPower(o floats, f *elem.Format, mode vec.Rounding, x vec.Reg) vec.Reg {
	low, _ := f.Exponents()
	if low != -127 {
		panic("BUG: vecmath: ToSmall does not make these powers of two")
	}
	a := o.abs(x)
	small := o.shift(vec.ShlImm, o.do(vec.Max, o.do(vec.Sub, a, o.int(1<<22)), o.int(0)), 1)
	a = o.pick(o.isInt(a, vec.LT, o.int(1<<23)), small, a)
	code := o.shift(vec.ShrUImm, o.do(vec.Add, a, o.int(powerRounds[mode])), 23)
	return o.do(vec.Min, code, o.int(int64(f.Largest())))
}
