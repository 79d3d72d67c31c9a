package x86

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// What AVX2 has no instruction for, register by register.

// mul64 adds the products of lower and upper halves to the upper half of the product of the lower halves.
func mul64(s *selector, _ *vec.Instr, view uint8, a, b mach.Reg) mach.Reg {
	cross := s.calc(amd64.VPMULLD, view, a, s.calcImm(amd64.VPSHUFD, view, view, 0xb1, b)) // halves exchanged
	sum := s.calc(amd64.VPADDD, view, cross, s.calcImm(amd64.VPSLLQ, view, view, 32, cross))
	return s.calc(amd64.VPADDQ, view, s.calc(amd64.VPMULUDQ, view, a, b), s.calcConst(amd64.VPAND, view, sum, -1<<32, 8))
}

// choose64 is the smaller or the larger of two lanes.
func choose64(larger, unsigned bool) partRule {
	return func(s *selector, _ *vec.Instr, view uint8, a, b mach.Reg) mach.Reg {
		x, y := a, b
		if unsigned {
			x, y = s.flipSign(view, a, 8), s.flipSign(view, b, 8)
		}
		greater := s.calc(amd64.VPCMPGTQ, view, x, y)
		if larger {
			return s.calc(amd64.VBLENDVPD, view, b, a, greater)
		}
		return s.calc(amd64.VBLENDVPD, view, a, b, greater)
	}
}

// flipSign adds half the range, which makes an order without sign one with sign.
func (s *selector) flipSign(view uint8, x mach.Reg, size int) mach.Reg {
	return s.calcConst(amd64.VPXOR, view, x, math.MinInt64>>(64-8*size), size)
}

// shr64 shifts numbers that are not negative: those that are are inverted before and after.
func shr64(s *selector, _ *vec.Instr, view uint8, a, n mach.Reg) mach.Reg {
	sign := s.sign64(view, a)
	t := s.calc(amd64.VPSRLVQ, view, s.calc(amd64.VPXOR, view, a, sign), n)
	return s.calc(amd64.VPXOR, view, t, sign)
}

// shrImm64 is shr64 by a number.
func shrImm64(s *selector, in *vec.Instr, view uint8, a, _ mach.Reg) mach.Reg {
	sign := s.sign64(view, a)
	t := s.calcImm(amd64.VPSRLQ, view, view, in.Imm, s.calc(amd64.VPXOR, view, a, sign))
	return s.calc(amd64.VPXOR, view, t, sign)
}

// scale says how floats are scaled: by two factors, since one alone may be out of range. The first product is exact for
// the numbers that [vec.FScale] takes.
type scale struct {
	limit    int64 // the result is 0 or infinite from here on
	bias     int64
	left     amd64.Op // moves an exponent to its place
	mantissa int64
	mul      amd64.Op
}

var scales = [...]scale{
	vec.F32: {limit: 182, bias: 127, left: amd64.VPSLLD, mantissa: 23, mul: amd64.VMULPS},
	vec.F64: {limit: 1110, bias: 1023, left: amd64.VPSLLQ, mantissa: 52, mul: amd64.VMULPD},
}

// part computes in 32-bit lanes, which hold all exponents. Of 64-bit lanes the upper halves do not matter in the end.
func (c scale) part(s *selector, _ *vec.Instr, view uint8, x, n mach.Reg) mach.Reg {
	n = s.calcConst(amd64.VPMINSD, view, n, c.limit, 4)
	n = s.calcConst(amd64.VPMAXSD, view, n, -c.limit, 4)
	half := s.calcImm(amd64.VPSRAD, view, view, 1, n)
	rest := s.calc(amd64.VPSUBD, view, n, half)
	power := func(n mach.Reg) mach.Reg {
		return s.calcImm(c.left, view, view, c.mantissa, s.calcConst(amd64.VPADDD, view, n, c.bias, 4))
	}
	return s.calc(c.mul, view, s.calc(c.mul, view, x, power(half)), power(rest))
}

// condition says how a comparison of integers comes from the two that there are, equal and greater.
type condition struct{ greater, swap, not, unsigned bool }

var conditions = [...]condition{
	vec.EQ: {}, vec.NE: {not: true},
	vec.GT: {greater: true}, vec.LT: {greater: true, swap: true}, vec.LE: {greater: true, not: true}, vec.GE: {greater: true, swap: true, not: true},
	vec.UGT: {greater: true, unsigned: true}, vec.ULT: {greater: true, swap: true, unsigned: true},
	vec.ULE: {greater: true, not: true, unsigned: true}, vec.UGE: {greater: true, swap: true, not: true, unsigned: true},
}

