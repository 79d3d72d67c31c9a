package neon

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// floats has the rules for floats.
var floats = map[vec.Op]rule{
	vec.FMulAdd: mulAdd, vec.FScale: scale,
	vec.FMin: smallerFloat(arm64.FMIN, false), vec.FMax: smallerFloat(arm64.FMAX, true),
	vec.FRound: func(s *selector, in *vec.Instr) {
		s.simple(in, row{roundings[vec.Rounding(in.Imm)], 1, widths[in.Type.Bytes()].whole})
	},
}

var roundings = map[vec.Rounding]arm64.Op{
	vec.Nearest: arm64.FRINTN, vec.Floor: arm64.FRINTM, vec.Ceil: arm64.FRINTP, vec.Trunc: arm64.FRINTZ,
}

// mulAdd adds the product to a copy of the third operand, which is the result or becomes it.
func mulAdd(s *selector, in *vec.Instr) {
	view := widths[in.Type.Bytes()].whole
	x, y, z := s.Parts(in.Src[0]), s.Parts(in.Src[1]), s.Parts(in.Src[2])
	apart := in.Dst != in.Src[2] && (in.Dst == in.Src[0] || in.Dst == in.Src[1])
	for i, d := range s.Dst(in) {
		sum := d
		if apart {
			sum = s.Vector()
		}
		s.Add(moveVector, isel.Def(view16B, sum), isel.Use(view16B, z[i]))
		s.op(arm64.FMLA, isel.UseDef(view, sum), isel.Use(view, x[i]), isel.Use(view, y[i]))
		if apart {
			s.Add(moveVector, isel.Def(view16B, d), isel.Use(view16B, sum))
		}
	}
}

// smallerFloat compares and takes the smaller or larger lanes: unlike the machine's own operation it takes the second operand
// where they are equal or one of them is NaN. Where the first one is a constant other than zero and NaN, that is the same.
func smallerFloat(own arm64.Op, larger bool) rule {
	return func(s *selector, in *vec.Instr) {
		view := widths[in.Type.Bytes()].whole
		if bits, ok := s.Constant(in.Src[0]); ok && ordinary(bits, in.Type) {
			s.simple(in, row{own, 2, view})
			return
		}
		x, y := s.Parts(in.Src[0]), s.Parts(in.Src[1])
		if !larger {
			x, y = y, x
		}
		m := s.vectors(len(x))
		for i := range m {
			s.op(arm64.FCMGT, isel.Def(view, m[i]), isel.Use(view, x[i]), isel.Use(view, y[i]))
		}
		s.pick(in, m, true, in.Src[0], in.Src[1])
	}
}

// ordinary reports whether bits are a float that is neither zero nor NaN.
func ordinary(bits int64, t vec.Type) bool {
	f := math.Float64frombits(uint64(bits))
	if t == vec.F32 {
		f = float64(math.Float32frombits(uint32(bits)))
	}
	return f < 0 || f > 0
}

// scale multiplies by two powers of two, whose exponents are halves of the given one. Exponents are limited before: above the
// largest one of a finite number every number becomes infinite, and far enough below zero every number becomes zero. Only a
// product that becomes zero or infinite in the end is rounded twice.
func scale(s *selector, in *vec.Instr) {
	halves, fraction := s.halves32, int64(23)
	if in.Type == vec.F64 {
		halves, fraction = s.halves64, 52
	}
	view := widths[in.Type.Bytes()].whole
	x, n := s.Parts(in.Src[0]), halves(s.Parts(in.Src[1]))
	for i, d := range s.Dst(in) {
		product, factor := x[i], s.vectors(2)
		for k, r := range factor {
			s.op(arm64.SHL, isel.Def(view, r), isel.Use(view, n[i][k]), isel.Imm(fraction))
			next := s.Vector()
			s.op(arm64.FMUL, isel.Def(view, next), isel.Use(view, product), isel.Use(view, r))
			product = next
		}
		s.Add(moveVector, isel.Def(view16B, d), isel.Use(view16B, product))
	}
}

// halves32 gives two numbers for each exponent: with largest for the largest one of a finite number, as its bits, and at least
// 2-largest for the exponent, their sum is the exponent plus largest, they are equal or differ by one, and lie between 1 and
// largest. The instructions halve a sum and round it down or up.
func (s *selector) halves32(n isel.Parts) [][2]mach.Reg {
	const largest = 254
	top, low := s.all(largest, 4), s.all(2-largest, 4)
	out := make([][2]mach.Reg, len(n))
	for i := range out {
		t := s.vectors(4)
		s.op(arm64.SMIN, isel.Def(view4S, t[0]), isel.Use(view4S, n[i]), isel.Use(view4S, top))
		s.op(arm64.SMAX, isel.Def(view4S, t[1]), isel.Use(view4S, t[0]), isel.Use(view4S, low))
		s.op(arm64.SHADD, isel.Def(view4S, t[2]), isel.Use(view4S, t[1]), isel.Use(view4S, top))
		s.op(arm64.SRHADD, isel.Def(view4S, t[3]), isel.Use(view4S, t[1]), isel.Use(view4S, top))
		out[i] = [2]mach.Reg{t[2], t[3]}
	}
	return out
}

// halves64 is halves32 for lanes of 64 bits, of which there is no minimum, maximum or halved sum: sums stay the largest and the
// smallest number where they are more or less.
func (s *selector) halves64(n isel.Parts) [][2]mach.Reg {
	const largest = 2046
	up, down, two := s.all(math.MaxInt64-largest, 8), s.all(math.MaxInt64-2*largest+2, 8), s.all(2, 8)
	out := make([][2]mach.Reg, len(n))
	for i := range out {
		t := s.vectors(5)
		s.op(arm64.SQADD, isel.Def(view2D, t[0]), isel.Use(view2D, n[i]), isel.Use(view2D, up))
		s.op(arm64.UQSUB, isel.Def(view2D, t[1]), isel.Use(view2D, t[0]), isel.Use(view2D, down))
		s.op(arm64.ADD, isel.Def(view2D, t[2]), isel.Use(view2D, t[1]), isel.Use(view2D, two))
		s.op(arm64.USHR, isel.Def(view2D, t[3]), isel.Use(view2D, t[2]), isel.Imm(1))
		s.op(arm64.SUB, isel.Def(view2D, t[4]), isel.Use(view2D, t[2]), isel.Use(view2D, t[3]))
		out[i] = [2]mach.Reg{t[3], t[4]}
	}
	return out
}
