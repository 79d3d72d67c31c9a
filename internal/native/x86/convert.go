package x86

import (
	"maps"

	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// convertRules has the rules for conversions that all levels share. A level has those of [conversions] that it lists itself.
var convertRules = map[vec.Op]rule{
	vec.SignExtend: convertBy(signExtends), vec.ZeroExtend: convertBy(zeroExtends),
	vec.FConvert: func(s *selector, in *vec.Instr) {
		switch (types{in.Type, in.From}) {
		case types{vec.F64, vec.F16}: // by way of f32, which is exact
			t := s.fresh(vec.V32)
			s.convert(amd64.VCVTPH2PS, t, s.parts(in.Src[0]), vec.F32, vec.F16)
			s.convert(amd64.VCVTPS2PD, s.dst(in), t, vec.F64, vec.F32)
		case types{vec.F16, vec.F64}: // by way of f32, to which it is rounded to odd
			t := s.fresh(vec.V32)
			s.convert(amd64.VCVTPD2PS, t, s.eachSticky(in.Src[0], 29), vec.F32, vec.F64)
			s.convert(amd64.VCVTPS2PH, s.dst(in), t, vec.F16, vec.F32)
		default:
			convertBy(floatConverts)(s, in)
		}
	},
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
	floatConverts = conversions{
		{vec.F32, vec.F16}: amd64.VCVTPH2PS, {vec.F16, vec.F32}: amd64.VCVTPS2PH,
		{vec.F64, vec.F32}: amd64.VCVTPS2PD, {vec.F32, vec.F64}: amd64.VCVTPD2PS,
	}
	fromInts = conversions{{vec.F32, vec.I32}: amd64.VCVTDQ2PS, {vec.F64, vec.I32}: amd64.VCVTDQ2PD}
	toInts   = conversions{{vec.I32, vec.F32}: amd64.VCVTTPS2DQ, {vec.I32, vec.F64}: amd64.VCVTTPD2DQ}
)

// convertBy is the rule for conversions that are an instruction each.
func convertBy(list conversions) rule {
	return func(s *selector, in *vec.Instr) {
		op := list[types{in.Type, in.From}]
		if op == 0 {
			s.lacks(in)
			return
		}
		s.convert(op, s.dst(in), s.parts(in.Src[0]), in.Type, in.From)
	}
}

// convert fills registers with the lanes of others, for each register of the side that has more of them.
func (s *selector) convert(op amd64.Op, d, x parts, to, from vec.Type) {
	dst, src := s.shape(to.Class()), s.shape(from.Class())
	if dst.n >= src.n {
		n := bytesOf(dst.view) * from.Bytes() / to.Bytes()
		for i, r := range d {
			s.convertPart(op, def(dst.view, r), use(viewOf(n), s.piece(x, src.view, i*n, n)))
		}
		return
	}
	n := bytesOf(src.view) * to.Bytes() / from.Bytes() // of the result, in each register
	for i, r := range d {
		lower, upper := s.vector(), s.vector()
		s.convertPart(op, def(viewOf(n), lower), use(src.view, x[2*i]))
		s.convertPart(op, def(viewOf(n), upper), use(src.view, x[2*i+1]))
		s.join(r, lower, upper, n)
	}
}

func (s *selector) convertPart(op amd64.Op, d, x mach.Arg) {
	in := s.op(op, d, x)
	if op == amd64.VCVTPS2PH {
		in.Append(imm(int64(vec.Nearest)))
	}
}

// eachSticky is sticky for the registers of a vector of 64-bit lanes.
func (s *selector) eachSticky(r vec.Reg, bits int) parts {
	view := s.shape(vec.V64).view
	out := make(parts, 0, 4)
	for _, x := range s.parts(r) {
		out = append(out, s.sticky(view, x, bits))
	}
	return out
}

// sticky clears the lower bits of 64-bit lanes, and sets the lowest of the others where one of them was set: rounding that
// to fewer bits gives the same as rounding the operand.
func (s *selector) sticky(view uint8, x mach.Reg, bits int) mach.Reg {
	low := int64(1)<<bits - 1
	t := s.calcConst(s.and, view, x, low, 8)
	t = s.calc(s.or, view, s.calcConst(amd64.VPADDQ, view, t, low, 8), x)
	return s.calcConst(s.and, view, t, ^low, 8)
}

// with joins two lists.
func with(a, b conversions) conversions {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
