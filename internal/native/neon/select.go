package neon

import (
	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// The views of registers.
const (
	viewX   = uint8(arm64.ViewX)
	viewW   = uint8(arm64.ViewW)
	viewH   = uint8(arm64.ViewH)
	viewS   = uint8(arm64.ViewS)
	viewD   = uint8(arm64.ViewD)
	viewQ   = uint8(arm64.ViewQ)
	view8B  = uint8(arm64.V8B)
	view16B = uint8(arm64.V16B)
	view8H  = uint8(arm64.V8H)
	view4S  = uint8(arm64.V4S)
	view2S  = uint8(arm64.V2S)
	view2D  = uint8(arm64.V2D)
)

// width is how registers are seen that have lanes of a number of bytes: whole, the lower half of one, one lane of it, and
// a general register that holds a lane.
type width struct{ whole, half, lane, general uint8 }

var widths = [...]width{
	1: {view16B, view8B, uint8(arm64.ViewB), viewW},
	2: {view8H, uint8(arm64.V4H), viewH, viewW},
	4: {view4S, view2S, viewS, viewW},
	8: {view2D, uint8(arm64.V1D), viewD, viewX},
}

// perRegister is how many lanes of a number of bytes a register has.
func perRegister(bytes int) int { return 16 / bytes }

// target describes the level to package isel.
var target = &isel.Target{
	Name: "neon",
	Shapes: [...]isel.Shape{
		vec.Scalar: {File: mach.Int, N: 1, View: viewX}, vec.Mask: {File: mach.Vector, N: 4, View: view4S},
		vec.V8: {File: mach.Vector, N: 1, View: view16B}, vec.V16: {File: mach.Vector, N: 2, View: view8H},
		vec.V32: {File: mach.Vector, N: 4, View: view4S}, vec.V64: {File: mach.Vector, N: 8, View: view2D},
	},
}

// selector chooses instructions for a function.
type selector struct{ isel.Selector }

// rule chooses instructions for one of a function.
type rule func(s *selector, in *vec.Instr)

// instr chooses instructions by rule, or by table.
func (s *selector) instr(in *vec.Instr) {
	if rule := rules[in.Op]; rule != nil {
		rule(s, in)
		return
	}
	s.tabled(in)
}

// tabled writes an instruction of the table.
func (s *selector) tabled(in *vec.Instr) {
	if row := table[in.Op][in.Type]; row.op != 0 {
		s.simple(in, row)
		return
	}
	s.Lacks(in)
}

// simple writes the same instruction for each part.
func (s *selector) simple(in *vec.Instr, row row) {
	for i, d := range s.Dst(in) {
		out := s.op(row.op, isel.Def(row.view, d), isel.Use(row.view, s.Parts(in.Src[0])[i]))
		if row.args == 2 {
			out.Append(isel.Use(row.view, s.Parts(in.Src[1])[i]))
		}
	}
}

// wide uses the rule for lanes of 64 bits, and the table for others.
func wide(r rule) rule {
	return func(s *selector, in *vec.Instr) {
		if in.Type.Bytes() < 8 {
			s.tabled(in)
			return
		}
		r(s, in)
	}
}

// op writes an instruction of package arm64.
func (s *selector) op(op arm64.Op, args ...mach.Arg) *mach.Instr { return s.Add(int32(op), args...) }

// move copies vector registers.
func (s *selector) move(d, x isel.Parts) {
	for i := range d {
		s.Add(moveVector, isel.Def(view16B, d[i]), isel.Use(view16B, x[i]))
	}
}

// vectors makes vector registers for a value on its way.
func (s *selector) vectors(n int) isel.Parts { return s.Fresh(mach.Vector, n) }

// all makes a vector register whose lanes have the given bits.
func (s *selector) all(elem int64, size int) mach.Reg {
	r := s.Vector()
	s.setAll(r, elem, size)
	return r
}

// setAll fills a vector register.
func (s *selector) setAll(r mach.Reg, elem int64, size int) {
	var b []byte
	for range perRegister(size) {
		b = append(b, isel.Element(elem, size)...)
	}
	s.Add(setVector, isel.Def(viewQ, r), isel.Data(b))
}

// lane is an element of a vector register.
func lane(a mach.Arg, i int) mach.Arg {
	a.Imm = int64(i) + 1
	return a
}

// modifier is an immediate that is no plain number.
func modifier(kind uint8, n int) mach.Arg {
	return mach.Arg{Kind: mach.ImmArg, View: kind, Imm: int64(n)}
}

// cond is a condition as an operand.
func cond(c arm64.Cond) mach.Arg { return modifier(condition, int(c)) }

// addInt adds a number.
func (s *selector) addInt(d, x mach.Reg, n int64) {
	switch {
	case n >= 0 && n < 1<<12:
		s.op(arm64.ADD, isel.Def(viewX, d), isel.Use(viewX, x), isel.Imm(n))
	case n < 0 && n > -1<<12:
		s.op(arm64.SUB, isel.Def(viewX, d), isel.Use(viewX, x), isel.Imm(-n))
	default:
		t := s.Integer()
		s.Add(setInt, isel.Def(viewX, t), isel.Imm(n))
		s.op(arm64.ADD, isel.Def(viewX, d), isel.Use(viewX, x), isel.Use(viewX, t))
	}
}
