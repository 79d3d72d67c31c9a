package neon

import (
	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// conversions has the rules for conversions.
var conversions = map[vec.Op]rule{
	vec.SignExtend: extend(arm64.SXTL, arm64.SXTL2),
	vec.ZeroExtend: extend(arm64.UXTL, arm64.UXTL2),
	vec.Truncate: func(s *selector, in *vec.Instr) {
		s.move(s.Dst(in), s.resize(s.Parts(in.Src[0]), in.From.Bytes(), in.Type.Bytes()))
	},
	vec.FConvert: func(s *selector, in *vec.Instr) {
		s.move(s.Dst(in), s.floats(s.Parts(in.Src[0]), in.From.Bytes(), in.Type.Bytes()))
	},
	vec.FromInt: fromInt,
	vec.ToInt:   toInt,
}

// extend doubles the width until it is that of the result.
func extend(op, op2 arm64.Op) rule {
	return func(s *selector, in *vec.Instr) {
		x := s.Parts(in.Src[0])
		for size := in.From.Bytes(); size < in.Type.Bytes(); size *= 2 {
			x = s.widen(x, size, op, op2)
		}
		s.move(s.Dst(in), x)
	}
}

// floats converts floats of a size to another size. Steps to wider ones are exact. From 64 to 16 bits, the first of two steps
// rounds to odd, so that the second one rounds as if it were alone.
func (s *selector) floats(x isel.Parts, from, to int) isel.Parts {
	for size := from; size < to; size *= 2 {
		x = s.widen(x, size, arm64.FCVTL, arm64.FCVTL2)
	}
	for size := from; size > to; size /= 2 {
		op, op2 := arm64.FCVTN, arm64.FCVTN2
		if size/2 > to {
			op, op2 = arm64.FCVTXN, arm64.FCVTXN2
		}
		x = s.shorten(x, size, op, op2)
	}
	return x
}

// shorten converts two registers of lanes of a size to one: op fills its lower half, op2 the upper one.
func (s *selector) shorten(x isel.Parts, from int, op, op2 arm64.Op) isel.Parts {
	d := s.vectors(len(x) / 2)
	for i, r := range d {
		s.op(op, isel.Def(widths[from/2].half, r), isel.Use(widths[from].whole, x[2*i]))
		s.op(op2, isel.UseDef(widths[from/2].whole, r), isel.Use(widths[from].whole, x[2*i+1]))
	}
	return d
}

// eachPart writes an instruction with one operand for each register.
func (s *selector) eachPart(op arm64.Op, x isel.Parts, size int) isel.Parts {
	d, view := s.vectors(len(x)), widths[size].whole
	for i, r := range d {
		s.op(op, isel.Def(view, r), isel.Use(view, x[i]))
	}
	return d
}

func fromInt(s *selector, in *vec.Instr) {
	x, from, to := s.Parts(in.Src[0]), in.From.Bytes(), in.Type.Bytes()
	if from > to {
		s.move(s.Dst(in), s.fromLong(x))
		return
	}
	for ; from < to; from *= 2 {
		x = s.widen(x, from, arm64.SXTL, arm64.SXTL2)
	}
	s.move(s.Dst(in), s.eachPart(arm64.SCVTF, x, to))
}

// fromLong converts integers of 64 bits to float32 lane by lane: a vector's way is by float64, which would round twice.
func (s *selector) fromLong(x isel.Parts) isel.Parts {
	d := s.vectors(len(x) / 2)
	for i := range vec.Lanes {
		n, f := s.Integer(), s.Vector()
		s.op(arm64.UMOV, isel.Def(viewX, n), lane(isel.Use(viewD, x[i/2]), i%2))
		if i%4 == 0 {
			s.op(arm64.SCVTF, isel.Def(viewS, d[i/4]), isel.Use(viewX, n))
			continue
		}
		s.op(arm64.SCVTF, isel.Def(viewS, f), isel.Use(viewX, n))
		s.insert(d[i/4], i%4, f)
	}
	return d
}

// insert puts the first lane of a register of float32 into a lane of another one.
func (s *selector) insert(d mach.Reg, i int, x mach.Reg) {
	s.op(arm64.INS, lane(isel.UseDef(viewS, d), i), lane(isel.Use(viewS, x), 0))
}

// toInt converts in lanes of the wider of both types.
func toInt(s *selector, in *vec.Instr) {
	from, to := in.From.Bytes(), in.Type.Bytes()
	wide := max(from, to)
	x := s.eachPart(arm64.FCVTZS, s.floats(s.Parts(in.Src[0]), from, wide), wide)
	s.move(s.Dst(in), s.resize(x, wide, to))
}
