package x86

import (
	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// convert512 has the rules for conversions.
var convert512 = map[vec.Op]rule{
	vec.SignExtend: func(s *selector, in *vec.Instr) { s.convert(in, signExtends[types{in.Type, in.From}]) },
	vec.ZeroExtend: func(s *selector, in *vec.Instr) { s.convert(in, zeroExtends[types{in.Type, in.From}]) },
	vec.Truncate:   func(s *selector, in *vec.Instr) { s.convert(in, truncates[types{in.Type, in.From}]) },
	vec.FConvert: func(s *selector, in *vec.Instr) {
		if in.Type == vec.F64 && in.From == vec.F16 { // by way of f32, which is exact
			t := s.vector()
			s.op(amd64.VCVTPH2PS, def(zmm, t), use(ymm, s.one(in.Src[0])))
			s.widen(amd64.VCVTPS2PD, s.dst(in), t, shape{view: zmm})
			return
		}
		s.convert(in, floatConverts[types{in.Type, in.From}])
	},
	vec.FromInt: func(s *selector, in *vec.Instr) { s.convert(in, fromInts[types{in.Type, in.From}]) },
	vec.ToInt:   func(s *selector, in *vec.Instr) { s.convert(in, toInts[types{in.Type, in.From}]) },
}

type types struct{ to, from vec.Type }

type conversions = map[types]amd64.Op

var (
	signExtends = conversions{
		{vec.I16, vec.I8}: amd64.VPMOVSXBW, {vec.I32, vec.I8}: amd64.VPMOVSXBD, {vec.I64, vec.I8}: amd64.VPMOVSXBQ,
		{vec.I32, vec.I16}: amd64.VPMOVSXWD, {vec.I64, vec.I16}: amd64.VPMOVSXWQ, {vec.I64, vec.I32}: amd64.VPMOVSXDQ,
	}
	zeroExtends = conversions{
		{vec.I16, vec.I8}: amd64.VPMOVZXBW, {vec.I32, vec.I8}: amd64.VPMOVZXBD, {vec.I64, vec.I8}: amd64.VPMOVZXBQ,
		{vec.I32, vec.I16}: amd64.VPMOVZXWD, {vec.I64, vec.I16}: amd64.VPMOVZXWQ, {vec.I64, vec.I32}: amd64.VPMOVZXDQ,
	}
	truncates = conversions{
		{vec.I8, vec.I16}: amd64.VPMOVWB, {vec.I8, vec.I32}: amd64.VPMOVDB, {vec.I8, vec.I64}: amd64.VPMOVQB,
		{vec.I16, vec.I32}: amd64.VPMOVDW, {vec.I16, vec.I64}: amd64.VPMOVQW, {vec.I32, vec.I64}: amd64.VPMOVQD,
	}
	floatConverts = conversions{
		{vec.F32, vec.F16}: amd64.VCVTPH2PS, {vec.F16, vec.F32}: amd64.VCVTPS2PH,
		{vec.F64, vec.F32}: amd64.VCVTPS2PD, {vec.F32, vec.F64}: amd64.VCVTPD2PS,
	}
	fromInts = conversions{
		{vec.F32, vec.I32}: amd64.VCVTDQ2PS, {vec.F64, vec.I32}: amd64.VCVTDQ2PD,
		{vec.F32, vec.I64}: amd64.VCVTQQ2PS, {vec.F64, vec.I64}: amd64.VCVTQQ2PD,
	}
	toInts = conversions{
		{vec.I32, vec.F32}: amd64.VCVTTPS2DQ, {vec.I32, vec.F64}: amd64.VCVTTPD2DQ,
		{vec.I64, vec.F32}: amd64.VCVTTPS2QQ, {vec.I64, vec.F64}: amd64.VCVTTPD2QQ,
	}
)

// convert writes a conversion for each register of the wider side.
func (s *selector) convert(in *vec.Instr, op amd64.Op) {
	if op == 0 {
		s.lacks(in)
		return
	}
	to, from := s.shape(in.Type.Class()), s.shape(in.From.Class())
	x, d := s.parts(in.Src[0]), s.dst(in)
	switch {
	case to.n > from.n:
		s.widen(op, d, x[0], from)
	case to.n < from.n:
		s.tighten(op, in, d[0], x)
	default:
		for i, r := range d {
			args := []mach.Arg{def(to.view, r), use(from.view, x[i])}
			if op == amd64.VCVTPS2PH {
				args = append(args, imm(0)) // to the nearest, ties to even
			}
			s.op(op, args...)
		}
	}
}

// widen converts the lower half of a register, then the upper one.
func (s *selector) widen(op amd64.Op, d parts, x mach.Reg, from shape) {
	upper := s.vector()
	var half uint8
	switch from.view {
	case zmm:
		half = ymm
		s.op(amd64.VEXTRACTI64X4, def(ymm, upper), use(zmm, x), imm(1))
	case ymm:
		half = xmm
		s.op(amd64.VEXTRACTI32X4, def(xmm, upper), use(ymm, x), imm(1))
	default:
		half = xmm
		s.op(amd64.VPSRLDQ, def(xmm, upper), use(xmm, x), imm(8))
	}
	s.op(op, def(zmm, d[0]), use(half, x))
	s.op(op, def(zmm, d[1]), use(half, upper))
}

// tighten converts two registers and puts the results together.
func (s *selector) tighten(op amd64.Op, in *vec.Instr, d mach.Reg, x parts) {
	lower, upper := s.vector(), s.vector()
	view := map[int]uint8{1: xmm, 2: xmm, 4: ymm}[in.Type.Bytes()]
	s.op(op, def(view, lower), use(zmm, x[0]))
	s.op(op, def(view, upper), use(zmm, x[1]))
	switch in.Type.Bytes() {
	case 1:
		s.op(amd64.VPUNPCKLQDQ, def(xmm, d), use(xmm, lower), use(xmm, upper))
	case 2:
		s.op(amd64.VINSERTI32X4, def(ymm, d), use(ymm, lower), use(xmm, upper), imm(1))
	default:
		s.op(amd64.VINSERTI64X4, def(zmm, d), use(zmm, lower), use(ymm, upper), imm(1))
	}
}

// masks512 has the rules for masks.
var masks512 = map[vec.Op]rule{
	vec.MConst: func(s *selector, in *vec.Instr) { s.add(setMask, def(kreg, s.dst(in)[0]), imm(in.Imm)) },
	vec.MMove: func(s *selector, in *vec.Instr) {
		s.add(moveMask, def(kreg, s.dst(in)[0]), use(kreg, s.one(in.Src[0])))
	},
	vec.MAnd:    maskOp(amd64.KANDW, false),
	vec.MOr:     maskOp(amd64.KORW, false),
	vec.MXor:    maskOp(amd64.KXORW, false),
	vec.MAndNot: maskOp(amd64.KANDNW, true),
	vec.MFirst: func(s *selector, in *vec.Instr) {
		n, most, bits := s.integer(), s.integer(), s.integer()
		s.add(setInt, def(r64, most), imm(vec.Lanes))
		s.add(moveInt, def(r64, n), use(r64, s.one(in.Src[0])))
		s.op(amd64.CMP, use(r64, n), use(r64, most))
		s.op(amd64.CMOVG, useDef(r64, n), use(r64, most))
		zero := s.integer()
		s.add(setInt, def(r64, zero), imm(0))
		s.op(amd64.CMP, use(r64, n), use(r64, zero))
		s.op(amd64.CMOVL, useDef(r64, n), use(r64, zero))
		all := s.integer()
		s.add(setInt, def(r64, all), imm(1<<vec.Lanes-1))
		s.op(amd64.BZHI, def(r32, bits), use(r32, all), use(r32, n))
		s.op(amd64.KMOVW, def(kreg, s.dst(in)[0]), use(r32, bits))
	},
}

func maskOp(op amd64.Op, swap bool) rule {
	return func(s *selector, in *vec.Instr) {
		a, b := s.one(in.Src[0]), s.one(in.Src[1])
		if swap {
			a, b = b, a // the machine inverts the first operand
		}
		s.op(op, def(kreg, s.dst(in)[0]), use(kreg, a), use(kreg, b))
	}
}
