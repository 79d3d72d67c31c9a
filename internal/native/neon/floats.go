package neon

import (
	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// floats has the rules for floats.
var floats = map[vec.Op]rule{
	vec.FMulAdd: mulAdd, vec.FScale: scale,
	vec.FMin: smallerFloat(false), vec.FMax: smallerFloat(true),
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

// smallerFloat compares and takes the smaller or larger lanes: unlike FMIN and FMAX it takes the second operand where they
// are equal or one of them is NaN.
func smallerFloat(larger bool) rule {
	return func(s *selector, in *vec.Instr) {
		x, y := s.Parts(in.Src[0]), s.Parts(in.Src[1])
		if !larger {
			x, y = y, x
		}
		m, view := s.vectors(len(x)), widths[in.Type.Bytes()].whole
		for i := range m {
			s.op(arm64.FCMGT, isel.Def(view, m[i]), isel.Use(view, x[i]), isel.Use(view, y[i]))
		}
		s.pick(in, m, true, in.Src[0], in.Src[1])
	}
}

// scales says for each type how many bits are below the exponent, and the largest exponent of a finite number, as its bits.
var scales = map[vec.Type]struct {
	fraction, top int64
	largest       int64 // integer of the type
}{
	vec.F32: {23, 254, 1<<31 - 1}, vec.F64: {52, 2046, 1<<63 - 1},
}

// scale multiplies by two powers of two, whose exponents are halves of the given one. With top for an exponent that makes
// any number infinite and 2-top for one that makes any number zero, exponents are brought between those by sums that stay the
// largest and the smallest number where they are more or less. That leaves the sum of the exponents' bits, from 2 to 2*top,
// of which both get one half. Only a product that becomes zero or infinite in the end is rounded twice.
func scale(s *selector, in *vec.Instr) {
	size, c := in.Type.Bytes(), scales[in.Type]
	view := widths[size].whole
	up, down, two := s.all(c.largest-c.top, size), s.all(c.largest-2*c.top+2, size), s.all(2, size)
	x, n := s.Parts(in.Src[0]), s.Parts(in.Src[1])
	for i, d := range s.Dst(in) {
		t := s.vectors(9)
		three := func(op arm64.Op, k int, a, b int) {
			s.op(op, isel.Def(view, t[k]), isel.Use(view, t[a]), isel.Use(view, t[b]))
		}
		s.op(arm64.SQADD, isel.Def(view, t[0]), isel.Use(view, n[i]), isel.Use(view, up))
		s.op(arm64.UQSUB, isel.Def(view, t[1]), isel.Use(view, t[0]), isel.Use(view, down))
		s.op(arm64.ADD, isel.Def(view, t[2]), isel.Use(view, t[1]), isel.Use(view, two))
		s.op(arm64.USHR, isel.Def(view, t[3]), isel.Use(view, t[2]), isel.Imm(1))
		three(arm64.SUB, 4, 2, 3)
		s.op(arm64.SHL, isel.Def(view, t[5]), isel.Use(view, t[3]), isel.Imm(c.fraction))
		s.op(arm64.SHL, isel.Def(view, t[6]), isel.Use(view, t[4]), isel.Imm(c.fraction))
		s.op(arm64.FMUL, isel.Def(view, t[7]), isel.Use(view, x[i]), isel.Use(view, t[5]))
		s.op(arm64.FMUL, isel.Def(view, d), isel.Use(view, t[7]), isel.Use(view, t[6]))
	}
}
