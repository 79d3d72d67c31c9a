package neon

import (
	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// maskBytes is the size of a mask's lanes.
const maskBytes = 4

// masks has the rules for masks and what makes them.
var masks = map[vec.Op]rule{
	vec.MConst: func(s *selector, in *vec.Instr) {
		elem := int64(0)
		if in.Imm != 0 {
			elem = -1
		}
		d, n := s.Uniform(in, 1)
		for _, r := range d[:n] {
			s.setAll(r, elem, 8)
		}
	},
	vec.MBits: func(s *selector, in *vec.Instr) {
		for i, r := range s.Dst(in) {
			s.setBits(r, in.Imm>>(i*perRegister(maskBytes)), maskBytes)
		}
	},
	vec.MMove:   func(s *selector, in *vec.Instr) { s.move(s.Dst(in), s.Parts(in.Src[0])) },
	vec.MAnd:    maskOp(arm64.AND),
	vec.MOr:     maskOp(arm64.ORR),
	vec.MXor:    maskOp(arm64.EOR),
	vec.MAndNot: maskOp(arm64.BIC),
	vec.MFirst:  firstLanes,
	vec.Cmp:     compare,
	vec.FCmp:    compare,
}

func maskOp(op arm64.Op) rule {
	return func(s *selector, in *vec.Instr) { s.simple(in, row{op, 2, view16B}) }
}

// firstLanes compares the numbers of the lanes with a count, of which it takes 32 bits without changing large ones.
func firstLanes(s *selector, in *vec.Instr) {
	wide, count, n := s.Vector(), s.Vector(), s.Vector()
	s.op(arm64.FMOV, isel.Def(viewD, wide), s.scalar(in.Src[0]))
	s.op(arm64.SQXTN, isel.Def(viewS, count), isel.Use(viewD, wide))
	s.op(arm64.DUP, isel.Def(view4S, n), lane(isel.Use(viewS, count), 0))
	numbers := s.vectors(maskBytes)
	s.iota(numbers, maskBytes)
	for i, d := range s.Dst(in) {
		s.op(arm64.CMGT, isel.Def(view4S, d), isel.Use(view4S, n), isel.Use(view4S, numbers[i]))
	}
}

// comparison is the instruction for a condition.
type comparison struct {
	ints, floats arm64.Op
	swap         bool // of the operands
	not          bool // of the result
}

var comparisons = map[vec.Cond]comparison{
	vec.EQ: {arm64.CMEQ, arm64.FCMEQ, false, false}, vec.NE: {arm64.CMEQ, arm64.FCMEQ, false, true},
	vec.GT: {arm64.CMGT, arm64.FCMGT, false, false}, vec.GE: {arm64.CMGE, arm64.FCMGE, false, false},
	vec.LT: {arm64.CMGT, arm64.FCMGT, true, false}, vec.LE: {arm64.CMGE, arm64.FCMGE, true, false},
	vec.UGT: {arm64.CMHI, 0, false, false}, vec.UGE: {arm64.CMHS, 0, false, false},
	vec.ULT: {arm64.CMHI, 0, true, false}, vec.ULE: {arm64.CMHS, 0, true, false},
	vec.Ordered: {0, arm64.FCMEQ, false, false}, vec.Unordered: {0, arm64.FCMEQ, false, true},
}

// compare compares lanes and gives the result lanes of the size of a mask's.
func compare(s *selector, in *vec.Instr) {
	c, size := comparisons[in.Cond], in.Type.Bytes()
	op := c.ints
	if in.Type.Float() {
		op = c.floats
	}
	x, y := in.Src[0], in.Src[1]
	if c.swap {
		x, y = y, x
	}
	m := s.vectors(len(s.Parts(x)))
	for i := range m {
		a, b := s.Parts(x)[i], s.Parts(y)[i]
		if in.Cond == vec.Ordered || in.Cond == vec.Unordered {
			s.ordered(widths[size].whole, m[i], a, b)
		} else {
			s.op(op, isel.Def(widths[size].whole, m[i]), isel.Use(widths[size].whole, a), isel.Use(widths[size].whole, b))
		}
		if c.not {
			m[i] = s.not(m[i])
		}
	}
	s.move(s.Dst(in), s.resize(m, size, maskBytes))
}

// not inverts a register.
func (s *selector) not(x mach.Reg) mach.Reg {
	t := s.Vector()
	s.op(arm64.NOT, isel.Def(view16B, t), isel.Use(view16B, x))
	return t
}

// ordered finds lanes in which neither operand is NaN, which is not equal to itself.
func (s *selector) ordered(view uint8, d, x, y mach.Reg) {
	if x == y {
		s.op(arm64.FCMEQ, isel.Def(view, d), isel.Use(view, x), isel.Use(view, x))
		return
	}
	a, b := s.Vector(), s.Vector()
	s.op(arm64.FCMEQ, isel.Def(view, a), isel.Use(view, x), isel.Use(view, x))
	s.op(arm64.FCMEQ, isel.Def(view, b), isel.Use(view, y), isel.Use(view, y))
	s.op(arm64.AND, isel.Def(view16B, d), isel.Use(view16B, a), isel.Use(view16B, b))
}

// resize gives a mask of lanes of a size lanes of another size.
func (s *selector) resize(m isel.Parts, from, to int) isel.Parts {
	for ; from < to; from *= 2 {
		m = s.widen(m, from, arm64.SXTL, arm64.SXTL2)
	}
	for ; from > to; from /= 2 {
		m = s.narrow(m, from)
	}
	return m
}

// widen gives lanes of a size twice that size: op for the lower half of a register, op2 for the upper one.
func (s *selector) widen(x isel.Parts, from int, op, op2 arm64.Op) isel.Parts {
	d := s.vectors(2 * len(x))
	for i, r := range x {
		s.op(op, isel.Def(widths[2*from].whole, d[2*i]), isel.Use(widths[from].half, r))
		s.op(op2, isel.Def(widths[2*from].whole, d[2*i+1]), isel.Use(widths[from].whole, r))
	}
	return d
}

// narrow takes the lower halves of lanes of a size.
func (s *selector) narrow(x isel.Parts, from int) isel.Parts {
	d, view := s.vectors(len(x)/2), widths[from/2].whole
	for i := range d {
		s.op(arm64.UZP1, isel.Def(view, d[i]), isel.Use(view, x[2*i]), isel.Use(view, x[2*i+1]))
	}
	return d
}