// compares2 are the instructions by the bytes of a lane.
var compares2 = [9]struct{ equal, greater amd64.Op }{
	1: {amd64.VPCMPEQB, amd64.VPCMPGTB}, 2: {amd64.VPCMPEQW, amd64.VPCMPGTW},
	4: {amd64.VPCMPEQD, amd64.VPCMPGTD}, 8: {amd64.VPCMPEQQ, amd64.VPCMPGTQ},
}

func compare2(s *selector, in *vec.Instr) {
	how, size := conditions[in.Cond], in.Type.Bytes()
	op := compares2[size].equal
	if how.greater {
		op = compares2[size].greater
	}
	x, y := s.parts(in.Src[0]), s.parts(in.Src[1])
	if how.swap {
		x, y = y, x
	}
	view := s.shape(in.Type.Class()).view
	c := make(parts, len(x))
	for i := range c {
		a, b := x[i], y[i]
		if how.unsigned {
			a, b = s.flipSign(view, a, size), s.flipSign(view, b, size)
		}
		c[i] = s.calc(op, view, a, b)
		if how.not {
			c[i] = s.calcConst(amd64.VPXOR, view, c[i], -1, 8)
		}
	}
	s.setMaskFrom(s.dst(in), c, size)
}

// Floats whose last bits are an integer: 2^52 for one without sign, 1.5 * 2^52 for one with sign.
const (
	magic       = 0x4330000000000000
	magicSigned = 0x4338000000000000
)

func fromInt2(s *selector, in *vec.Instr) {
	if in.From == vec.I32 {
		convertBy(fromInts)(s, in)
		return
	}
	view := s.shape(vec.V64).view
	if in.Type == vec.F64 {
		for i, r := range s.dst(in) {
			s.put(view, r, s.float64(view, s.parts(in.Src[0])[i]))
		}
		return
	}
	t := make(parts, 0, 4)
	for _, x := range s.parts(in.Src[0]) { // so that the first rounding is exact, or to odd
		large := s.calcConst(amd64.VPCMPGTQ, view, s.calc(amd64.VPXOR, view, x, s.sign64(view, x)), 1<<53-1, 8)
		t = append(t, s.float64(view, s.calc(amd64.VBLENDVPD, view, x, s.sticky(view, x, 11), large)))
	}
	s.convert(amd64.VCVTPD2PS, s.dst(in), t, vec.F32, vec.F64)
}

// float64 converts integers: each half becomes the last bits of a float, exactly, and the sum is rounded.
func (s *selector) float64(view uint8, x mach.Reg) mach.Reg {
	lower := s.vector()
	s.op(amd64.VPBLENDD, def(view, lower), use(view, x), repeated(magic, 8, view), imm(0xaa))
	upper := s.calcImm(amd64.VPSRLQ, view, view, 32, x)
	upper = s.calcConst(amd64.VPXOR, view, upper, 0x4530000080000000, 8)  // 2^84 + 2^63 + the upper half with sign * 2^32
	upper = s.calcConst(amd64.VSUBPD, view, upper, 0x4530000080100000, 8) // - (2^84 + 2^63 + 2^52)
	return s.calc(amd64.VADDPD, view, upper, lower)
}

func toInt2(s *selector, in *vec.Instr) {
	if in.Type == vec.I32 {
		convertBy(toInts)(s, in)
		return
	}
	x, view := s.parts(in.Src[0]), s.view(in)
	if in.From == vec.F32 {
		x = s.fresh(vec.V64)
		s.convert(amd64.VCVTPS2PD, x, s.parts(in.Src[0]), vec.F64, vec.F32)
	}
	for i, r := range s.dst(in) {
		s.put(view, r, s.int64(view, x[i]))
	}
}

// int64 converts floats to integers, upper and lower half apart.
func (s *selector) int64(view uint8, x mach.Reg) mach.Reg {
	bits := func(x float64) int64 { return int64(math.Float64bits(x)) }
	lower := s.calcImm(amd64.VROUNDPD, view, view, int64(vec.Trunc)|noExceptions, x)
	upper := s.calcConst(amd64.VMULPD, view, lower, bits(0x1p-32), 8)
	upper = s.calcImm(amd64.VROUNDPD, view, view, int64(vec.Floor)|noExceptions, upper)
	s.op(amd64.VFNMADD231PD, useDef(view, lower), use(view, upper), repeated(bits(0x1p32), 8, view))
	upper = s.calcImm(amd64.VPSLLQ, view, view, 32, s.calcConst(amd64.VADDPD, view, upper, magicSigned, 8))
	lower = s.calcConst(amd64.VPXOR, view, s.calcConst(amd64.VADDPD, view, lower, magic, 8), magic, 8)
	return s.calc(amd64.VPOR, view, upper, lower)
}
