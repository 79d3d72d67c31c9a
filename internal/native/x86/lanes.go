package x86

import (
	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// laneRules has the rules for lanes.
var laneRules = map[vec.Op]rule{
	vec.Move: func(s *selector, in *vec.Instr) { s.moveParts(in) },
	vec.First: func(s *selector, in *vec.Instr) {
		d, n := s.uniform(in)
		x := s.one(in.Src[0])
		for _, r := range d[:n] {
			s.op(moves[in.Type].broadcast, def(s.view(in), r), use(xmm, x))
		}
	},
	vec.Down:    down,
	vec.Permute: permute,
	vec.FMulAdd: fma,
}

// moveParts copies a vector or a mask.
func (s *selector) moveParts(in *vec.Instr) {
	src, view := s.parts(in.Src[0]), s.view(in)
	for i, r := range s.dst(in) {
		s.add(moveVector, def(view, r), use(view, src[i]))
	}
}

// down moves upper lanes down. Only the lanes below the distance mean something.
func down(s *selector, in *vec.Instr) {
	x, view := s.parts(in.Src[0]), s.view(in)
	bytes := int(in.Imm) * in.Type.Bytes()
	if bytes >= bytesOf(view) { // whole registers
		n := bytes / bytesOf(view)
		d := s.dst(in)
		for i, r := range d {
			s.add(moveVector, def(view, r), use(view, x[n+i%n]))
		}
		return
	}
	t := s.piece(x, view, bytes, bytes)
	d, n := s.uniform(in)
	for _, r := range d[1:n] {
		s.add(moveVector, def(view, r), use(view, t))
	}
	s.put(view, d[0], t)
}

// fma takes the place of an operand that is not needed any more, if there is one.
func fma(s *selector, in *vec.Instr) {
	op231, op213 := amd64.VFMADD231PS, amd64.VFMADD213PS
	if in.Type == vec.F64 {
		op231, op213 = amd64.VFMADD231PD, amd64.VFMADD213PD
	}
	view := s.view(in)
	a, b, c := in.Src[0], in.Src[1], in.Src[2]
	if b == in.Dst || s.dies(b) && !s.dies(a) && a != in.Dst {
		a, b = b, a
	}
	product := c != in.Dst && (a == in.Dst || b == in.Dst || s.dies(a) && !s.dies(c))
	x, y, z := s.parts(a), s.parts(b), s.parts(c)
	for i, r := range s.dst(in) {
		if product {
			s.add(moveVector, def(view, r), use(view, x[i]))
			s.op(op213, useDef(view, r), use(view, y[i]), use(view, z[i]))
			continue
		}
		s.add(moveVector, def(view, r), use(view, z[i]))
		s.op(op231, useDef(view, r), use(view, x[i]), use(view, y[i]))
	}
}

// partRule makes a register of the result from those of the operands. Rules write a register of the result only after
// everything that reads the same one of an operand, since they may be the same.
type partRule func(s *selector, in *vec.Instr, view uint8, a, b mach.Reg) mach.Reg

// eachPart does the same for each register of a vector.
func eachPart(f partRule) rule {
	return func(s *selector, in *vec.Instr) {
		view := s.view(in)
		x, y := s.parts(in.Src[0]), s.parts(in.Src[1])
		for i, r := range s.dst(in) {
			var b mach.Reg
			if y != nil {
				b = y[i]
			}
			s.put(view, r, f(s, in, view, x[i], b))
		}
	}
}

// products gives the rules for products and shifts that all levels compute from others.
func (t *entries) products() {
	t.rule(vec.Mul, wideBytes(amd64.VPMULLW, amd64.VPMOVZXBW, 0), vec.I8)
	t.rule(vec.MulHi, wideBytes(amd64.VPMULLW, amd64.VPMOVSXBW, 8), vec.I8)
	t.rule(vec.MulHiU, wideBytes(amd64.VPMULLW, amd64.VPMOVZXBW, 8), vec.I8)
	t.rule(vec.ShlImm, wideImm(amd64.VPSLLW, amd64.VPMOVZXBW), vec.I8)
	t.rule(vec.ShrUImm, wideImm(amd64.VPSRLW, amd64.VPMOVZXBW), vec.I8)
	t.rule(vec.ShrImm, wideImm(amd64.VPSRAW, amd64.VPMOVSXBW), vec.I8)
	t.rule(vec.MulHi, eachPart(mulHi32(amd64.VPMULDQ)), vec.I32)
	t.rule(vec.MulHiU, eachPart(mulHi32(amd64.VPMULUDQ)), vec.I32)
	t.rule(vec.MulHi, eachPart(mulHi64), vec.I64)
	t.rule(vec.MulHiU, eachPart(mulHiU64), vec.I64)
}

// wideBytes computes bytes in lanes of 16 bits, and takes eight bits from the given one on.
func wideBytes(op, extend amd64.Op, shift int64) rule {
	return func(s *selector, in *vec.Instr) {
		t := s.calc(op, ymm, s.extend(extend, in.Src[0]), s.extend(extend, in.Src[1]))
		if shift != 0 {
			t = s.calcImm(amd64.VPSRLW, ymm, ymm, shift, t)
		}
		s.narrowBytes(s, s.dst(in)[0], t)
	}
}

// wideImm is wideBytes for an operation with an immediate.
func wideImm(op, extend amd64.Op) rule {
	return func(s *selector, in *vec.Instr) {
		s.narrowBytes(s, s.dst(in)[0], s.calcImm(op, ymm, ymm, in.Imm, s.extend(extend, in.Src[0])))
	}
}

// extend gives bytes as lanes of 16 bits.
func (s *selector) extend(op amd64.Op, x vec.Reg) mach.Reg {
	t := s.vector()
	s.op(op, def(ymm, t), use(xmm, s.one(x)))
	return t
}

// mulHi32 multiplies the even and the odd lanes of 32 bits to 64 bits and takes the upper halves.
func mulHi32(op amd64.Op) partRule {
	return func(s *selector, _ *vec.Instr, view uint8, a, b mach.Reg) mach.Reg {
		even := s.calcImm(amd64.VPSRLQ, view, view, 32, s.calc(op, view, a, b))
		odd := s.calc(op, view, s.calcImm(amd64.VPSRLQ, view, view, 32, a), s.calcImm(amd64.VPSRLQ, view, view, 32, b))
		return s.calc(s.or, view, s.calcConst(s.and, view, odd, -1<<32, 8), even)
	}
}

// mulHiU64 adds the four products of the halves, as in long multiplication.
func mulHiU64(s *selector, _ *vec.Instr, view uint8, a, b mach.Reg) mach.Reg {
	upper := func(x mach.Reg) mach.Reg { return s.calcImm(amd64.VPSRLQ, view, view, 32, x) }
	add := func(x, y mach.Reg) mach.Reg { return s.calc(amd64.VPADDQ, view, x, y) }
	mul := func(x, y mach.Reg) mach.Reg { return s.calc(amd64.VPMULUDQ, view, x, y) } // of the lower halves
	upperA, upperB := upper(a), upper(b)
	t := add(upper(mul(a, b)), mul(a, upperB))
	u := add(s.calcConst(s.and, view, t, 1<<32-1, 8), mul(upperA, b))
	return add(add(mul(upperA, upperB), upper(t)), upper(u))
}

// mulHi64 subtracts each operand where the other one is negative.
func mulHi64(s *selector, in *vec.Instr, view uint8, a, b mach.Reg) mach.Reg {
	p := mulHiU64(s, in, view, a, b)
	p = s.calc(amd64.VPSUBQ, view, p, s.calc(s.and, view, s.sign64(view, a), b))
	return s.calc(amd64.VPSUBQ, view, p, s.calc(s.and, view, s.sign64(view, b), a))
}

// sign64 has the sign of each lane of 64 bits in all bits of it.
func (s *selector) sign64(view uint8, x mach.Reg) mach.Reg {
	return s.calcImm(amd64.VPSRAD, view, view, 31, s.calcImm(amd64.VPSHUFD, view, view, 0xf5, x)) // the upper halves, twice
}

// predicates are the numbers of comparisons of integers and of floats, of which none raises an exception.
var predicates = [...]struct{ ints, floats int64 }{
	vec.EQ: {amd64.IntEQ, amd64.EQ_OQ}, vec.NE: {amd64.IntNE, amd64.NEQ_UQ},
	vec.LT: {amd64.IntLT, amd64.LT_OQ}, vec.LE: {amd64.IntLE, amd64.LE_OQ}, vec.GT: {amd64.IntGT, amd64.GT_OQ}, vec.GE: {amd64.IntGE, amd64.GE_OQ},
	vec.ULT: {amd64.IntLT, 0}, vec.ULE: {amd64.IntLE, 0}, vec.UGT: {amd64.IntGT, 0}, vec.UGE: {amd64.IntGE, 0},
	vec.Unordered: {0, amd64.UNORD_Q}, vec.Ordered: {0, amd64.ORD_Q},
}

// clampLanes gives a number in the range from 0 to the number of lanes.
func (s *selector) clampLanes(x vec.Reg) mach.Reg {
	n := s.integer()
	s.add(moveInt, def(r64, n), use(r64, s.one(x)))
	for _, limit := range []struct {
		n    int64
		move amd64.Op
	}{{vec.Lanes, amd64.CMOVG}, {0, amd64.CMOVL}} {
		r := s.integer()
		s.add(setInt, def(r64, r), imm(limit.n))
		s.op(amd64.CMP, use(r64, n), use(r64, r))
		s.op(limit.move, useDef(r64, n), use(r64, r))
	}
	return n
}
