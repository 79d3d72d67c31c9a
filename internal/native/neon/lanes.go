package neon

import (
	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// lanes has the rules for lanes of any bits.
var lanes = map[vec.Op]rule{
	vec.Const: func(s *selector, in *vec.Instr) {
		d, n := s.Uniform(in, 1)
		for _, r := range d[:n] {
			s.setAll(r, in.Imm, in.Type.Bytes())
		}
	},
	vec.Iota: func(s *selector, in *vec.Instr) { s.iota(s.Dst(in), in.Type.Bytes()) },
	vec.Splat: func(s *selector, in *vec.Instr) {
		d, n := s.Uniform(in, 1)
		w := widths[in.Type.Bytes()]
		for _, r := range d[:n] {
			s.op(arm64.DUP, isel.Def(w.whole, r), isel.Use(w.general, s.One(in.Src[0])))
		}
	},
	vec.First: func(s *selector, in *vec.Instr) {
		x := s.One(in.Src[0])
		d, n := s.Uniform(in, 1)
		w := widths[in.Type.Bytes()]
		for _, r := range d[:n] {
			s.op(arm64.DUP, isel.Def(w.whole, r), lane(isel.Use(w.lane, x), 0))
		}
	},
	vec.SFirst: func(s *selector, in *vec.Instr) {
		op := arm64.SMOV
		if in.Type == vec.I64 {
			op = arm64.UMOV
		}
		s.op(op, s.result(in), lane(isel.Use(widths[in.Type.Bytes()].lane, s.One(in.Src[0])), 0))
	},
	vec.Move:    func(s *selector, in *vec.Instr) { s.move(s.Dst(in), s.Parts(in.Src[0])) },
	vec.Down:    down,
	vec.Permute: permute,
	vec.Select:  choose,
}

// iota fills registers with the numbers of the lanes.
func (s *selector) iota(d isel.Parts, size int) {
	for i, r := range d {
		var b []byte
		for k := range perRegister(size) {
			b = append(b, isel.Element(int64(i*perRegister(size)+k), size)...)
		}
		s.Add(setVector, isel.Def(viewQ, r), isel.Data(b))
	}
}

// down moves upper lanes down: whole registers, or inside of the first one. The registers that have no lanes below the
// distance mean nothing, and repeat the others.
func down(s *selector, in *vec.Instr) {
	bytes := int(in.Imm) * in.Type.Bytes()
	n := max(1, bytes/16)
	x := s.Parts(in.Src[0])
	d, fill := s.Uniform(in, n)
	if bytes < 16 {
		s.op(arm64.EXT, isel.Def(view16B, d[0]), isel.Use(view16B, x[0]), isel.Use(view16B, x[0]), isel.Imm(int64(bytes)))
	} else {
		s.move(d[:n], x[n:])
	}
	for i := n; i < fill; i += n {
		s.move(d[i:i+n], d[:n])
	}
}

// choose brings the mask to the width of the lanes. Where one choice is zero, the mask removes bits of the other one.
func choose(s *selector, in *vec.Instr) {
	size := in.Type.Bytes()
	if bits, ok := s.maskBits(in.Src[0]); ok {
		s.pickKnown(in, bits, perRegister(size))
		return
	}
	m, x, y := s.resize(s.Parts(in.Src[0]), maskBytes, size), in.Src[1], in.Src[2]
	switch {
	case s.zero(y, size):
		s.remove(arm64.AND, in, x, m)
	case s.zero(x, size):
		s.remove(arm64.BIC, in, y, m)
	default:
		s.pick(in, m, s.Dies(in.Src[0]) || size != maskBytes, x, y)
	}
}

// zero reports whether an operand with lanes of a size is always zero.
func (s *selector) zero(r vec.Reg, size int) bool {
	bits, ok := s.Constant(r)
	return ok && bits<<(64-8*size) == 0
}

func (s *selector) remove(op arm64.Op, in *vec.Instr, x vec.Reg, m isel.Parts) {
	from := s.Parts(x)
	for i, d := range s.Dst(in) {
		s.op(op, isel.Def(view16B, d), isel.Use(view16B, from[i]), isel.Use(view16B, m[i]))
	}
}

// pick takes lanes of x where the mask is set, and of y elsewhere. The instructions write to one of their operands: to one
// that is not needed any more, if there is one.
func (s *selector) pick(in *vec.Instr, m isel.Parts, maskDies bool, x, y vec.Reg) {
	px, py := s.Parts(x), s.Parts(y)
	d := s.Dst(in)
	toX, toY := x == in.Dst, y == in.Dst
	if !toX && !toY && !maskDies {
		toX = s.Dies(x) && !s.Dies(y)
		toY = !toX
	}
	for i, r := range d {
		switch {
		case toX:
			s.merge(arm64.BIF, r, px[i], py[i], m[i])
		case toY:
			s.merge(arm64.BIT, r, py[i], px[i], m[i])
		default:
			s.merge(arm64.BSL, r, m[i], px[i], py[i])
		}
	}
}

// merge copies an operand to the result and changes it by an operation with two others.
func (s *selector) merge(op arm64.Op, d, first, a, b mach.Reg) {
	s.Add(moveVector, isel.Def(view16B, d), isel.Use(view16B, first))
	s.op(op, isel.UseDef(view16B, d), isel.Use(view16B, a), isel.Use(view16B, b))
}

// maskBits gives the lanes of a mask that is always the same, as bits.
func (s *selector) maskBits(m vec.Reg) (bits int64, ok bool) {
	in, ok := s.Only(m)
	return in.Imm & (1<<vec.Lanes - 1), ok && in.Op == vec.MBits
}

// setBits fills a register with lanes of a size that are all ones where a bit is set.
func (s *selector) setBits(r mach.Reg, bits int64, size int) {
	var b []byte
	for i := range perRegister(size) {
		b = append(b, isel.Element(-(bits>>i&1), size)...)
	}
	s.Add(setVector, isel.Def(viewQ, r), isel.Data(b))
}

// pickKnown chooses by a mask that is always the same, n lanes of it for each register.
func (s *selector) pickKnown(in *vec.Instr, bits int64, n int) {
	x, y := s.Parts(in.Src[1]), s.Parts(in.Src[2])
	for i, d := range s.Dst(in) {
		switch part := bits >> (i * n) & (1<<n - 1); part {
		case 0:
			s.Add(moveVector, isel.Def(view16B, d), isel.Use(view16B, y[i]))
		case 1<<n - 1:
			s.Add(moveVector, isel.Def(view16B, d), isel.Use(view16B, x[i]))
		default:
			m := s.Vector()
			s.setBits(m, part, 16/n)
			if in.Src[1] == in.Dst {
				s.merge(arm64.BIF, d, x[i], y[i], m)
			} else {
				s.merge(arm64.BIT, d, y[i], x[i], m)
			}
		}
	}
}
