package x86

import (
	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// lanes512 has the rules for lanes.
var lanes512 = map[vec.Op]rule{
	vec.Move: func(s *selector, in *vec.Instr) {
		src := s.parts(in.Src[0])
		for i, r := range s.dst(in) {
			s.add(moveVector, def(zmm, r), use(zmm, src[i]))
		}
	},
	vec.First: func(s *selector, in *vec.Instr) {
		d, n := s.uniform(in)
		x := s.one(in.Src[0])
		for _, r := range d[:n] {
			s.op(moves512[in.Type.Bytes()].broadcast, def(s.shape(in.Type.Class()).view, r), use(xmm, x))
		}
	},
	vec.Down:    down512,
	vec.Select:  select512,
	vec.FMulAdd: fma,
	vec.FScale: func(s *selector, in *vec.Instr) {
		convert, scale := amd64.VCVTDQ2PS, amd64.VSCALEFPS
		if in.Type == vec.F64 {
			convert, scale = amd64.VCVTQQ2PD, amd64.VSCALEFPD
		}
		x, n := s.parts(in.Src[0]), s.parts(in.Src[1])
		for i, r := range s.dst(in) {
			t := s.vector()
			s.op(convert, def(zmm, t), use(zmm, n[i]))
			s.op(scale, def(zmm, r), use(zmm, x[i]), use(zmm, t))
		}
	},
	vec.Cmp: compare512, vec.FCmp: compare512,
	vec.Mul:  wide(amd64.VPMULLW, amd64.VPMOVZXBW, amd64.VPMOVZXBW),
	vec.Shl:  wide(amd64.VPSLLVW, amd64.VPMOVZXBW, amd64.VPMOVZXBW),
	vec.ShrU: wide(amd64.VPSRLVW, amd64.VPMOVZXBW, amd64.VPMOVZXBW),
	vec.Shr:  wide(amd64.VPSRAVW, amd64.VPMOVSXBW, amd64.VPMOVZXBW),

	vec.ShlImm:  wideImm(amd64.VPSLLW, amd64.VPMOVZXBW),
	vec.ShrUImm: wideImm(amd64.VPSRLW, amd64.VPMOVZXBW),
	vec.ShrImm:  wideImm(amd64.VPSRAW, amd64.VPMOVSXBW),
	vec.MulHi:   mulHi512(amd64.VPMULDQ, amd64.VPMOVSXBW),
	vec.MulHiU:  mulHi512(amd64.VPMULUDQ, amd64.VPMOVZXBW),
}

// orTable uses the table where it has the instruction: the rule is for the other types.
func (s *selector) orTable(in *vec.Instr) bool {
	row, ok := s.table[key{in.Op, in.Type}]
	if ok {
		s.simple(in, row)
	}
	return ok
}

// wide computes bytes in lanes of 16 bits.
func wide(op, extendA, extendB amd64.Op) rule {
	return func(s *selector, in *vec.Instr) {
		if s.orTable(in) {
			return
		}
		if in.Type != vec.I8 {
			s.lacks(in)
			return
		}
		a, b := s.vector(), s.vector()
		s.op(extendA, def(ymm, a), use(xmm, s.one(in.Src[0])))
		s.op(extendB, def(ymm, b), use(xmm, s.one(in.Src[1])))
		t := s.vector()
		s.op(op, def(ymm, t), use(ymm, a), use(ymm, b))
		s.narrowBytes(in, t)
	}
}

// wideImm is wide for an operation with an immediate.
func wideImm(op, extend amd64.Op) rule {
	return func(s *selector, in *vec.Instr) {
		if s.orTable(in) {
			return
		}
		a, t := s.vector(), s.vector()
		s.op(extend, def(ymm, a), use(xmm, s.one(in.Src[0])))
		s.op(op, def(ymm, t), use(ymm, a), imm(in.Imm))
		s.narrowBytes(in, t)
	}
}

// narrowBytes takes the low bytes of lanes of 16 bits.
func (s *selector) narrowBytes(in *vec.Instr, x mach.Reg) {
	s.op(amd64.VPMOVWB, def(xmm, s.dst(in)[0]), use(ymm, x))
}

// mulHi512 multiplies the even and the odd lanes of 32 bits to 64 bits and takes the upper halves.
func mulHi512(op, extend amd64.Op) rule {
	return func(s *selector, in *vec.Instr) {
		switch {
		case s.orTable(in):
		case in.Type == vec.I8:
			a, b, t, h := s.vector(), s.vector(), s.vector(), s.vector()
			s.op(extend, def(ymm, a), use(xmm, s.one(in.Src[0])))
			s.op(extend, def(ymm, b), use(xmm, s.one(in.Src[1])))
			s.op(amd64.VPMULLW, def(ymm, t), use(ymm, a), use(ymm, b))
			s.op(amd64.VPSRLW, def(ymm, h), use(ymm, t), imm(8))
			s.narrowBytes(in, h)
		case in.Type == vec.I32:
			s.mulHi32(op, in)
		default:
			s.lacks(in)
		}
	}
}

func (s *selector) mulHi32(op amd64.Op, in *vec.Instr) {
	a, b := s.one(in.Src[0]), s.one(in.Src[1])
	even, oddA, oddB, odd, low := s.vector(), s.vector(), s.vector(), s.vector(), s.vector()
	s.op(op, def(zmm, even), use(zmm, a), use(zmm, b))
	s.op(amd64.VPSRLQ, def(zmm, oddA), use(zmm, a), imm(32))
	s.op(amd64.VPSRLQ, def(zmm, oddB), use(zmm, b), imm(32))
	s.op(op, def(zmm, odd), use(zmm, oddA), use(zmm, oddB))
	s.op(amd64.VPSRLQ, def(zmm, low), use(zmm, even), imm(32))
	upper, mask := s.vector(), s.vector()
	s.add(setVector, def(zmm, mask), data(element(-1<<32, 8)), imm(int64(amd64.VBROADCASTSD)))
	s.op(amd64.VPANDD, def(zmm, upper), use(zmm, odd), use(zmm, mask))
	s.op(amd64.VPORD, def(zmm, s.dst(in)[0]), use(zmm, upper), use(zmm, low))
}

// down512 moves upper lanes down. Only the lanes below the distance mean something.
func down512(s *selector, in *vec.Instr) {
	x, d := s.parts(in.Src[0]), s.dst(in)
	switch in.Type.Class() {
	case vec.V8:
		s.op(amd64.VPSRLDQ, def(xmm, d[0]), use(xmm, x[0]), imm(in.Imm))
	case vec.V16:
		if in.Imm == 8 {
			s.op(amd64.VEXTRACTI32X4, def(xmm, d[0]), use(ymm, x[0]), imm(1))
			return
		}
		s.op(amd64.VPSRLDQ, def(xmm, d[0]), use(xmm, x[0]), imm(2*in.Imm))
	case vec.V32:
		s.op(amd64.VALIGND, def(zmm, d[0]), use(zmm, x[0]), use(zmm, x[0]), imm(in.Imm))
	default:
		t := s.vector() // the result may be the operand
		if in.Imm == 8 {
			s.add(moveVector, def(zmm, t), use(zmm, x[1]))
		} else {
			s.op(amd64.VALIGNQ, def(zmm, t), use(zmm, x[0]), use(zmm, x[0]), imm(in.Imm))
		}
		s.add(moveVector, def(zmm, d[1]), use(zmm, t))
		s.add(moveVector, def(zmm, d[0]), use(zmm, t))
	}
}

func select512(s *selector, in *vec.Instr) {
	op := map[int]amd64.Op{1: amd64.VPBLENDMB, 2: amd64.VPBLENDMW, 4: amd64.VPBLENDMD, 8: amd64.VPBLENDMQ}[in.Type.Bytes()]
	view := s.shape(in.Type.Class()).view
	x, y, d := s.parts(in.Src[1]), s.parts(in.Src[2]), s.dst(in)
	ks := s.split(in.Src[0], len(d))
	for i, r := range d {
		s.op(op, def(view, r), use(view, y[i]), use(view, x[i]), use(writeMask, ks[i]))
	}
}

// fma takes the place of an operand that is not needed any more, if there is one.
func fma(s *selector, in *vec.Instr) {
	op231, op213 := amd64.VFMADD231PS, amd64.VFMADD213PS
	if in.Type == vec.F64 {
		op231, op213 = amd64.VFMADD231PD, amd64.VFMADD213PD
	}
	view := s.shape(in.Type.Class()).view
	a, b, c := in.Src[0], in.Src[1], in.Src[2]
	if s.dies(b) && !s.dies(a) || b == in.Dst {
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

// predicates are the numbers of comparisons of integers and of floats, of which none raises an exception.
var predicates = map[vec.Cond]struct{ ints, floats int64 }{
	vec.EQ: {0, 0x00}, vec.NE: {4, 0x04}, vec.LT: {1, 0x11}, vec.LE: {2, 0x12}, vec.GT: {6, 0x1e}, vec.GE: {5, 0x1d},
	vec.ULT: {1, 0}, vec.ULE: {2, 0}, vec.UGT: {6, 0}, vec.UGE: {5, 0},
	vec.Unordered: {0, 0x03}, vec.Ordered: {0, 0x07},
}

// compares are the instructions by type, with and without sign.
var compares = map[vec.Type][2]amd64.Op{
	vec.I8: {amd64.VPCMPB, amd64.VPCMPUB}, vec.I16: {amd64.VPCMPW, amd64.VPCMPUW},
	vec.I32: {amd64.VPCMPD, amd64.VPCMPUD}, vec.I64: {amd64.VPCMPQ, amd64.VPCMPUQ},
	vec.F32: {amd64.VCMPPS}, vec.F64: {amd64.VCMPPD},
}

func compare512(s *selector, in *vec.Instr) {
	op, n := compares[in.Type][0], predicates[in.Cond].ints
	if in.Type.Float() {
		n = predicates[in.Cond].floats
	} else if in.Cond >= vec.ULT {
		op = compares[in.Type][1]
	}
	sh := s.shape(in.Type.Class())
	x, y := s.parts(in.Src[0]), s.parts(in.Src[1])
	d := s.dst(in)[0]
	if len(x) == 1 {
		s.op(op, def(kreg, d), use(sh.view, x[0]), use(sh.view, y[0]), imm(n))
		return
	}
	lower, upper := s.code.New(mach.Mask), s.code.New(mach.Mask)
	s.op(op, def(kreg, lower), use(sh.view, x[0]), use(sh.view, y[0]), imm(n))
	s.op(op, def(kreg, upper), use(sh.view, x[1]), use(sh.view, y[1]), imm(n))
	s.op(amd64.KUNPCKBW, def(kreg, d), use(kreg, upper), use(kreg, lower))
}
