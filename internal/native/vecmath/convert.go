package vecmath

import "github.com/cutile-go/cutile/internal/native/vec"

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
