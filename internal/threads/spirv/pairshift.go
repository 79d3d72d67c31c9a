package spirv

import "github.com/cutile-go/cutile/internal/spirv"

// shift is a shift of a pair: bits leave the word from and go over to the word into.
type shift struct {
	c          *code
	op         spirv.Op // of the word from
	logical    spirv.Op // of the word into
	back       spirv.Op // the other way
	from, into spirv.ID
	fill       spirv.ID // what the word from becomes in a shift by 32 or more
}

// shiftPair shifts by a number below 64: by its lower five bits, and by a word where bit 5 is set.
func shiftPair(c *code, op spirv.Op, _ spirv.ID, x []spirv.ID) spirv.ID {
	a, n := c.split(x[0]), c.split(x[1]).lo
	s := shift{c, op, op, spirv.OpShiftLeftLogical, a.hi, a.lo, c.word(0)}
	switch op {
	case spirv.OpShiftLeftLogical:
		s.back, s.from, s.into = spirv.OpShiftRightLogical, a.lo, a.hi
	case spirv.OpShiftRightArithmetic:
		s.logical, s.fill = spirv.OpShiftRightLogical, c.do(op, a.hi, c.word(31))
	}
	if k, ok := c.known[n]; ok {
		return s.by(k)
	}
	m := c.do(spirv.OpBitwiseAnd, n, c.word(31))
	from, into := s.near(m, c.do(spirv.OpBitwiseXor, m, c.word(31)))
	far := c.Builder.Compare(spirv.OpINotEqual, c.do(spirv.OpBitwiseAnd, n, c.word(32)), c.word(0))
	return s.result(c.pick(far, s.fill, from), c.pick(far, from, into))
}

// by shifts by a number that is known.
func (s *shift) by(n uint32) spirv.ID {
	m := s.c.word(n & 31)
	if n >= 32 {
		return s.result(s.fill, s.c.do(s.op, s.from, m))
	}
	if n == 0 {
		return s.result(s.from, s.into)
	}
	return s.result(s.near(m, s.c.word(31-n)))
}

// near shifts by m, below 32, where rest is 31 - m. What goes over is shifted in two steps: SPIR-V does not say what a shift by the whole
// width does.
func (s *shift) near(m, rest spirv.ID) (from, into spirv.ID) {
	from = s.c.do(s.op, s.from, m)
	over := s.c.do(s.back, s.c.do(s.back, s.from, s.c.word(1)), rest)
	return from, s.c.do(spirv.OpBitwiseOr, s.c.do(s.logical, s.into, m), over)
}

func (s *shift) result(from, into spirv.ID) spirv.ID {
	if s.op == spirv.OpShiftLeftLogical {
		return s.c.join(from, into)
	}
	return s.c.join(into, from)
}
