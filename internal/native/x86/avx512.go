package x86

import (
	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// avx512 is AVX-512 with the parts F, BW, DQ and VL, of which 32 registers of 512 bits and mask registers.
var avx512 = &level{
	name: "avx512", host: host.LevelAVX512,
	shapes: [...]shape{
		vec.Scalar: {mach.Int, 1, r64}, vec.Mask: {mach.Mask, 1, kreg},
		vec.V8: {mach.Vector, 1, xmm}, vec.V16: {mach.Vector, 1, ymm}, vec.V32: {mach.Vector, 1, zmm}, vec.V64: {mach.Vector, 2, zmm},
	},
	vectors: 32, view: zmm, scatters: true,
	bitwise: bitwise{amd64.VPANDD, amd64.VPORD, amd64.VPXORD, amd64.VPANDND},
	halves:  halves{amd64.VEXTRACTI32X4, amd64.VINSERTI32X4, amd64.VEXTRACTI64X4, amd64.VINSERTI64X4},
	masking: masking{
		bits: func(s *selector, m vec.Reg) mach.Reg {
			r := s.integer()
			s.op(amd64.KMOVW, def(r32, r), use(kreg, s.one(m)))
			return r
		},
		anyBranch: func(s *selector, in *vec.Instr) {
			k := use(kreg, s.one(in.Src[0]))
			s.op(amd64.KORTESTW, k, k)
			s.openBranch(in, amd64.JE)
		},
		groups: groupMasks512,
	},
	narrowBytes: func(s *selector, d, x mach.Reg) { s.op(amd64.VPMOVWB, def(xmm, d), use(ymm, x)) },
	words:       words512,
}

// entries512 has what the level does.
func entries512() *entries {
	t := both()
	t.bits(avx512.bitwise, bitwise{amd64.KANDW, amd64.KORW, amd64.KXORW, amd64.KANDNW})
	t.rows(vec.Mul, 2, ops{vec.I64: amd64.VPMULLQ})
	t.rows(vec.Min, 2, ops{vec.I64: amd64.VPMINSQ})
	t.rows(vec.Max, 2, ops{vec.I64: amd64.VPMAXSQ})
	t.rows(vec.MinU, 2, ops{vec.I64: amd64.VPMINUQ})
	t.rows(vec.MaxU, 2, ops{vec.I64: amd64.VPMAXUQ})
	t.rows(vec.Shl, 2, ops{vec.I16: amd64.VPSLLVW})
	t.rows(vec.ShrU, 2, ops{vec.I16: amd64.VPSRLVW})
	t.rows(vec.Shr, 2, ops{vec.I16: amd64.VPSRAVW, vec.I64: amd64.VPSRAVQ})
	t.imms(vec.ShrImm, 0, ops{vec.I64: amd64.VPSRAQ})
	t.imms(vec.FRound, noExceptions, ops{vec.F32: amd64.VRNDSCALEPS, vec.F64: amd64.VRNDSCALEPD})
	t.rule(vec.Shl, wideShift(amd64.VPSLLVW, amd64.VPMOVZXBW), vec.I8)
	t.rule(vec.ShrU, wideShift(amd64.VPSRLVW, amd64.VPMOVZXBW), vec.I8)
	t.rule(vec.Shr, wideShift(amd64.VPSRAVW, amd64.VPMOVSXBW), vec.I8)
	t.rules(rules512)
	return t
}

// rules512 has the rules of the level.
var rules512 = map[vec.Op]rule{
	vec.Load: load512, vec.Store: store512,
	vec.Splat: func(s *selector, in *vec.Instr) {
		d, n := s.uniform(in)
		row := splats[in.Type.Bytes()]
		for _, r := range d[:n] {
			s.op(row.op, def(s.view(in), r), use(row.view, s.one(in.Src[0])))
		}
	},
	vec.Select: select512,
	vec.FScale: func(s *selector, in *vec.Instr) {
		convert, scale := amd64.VCVTDQ2PS, amd64.VSCALEFPS
		if in.Type == vec.F64 {
			convert, scale = amd64.VCVTQQ2PD, amd64.VSCALEFPD
		}
		eachPart(func(s *selector, _ *vec.Instr, view uint8, x, n mach.Reg) mach.Reg {
			return s.calc(scale, view, x, s.calc(convert, view, n))
		})(s, in)
	},
	vec.Cmp: compare512, vec.FCmp: compare512,
	vec.Truncate: convertBy(conversions{
		{vec.I8, vec.I16}: amd64.VPMOVWB, {vec.I8, vec.I32}: amd64.VPMOVDB, {vec.I8, vec.I64}: amd64.VPMOVQB,
		{vec.I16, vec.I32}: amd64.VPMOVDW, {vec.I16, vec.I64}: amd64.VPMOVQW, {vec.I32, vec.I64}: amd64.VPMOVQD,
	}),
	vec.FromInt: convertBy(with(fromInts, conversions{{vec.F32, vec.I64}: amd64.VCVTQQ2PS, {vec.F64, vec.I64}: amd64.VCVTQQ2PD})),
	vec.ToInt:   convertBy(with(toInts, conversions{{vec.I64, vec.F32}: amd64.VCVTTPS2QQ, {vec.I64, vec.F64}: amd64.VCVTTPD2QQ})),
	vec.MConst:  func(s *selector, in *vec.Instr) { s.add(setMask, def(kreg, s.dst(in)[0]), imm(in.Imm)) },
	vec.MBits: func(s *selector, in *vec.Instr) {
		bits := s.integer()
		s.add(setInt, def(r64, bits), imm(in.Imm&(1<<vec.Lanes-1)))
		s.op(amd64.KMOVW, def(kreg, s.dst(in)[0]), use(r32, bits))
	},
	vec.MMove: func(s *selector, in *vec.Instr) {
		s.add(moveMask, def(kreg, s.dst(in)[0]), use(kreg, s.one(in.Src[0])))
	},
	vec.MFirst: func(s *selector, in *vec.Instr) {
		n, all, bits := s.clampLanes(in.Src[0]), s.integer(), s.integer()
		s.add(setInt, def(r64, all), imm(1<<vec.Lanes-1))
		s.op(amd64.BZHI, def(r32, bits), use(r32, all), use(r32, n))
		s.op(amd64.KMOVW, def(kreg, s.dst(in)[0]), use(r32, bits))
	},
}

// wideShift shifts bytes in lanes of 16 bits.
func wideShift(op, extend amd64.Op) rule {
	return func(s *selector, in *vec.Instr) {
		s.narrowBytes(s, s.dst(in)[0], s.calc(op, ymm, s.extend(extend, in.Src[0]), s.extend(amd64.VPMOVZXBW, in.Src[1])))
	}
}

// splats bring general registers to all lanes, by the bytes of a lane.
var splats = [9]struct {
	op   amd64.Op
	view uint8
}{1: {amd64.VPBROADCASTB, r32}, 2: {amd64.VPBROADCASTW, r32}, 4: {amd64.VPBROADCASTD, r32}, 8: {amd64.VPBROADCASTQ, r64}}

// masked are the instructions with a mask, by the bytes of a lane.
var masked = [9]struct{ move, blend amd64.Op }{
	1: {amd64.VMOVDQU8, amd64.VPBLENDMB}, 2: {amd64.VMOVDQU16, amd64.VPBLENDMW},
	4: {amd64.VMOVDQU32, amd64.VPBLENDMD}, 8: {amd64.VMOVDQU64, amd64.VPBLENDMQ},
}

func load512(s *selector, in *vec.Instr) {
	if in.Mask == 0 {
		s.load(in)
		return
	}
	view, d := s.view(in), s.dst(in)
	for i, k := range s.split(in.Mask, len(d)) {
		s.op(masked[in.Type.Bytes()].move, def(view, d[i]), s.memory(in.Mem, bytesOf(view)*i), use(writeMask, k)).Zero = true
	}
}

func store512(s *selector, in *vec.Instr) {
	if in.Mask == 0 {
		s.store(amd64.VMOVUPS, in)
		return
	}
	view, x := s.shape(in.Type.Class()).view, s.parts(in.Src[0])
	for i, k := range s.split(in.Mask, len(x)) {
		s.op(masked[in.Type.Bytes()].move, s.memory(in.Mem, bytesOf(view)*i), use(view, x[i]), use(writeMask, k))
	}
}

// groupMasks512 gives the masks of a gather or scatter.
func groupMasks512(s *selector, m vec.Reg, _, n int) (out []mach.Arg) {
	for from := 0; from < vec.Lanes; from += n {
		k := s.code.New(mach.Mask)
		switch {
		case m == 0:
			s.add(setMask, def(kreg, k), imm(1))
		case from == 0:
			s.add(moveMask, def(kreg, k), use(kreg, s.one(m)))
		default:
			s.op(amd64.KSHIFTRW, def(kreg, k), use(kreg, s.one(m)), imm(int64(from)))
		}
		out = append(out, useDef(writeMask, k))
	}
	return out
}

// split gives a mask for each of n parts: the lower and the upper half of it where there are two.
func (s *selector) split(mask vec.Reg, n int) []mach.Reg {
	k := s.one(mask)
	if n == 1 {
		return []mach.Reg{k}
	}
	upper := s.code.New(mach.Mask)
	s.op(amd64.KSHIFTRW, def(kreg, upper), use(kreg, k), imm(8))
	return []mach.Reg{k, upper}
}

func select512(s *selector, in *vec.Instr) {
	view := s.view(in)
	x, y, d := s.parts(in.Src[1]), s.parts(in.Src[2]), s.dst(in)
	if bits, ok := s.maskBits(in.Src[0]); ok && len(d) == 2 && bits>>8 == bits&0xff { // one half of the mask is good for both
		k := s.one(in.Src[0])
		for i, r := range d {
			s.op(amd64.VPBLENDMQ, def(view, r), use(view, y[i]), use(view, x[i]), use(writeMask, k))
		}
		return
	}
	for i, k := range s.split(in.Src[0], len(d)) {
		s.op(masked[in.Type.Bytes()].blend, def(view, d[i]), use(view, y[i]), use(view, x[i]), use(writeMask, k))
	}
}

// compares are the instructions by type, with and without sign.
var compares = [...][2]amd64.Op{
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
	view := s.shape(in.Type.Class()).view
	x, y := s.parts(in.Src[0]), s.parts(in.Src[1])
	d := s.dst(in)[0]
	if len(x) == 1 {
		s.op(op, def(kreg, d), use(view, x[0]), use(view, y[0]), imm(n))
		return
	}
	lower, upper := s.code.New(mach.Mask), s.code.New(mach.Mask)
	s.op(op, def(kreg, lower), use(view, x[0]), use(view, y[0]), imm(n))
	s.op(op, def(kreg, upper), use(view, x[1]), use(view, y[1]), imm(n))
	s.op(amd64.KUNPCKBW, def(kreg, d), use(kreg, upper), use(kreg, lower))
}
