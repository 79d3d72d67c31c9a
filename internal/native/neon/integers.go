package neon

import (
	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// integers has the rules for integers.
var integers = map[vec.Op]rule{
	vec.Mul:     wide(mul64),
	vec.MulHi:   mulHigh(arm64.SMULL, arm64.SMULL2, arm64.SMULH),
	vec.MulHiU:  mulHigh(arm64.UMULL, arm64.UMULL2, arm64.UMULH),
	vec.Min:     wide(smaller64(arm64.CMGT, false)),
	vec.Max:     wide(smaller64(arm64.CMGT, true)),
	vec.MinU:    wide(smaller64(arm64.CMHI, false)),
	vec.MaxU:    wide(smaller64(arm64.CMHI, true)),
	vec.Shl:     shift(arm64.USHL, false),
	vec.ShrU:    shift(arm64.USHL, true),
	vec.Shr:     shift(arm64.SSHL, true),
	vec.ShlImm:  shiftImm(arm64.SHL),
	vec.ShrUImm: shiftImm(arm64.USHR),
	vec.ShrImm:  shiftImm(arm64.SSHR),
}

// mul64 adds the products of the halves of each lane that reach its lower 64 bits.
func mul64(s *selector, in *vec.Instr) {
	x, y := s.Parts(in.Src[0]), s.Parts(in.Src[1])
	for i, d := range s.Dst(in) {
		swapped, cross, sum, low, a, b := s.Vector(), s.Vector(), s.Vector(), s.Vector(), s.Vector(), s.Vector()
		s.op(arm64.REV64, isel.Def(view4S, swapped), isel.Use(view4S, y[i]))
		s.op(arm64.MUL, isel.Def(view4S, cross), isel.Use(view4S, swapped), isel.Use(view4S, x[i]))
		s.op(arm64.UADDLP, isel.Def(view2D, sum), isel.Use(view4S, cross))
		s.op(arm64.SHL, isel.Def(view2D, low), isel.Use(view2D, sum), isel.Imm(32))
		s.op(arm64.XTN, isel.Def(view2S, a), isel.Use(view2D, x[i]))
		s.op(arm64.XTN, isel.Def(view2S, b), isel.Use(view2D, y[i]))
		s.Add(moveVector, isel.Def(view16B, d), isel.Use(view16B, low))
		s.op(arm64.UMLAL, isel.UseDef(view2D, d), isel.Use(view2S, a), isel.Use(view2S, b))
	}
}

// mulHigh multiplies to lanes of twice the width and takes their upper halves. For 64 bits, general registers do that.
func mulHigh(low, high, scalar arm64.Op) rule {
	return func(s *selector, in *vec.Instr) {
		x, y, size := s.Parts(in.Src[0]), s.Parts(in.Src[1]), in.Type.Bytes()
		for i, d := range s.Dst(in) {
			if size == 8 {
				s.laneByLane(scalar, d, x[i], y[i])
				continue
			}
			a, b, w, wide := s.Vector(), s.Vector(), widths[size], widths[2*size].whole
			s.op(low, isel.Def(wide, a), isel.Use(w.half, x[i]), isel.Use(w.half, y[i]))
			s.op(high, isel.Def(wide, b), isel.Use(w.whole, x[i]), isel.Use(w.whole, y[i]))
			s.op(arm64.UZP2, isel.Def(w.whole, d), isel.Use(w.whole, a), isel.Use(w.whole, b))
		}
	}
}

// laneByLane runs an operation of general registers on the two lanes of vector registers.
func (s *selector) laneByLane(op arm64.Op, d, x, y mach.Reg) {
	t := s.Vector() // the result may be an operand
	for i := range 2 {
		a, b, c := s.Integer(), s.Integer(), s.Integer()
		s.op(arm64.UMOV, isel.Def(viewX, a), lane(isel.Use(viewD, x), i))
		s.op(arm64.UMOV, isel.Def(viewX, b), lane(isel.Use(viewD, y), i))
		s.op(op, isel.Def(viewX, c), isel.Use(viewX, a), isel.Use(viewX, b))
		s.setLane(t, viewD, i, isel.Use(viewX, c))
	}
	s.Add(moveVector, isel.Def(view16B, d), isel.Use(view16B, t))
}

// setLane fills a lane. The first one clears the others.
func (s *selector) setLane(d mach.Reg, view uint8, i int, x mach.Arg) {
	if i == 0 && x.Imm == 0 {
		s.op(arm64.FMOV, isel.Def(view, d), x)
		return
	}
	s.op(arm64.INS, lane(isel.UseDef(view, d), i), x)
}

// smaller64 compares lanes of 64 bits and takes the smaller or larger ones.
func smaller64(greater arm64.Op, larger bool) rule {
	return func(s *selector, in *vec.Instr) {
		x, y := in.Src[0], in.Src[1]
		m := s.vectors(len(s.Parts(x)))
		for i := range m {
			s.op(greater, isel.Def(view2D, m[i]), isel.Use(view2D, s.Parts(x)[i]), isel.Use(view2D, s.Parts(y)[i]))
		}
		if !larger {
			x, y = y, x
		}
		s.pick(in, m, true, x, y)
	}
}

// shift shifts by counts that are made small enough: the instructions take eight bits of them, with sign, and shift to the
// right by negative ones. A count that is the width or more leaves zeros or signs.
func shift(op arm64.Op, right bool) rule {
	return func(s *selector, in *vec.Instr) {
		size := in.Type.Bytes()
		counts := s.counts(s.Parts(in.Src[1]), size, right)
		x, view := s.Parts(in.Src[0]), widths[size].whole
		for i, d := range s.Dst(in) {
			s.op(op, isel.Def(view, d), isel.Use(view, x[i]), isel.Use(view, counts[i]))
		}
	}
}

// counts are the smaller ones of counts and the width, negated for shifts to the right.
func (s *selector) counts(n isel.Parts, size int, negate bool) isel.Parts {
	if size == 8 {
		return s.counts64(n, negate)
	}
	limit, view := s.all(int64(8*size), size), widths[size].whole
	d := s.vectors(len(n))
	for i := range d {
		s.op(arm64.UMIN, isel.Def(view, d[i]), isel.Use(view, n[i]), isel.Use(view, limit))
		if negate {
			t := s.Vector()
			s.op(arm64.NEG, isel.Def(view, t), isel.Use(view, d[i]))
			d[i] = t
		}
	}
	return d
}

// counts64 uses that a sum without sign stays the largest number where it is more. There is no minimum of 64 bits.
func (s *selector) counts64(n isel.Parts, negate bool) isel.Parts {
	rest := s.all(^int64(64), 8) // what is missing from 64 to the largest number
	d := s.vectors(len(n))
	for i := range d {
		t := s.Vector()
		s.op(arm64.UQADD, isel.Def(view2D, t), isel.Use(view2D, n[i]), isel.Use(view2D, rest))
		a, b := t, rest
		if negate {
			a, b = rest, t
		}
		s.op(arm64.SUB, isel.Def(view2D, d[i]), isel.Use(view2D, a), isel.Use(view2D, b))
	}
	return d
}

// shiftImm shifts by a number. There is no shift to the right by 0.
func shiftImm(op arm64.Op) rule {
	return func(s *selector, in *vec.Instr) {
		x, view := s.Parts(in.Src[0]), widths[in.Type.Bytes()].whole
		for i, d := range s.Dst(in) {
			if in.Imm == 0 {
				s.Add(moveVector, isel.Def(view16B, d), isel.Use(view16B, x[i]))
				continue
			}
			s.op(op, isel.Def(view, d), isel.Use(view, x[i]), isel.Imm(in.Imm))
		}
	}
}
