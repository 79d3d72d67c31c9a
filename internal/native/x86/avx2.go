package x86

import (
	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// avx2 is AVX2 with FMA, F16C and BMI: 16 registers of 256 bits. A mask is a vector of 32-bit lanes whose bits are all alike.
var avx2 = &level{
	name: "avx2", host: host.LevelAVX2,
	shapes: [...]shape{
		vec.Scalar: {mach.Int, 1, r64}, vec.Mask: {mach.Vector, 2, ymm},
		vec.V8: {mach.Vector, 1, xmm}, vec.V16: {mach.Vector, 1, ymm}, vec.V32: {mach.Vector, 2, ymm}, vec.V64: {mach.Vector, 4, ymm},
	},
	vectors: 16, view: ymm,
	bitwise: bitwise{amd64.VPAND, amd64.VPOR, amd64.VPXOR, amd64.VPANDN},
	halves:  halves{extract: amd64.VEXTRACTI128, insert: amd64.VINSERTI128},
	masking: masking{
		bits: func(s *selector, m vec.Reg) mach.Reg {
			lower, upper := s.integer(), s.integer()
			s.op(amd64.VMOVMSKPS, def(r32, lower), use(ymm, s.parts(m)[0]))
			s.op(amd64.VMOVMSKPS, def(r32, upper), use(ymm, s.parts(m)[1]))
			s.op(amd64.SHL, useDef(r32, upper), imm(8))
			s.op(amd64.OR, useDef(r32, lower), use(r32, upper))
			return lower
		},
		anyBranch: func(s *selector, in *vec.Instr) {
			m := s.parts(in.Src[0])
			t := use(ymm, s.calc(amd64.VPOR, ymm, m[0], m[1]))
			s.op(amd64.VPTEST, t, t)
			s.openBranch(in, amd64.JE)
		},
		groups: groupMasks2,
	},
	narrowBytes: narrowBytes2, words: words2,
}

// entries2 has what the level does.
func entries2() *entries {
	t := both()
	t.bits(avx2.bitwise, avx2.bitwise)
	t.imms(vec.FRound, noExceptions, ops{vec.F32: amd64.VROUNDPS, vec.F64: amd64.VROUNDPD})
	t.rules(rules2)
	for _, r := range []struct {
		op   vec.Op
		rule rule
		typ  vec.Type
	}{
		{vec.Mul, eachPart(mul64), vec.I64},
		{vec.Min, eachPart(choose64(false, false)), vec.I64},
		{vec.Max, eachPart(choose64(true, false)), vec.I64},
		{vec.MinU, eachPart(choose64(false, true)), vec.I64},
		{vec.MaxU, eachPart(choose64(true, true)), vec.I64},
		{vec.Shr, eachPart(shr64), vec.I64},
		{vec.ShrImm, eachPart(shrImm64), vec.I64},
	} {
		t.rule(r.op, r.rule, r.typ)
	}
	t.rule(vec.Shl, shiftIn32(amd64.VPSLLVD, zeroExtends), vec.I8, vec.I16)
	t.rule(vec.ShrU, shiftIn32(amd64.VPSRLVD, zeroExtends), vec.I8, vec.I16)
	t.rule(vec.Shr, shiftIn32(amd64.VPSRAVD, signExtends), vec.I8, vec.I16)
	return t
}

// rules2 has the rules of the level.
var rules2 = map[vec.Op]rule{
	vec.Load: load2, vec.Store: store2,
	vec.Splat: func(s *selector, in *vec.Instr) {
		t := s.vector()
		if in.Type.Bytes() == 8 {
			s.op(amd64.VMOVQ, def(xmm, t), use(r64, s.one(in.Src[0])))
		} else {
			s.op(amd64.VMOVD, def(xmm, t), use(r32, s.one(in.Src[0])))
		}
		d, n := s.uniform(in)
		for _, r := range d[:n] {
			s.op(moves[in.Type].broadcast, def(s.view(in), r), use(xmm, t))
		}
	},
	vec.Select: func(s *selector, in *vec.Instr) {
		if s.selectKnown(in) {
			return
		}
		size, view := in.Type.Bytes(), s.view(in)
		m, x, y := s.maskLanes(in.Src[0], size), s.parts(in.Src[1]), s.parts(in.Src[2])
		for i, r := range s.dst(in) {
			s.op(masked2[size].blend, def(view, r), use(view, y[i]), use(view, x[i]), use(view, m[i]))
		}
	},
	vec.FScale: func(s *selector, in *vec.Instr) { eachPart(scales[in.Type].part)(s, in) },
	vec.Cmp:    compare2,
	vec.FCmp: func(s *selector, in *vec.Instr) {
		op := compares[in.Type][0]
		x, y := s.parts(in.Src[0]), s.parts(in.Src[1])
		c := make(parts, len(x))
		for i := range c {
			c[i] = s.vector()
			s.op(op, def(ymm, c[i]), use(ymm, x[i]), use(ymm, y[i]), imm(predicates[in.Cond].floats))
		}
		s.setMaskFrom(s.dst(in), c, in.Type.Bytes())
	},
	vec.Truncate: func(s *selector, in *vec.Instr) {
		s.truncate(s.dst(in), s.parts(in.Src[0]), in.Type.Bytes(), in.From.Bytes())
	},
	vec.FromInt: fromInt2, vec.ToInt: toInt2,
	vec.MConst: func(s *selector, in *vec.Instr) {
		op := setZero
		if in.Imm != 0 {
			op = setOnes
		}
		d, n := s.uniform(in)
		for _, r := range d[:n] {
			s.add(op, def(ymm, r))
		}
	},
	vec.MBits: func(s *selector, in *vec.Instr) {
		for i, r := range s.dst(in) {
			s.add(setVector, def(ymm, r), data(spreadBits(in.Imm>>(8*i), 8, 4)), imm(int64(amd64.VMOVUPS)))
		}
	},
	vec.MMove: func(s *selector, in *vec.Instr) { s.moveParts(in) },
	vec.MFirst: func(s *selector, in *vec.Instr) {
		t, n := s.vector(), s.vector()
		s.op(amd64.VMOVD, def(xmm, t), use(r32, s.clampLanes(in.Src[0])))
		s.op(amd64.VPBROADCASTD, def(ymm, n), use(xmm, t))
		for i, r := range s.dst(in) {
			s.op(amd64.VPCMPGTD, def(ymm, r), use(ymm, n), data(count(8*i, 8, 4)))
		}
	},
}

// masked2 are the instructions with a mask, by the bytes of a lane. Narrow lanes are read and written one by one.
var masked2 = [9]struct{ move, blend amd64.Op }{
	1: {0, amd64.VPBLENDVB}, 2: {0, amd64.VPBLENDVB}, 4: {amd64.VMASKMOVPS, amd64.VBLENDVPS}, 8: {amd64.VMASKMOVPD, amd64.VBLENDVPD},
}

func load2(s *selector, in *vec.Instr) {
	size := in.Type.Bytes()
	op := masked2[size].move
	switch {
	case in.Mask == 0:
		s.load(in)
	case op == 0:
		loadLanes(s, in)
	default:
		m := s.maskLanes(in.Mask, size)
		for i, r := range s.dst(in) {
			s.op(op, def(ymm, r), use(ymm, m[i]), s.memory(in.Mem, 32*i))
		}
	}
}

func store2(s *selector, in *vec.Instr) {
	size := in.Type.Bytes()
	op := masked2[size].move
	switch {
	case in.Mask == 0:
		s.store(amd64.VMOVUPS, in)
	case op == 0:
		storeLanes(s, in)
	default:
		// On Zen 4, layer norm of rows of 768, most of whose masks have all lanes, took 1.9 times as long with masked stores alone.
		s.ifWhole(in, func() { s.store(amd64.VMOVUPS, in) }, func(mach.Reg) {
			m := s.maskLanes(in.Mask, size)
			for i, r := range s.parts(in.Src[0]) {
				s.op(op, s.memory(in.Mem, 32*i), use(ymm, m[i]), use(ymm, r))
			}
		})
	}
}

// maskLanes gives a mask as a vector of lanes of a size.
func (s *selector) maskLanes(m vec.Reg, size int) parts {
	x := s.parts(m)
	switch size {
	case 8:
		wide := s.fresh(vec.V64)
		s.convert(amd64.VPMOVSXDQ, wide, x, vec.I64, vec.I32)
		return wide
	case 4:
		return x
	}
	words := s.pack32(amd64.VPACKSSDW, x)
	if size == 2 {
		return parts{words}
	}
	t := s.vector()
	s.pack16(amd64.VPACKSSWB, t, words)
	return parts{t}
}

// setMaskFrom fills a mask from a vector of lanes of a size, whose bits are all alike.
func (s *selector) setMaskFrom(d, x parts, size int) {
	switch size {
	case 1:
		s.convert(amd64.VPMOVSXBD, d, x, vec.I32, vec.I8)
	case 2:
		s.convert(amd64.VPMOVSXWD, d, x, vec.I32, vec.I16)
	case 4:
		for i := range d {
			s.put(ymm, d[i], x[i])
		}
	default:
		s.pack64(d, x)
	}
}

// groupMasks2 gives the masks of a gather.
func groupMasks2(s *selector, m vec.Reg, size, n int) (out []mach.Arg) {
	view := viewOf(n * size)
	var lanes parts
	if m != 0 {
		lanes = s.maskLanes(m, size)
	}
	for at := 0; at < vec.Lanes*size; at += n * size {
		r := s.vector()
		if m == 0 {
			s.add(setOnes, def(view, r))
		} else {
			s.add(moveVector, def(view, r), use(view, s.piece(lanes, ymm, at, n*size)))
		}
		out = append(out, useDef(view, r))
	}
	return out
}

// inOrder undoes what instructions do that work on halves of 128 bits: it exchanges the middle quarters.
const inOrder = 0xd8

// pack64 takes the lower halves of 64-bit lanes.
func (s *selector) pack64(d, x parts) {
	for i, r := range d {
		t := s.vector()
		s.op(amd64.VSHUFPS, def(ymm, t), use(ymm, x[2*i]), use(ymm, x[2*i+1]), imm(0x88))
		s.op(amd64.VPERMQ, def(ymm, r), use(ymm, t), imm(inOrder))
	}
}

// pack32 makes 16-bit lanes of 32-bit ones, whose values fit.
func (s *selector) pack32(op amd64.Op, x parts) mach.Reg {
	return s.calcImm(amd64.VPERMQ, ymm, ymm, inOrder, s.calc(op, ymm, x[0], x[1]))
}

// pack16 makes 8-bit lanes of 16-bit ones, whose values fit.
func (s *selector) pack16(op amd64.Op, d, x mach.Reg) {
	upper := s.calcImm(amd64.VEXTRACTI128, xmm, ymm, 1, x)
	s.op(op, def(xmm, d), use(xmm, x), use(xmm, upper))
}

func narrowBytes2(s *selector, d, x mach.Reg) {
	s.pack16(amd64.VPACKUSWB, d, s.calcConst(amd64.VPAND, ymm, x, 0xff, 2))
}

// truncate takes the low bytes of lanes, from so many to so many.
func (s *selector) truncate(d, x parts, to, from int) {
	if from == 2 {
		narrowBytes2(s, d[0], x[0])
		return
	}
	if from == 8 {
		t := d
		if to < 4 {
			t = s.fresh(vec.V32)
		}
		s.pack64(t, x)
		x = t
	}
	if to == 4 {
		return
	}
	low := make(parts, len(x)) // so that they fit
	for i := range x {
		low[i] = s.calcConst(amd64.VPAND, ymm, x[i], 1<<(8*to)-1, 4)
	}
	words := s.pack32(amd64.VPACKUSDW, low)
	if to == 2 {
		s.put(ymm, d[0], words)
		return
	}
	s.pack16(amd64.VPACKUSWB, d[0], words)
}

// shiftIn32 shifts narrow lanes as 32-bit ones.
func shiftIn32(op amd64.Op, extend conversions) rule {
	return func(s *selector, in *vec.Instr) {
		x, n := s.fresh(vec.V32), s.fresh(vec.V32)
		by := types{vec.I32, in.Type}
		s.convert(extend[by], x, s.parts(in.Src[0]), vec.I32, in.Type)
		s.convert(zeroExtends[by], n, s.parts(in.Src[1]), vec.I32, in.Type)
		s.truncate(s.dst(in), parts{s.calc(op, ymm, x[0], n[0]), s.calc(op, ymm, x[1], n[1])}, in.Type.Bytes(), 4)
	}
}
