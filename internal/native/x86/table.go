package x86

import (
	"maps"

	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// byType gives rows of an operation for types.
func byType(t map[key]row, op vec.Op, args int, list map[vec.Type]amd64.Op) {
	for typ, a := range list {
		t[key{op, typ}] = row{op: a, args: args}
	}
}

type ops = map[vec.Type]amd64.Op

// both has the rows that all levels share.
func both() map[key]row {
	t := map[key]row{}
	byType(t, vec.FAdd, 2, ops{vec.F32: amd64.VADDPS, vec.F64: amd64.VADDPD})
	byType(t, vec.FSub, 2, ops{vec.F32: amd64.VSUBPS, vec.F64: amd64.VSUBPD})
	byType(t, vec.FMul, 2, ops{vec.F32: amd64.VMULPS, vec.F64: amd64.VMULPD})
	byType(t, vec.FDiv, 2, ops{vec.F32: amd64.VDIVPS, vec.F64: amd64.VDIVPD})
	byType(t, vec.FMin, 2, ops{vec.F32: amd64.VMINPS, vec.F64: amd64.VMINPD})
	byType(t, vec.FMax, 2, ops{vec.F32: amd64.VMAXPS, vec.F64: amd64.VMAXPD})
	byType(t, vec.FSqrt, 1, ops{vec.F32: amd64.VSQRTPS, vec.F64: amd64.VSQRTPD})
	byType(t, vec.Add, 2, ops{vec.I8: amd64.VPADDB, vec.I16: amd64.VPADDW, vec.I32: amd64.VPADDD, vec.I64: amd64.VPADDQ})
	byType(t, vec.Sub, 2, ops{vec.I8: amd64.VPSUBB, vec.I16: amd64.VPSUBW, vec.I32: amd64.VPSUBD, vec.I64: amd64.VPSUBQ})
	byType(t, vec.Mul, 2, ops{vec.I16: amd64.VPMULLW, vec.I32: amd64.VPMULLD})
	byType(t, vec.MulHi, 2, ops{vec.I16: amd64.VPMULHW})
	byType(t, vec.MulHiU, 2, ops{vec.I16: amd64.VPMULHUW})
	byType(t, vec.Min, 2, ops{vec.I8: amd64.VPMINSB, vec.I16: amd64.VPMINSW, vec.I32: amd64.VPMINSD})
	byType(t, vec.Max, 2, ops{vec.I8: amd64.VPMAXSB, vec.I16: amd64.VPMAXSW, vec.I32: amd64.VPMAXSD})
	byType(t, vec.MinU, 2, ops{vec.I8: amd64.VPMINUB, vec.I16: amd64.VPMINUW, vec.I32: amd64.VPMINUD})
	byType(t, vec.MaxU, 2, ops{vec.I8: amd64.VPMAXUB, vec.I16: amd64.VPMAXUW, vec.I32: amd64.VPMAXUD})
	byType(t, vec.Shl, 2, ops{vec.I32: amd64.VPSLLVD, vec.I64: amd64.VPSLLVQ})
	byType(t, vec.ShrU, 2, ops{vec.I32: amd64.VPSRLVD, vec.I64: amd64.VPSRLVQ})
	byType(t, vec.Shr, 2, ops{vec.I32: amd64.VPSRAVD})
	byImm(t, vec.ShlImm, 0, ops{vec.I16: amd64.VPSLLW, vec.I32: amd64.VPSLLD, vec.I64: amd64.VPSLLQ})
	byImm(t, vec.ShrUImm, 0, ops{vec.I16: amd64.VPSRLW, vec.I32: amd64.VPSRLD, vec.I64: amd64.VPSRLQ})
	byImm(t, vec.ShrImm, 0, ops{vec.I16: amd64.VPSRAW, vec.I32: amd64.VPSRAD})
	return t
}

// byImm gives rows of operations on one register with an immediate, in which bits are set.
func byImm(t map[key]row, op vec.Op, bits int64, list ops) {
	for typ, a := range list {
		t[key{op, typ}] = row{op: a, args: 1, imm: true, bits: bits}
	}
}

// bitwise gives the rows of operations that do not look at lanes.
func bitwise(t map[key]row, and, or, xor, andNot amd64.Op) {
	for _, typ := range vec.And.Types() {
		t[key{vec.And, typ}] = row{op: and, args: 2}
		t[key{vec.Or, typ}] = row{op: or, args: 2}
		t[key{vec.Xor, typ}] = row{op: xor, args: 2}
		t[key{vec.AndNot, typ}] = row{op: andNot, args: 2, swap: true} // the machine inverts the first operand
	}
}

const noExceptions = 8 // in the immediate of a rounding

// table512 has the rows of the level avx512.
func table512() map[key]row {
	t := both()
	bitwise(t, amd64.VPANDD, amd64.VPORD, amd64.VPXORD, amd64.VPANDND)
	byType(t, vec.Mul, 2, ops{vec.I64: amd64.VPMULLQ})
	byType(t, vec.Min, 2, ops{vec.I64: amd64.VPMINSQ})
	byType(t, vec.Max, 2, ops{vec.I64: amd64.VPMAXSQ})
	byType(t, vec.MinU, 2, ops{vec.I64: amd64.VPMINUQ})
	byType(t, vec.MaxU, 2, ops{vec.I64: amd64.VPMAXUQ})
	byType(t, vec.Shl, 2, ops{vec.I16: amd64.VPSLLVW})
	byType(t, vec.ShrU, 2, ops{vec.I16: amd64.VPSRLVW})
	byType(t, vec.Shr, 2, ops{vec.I16: amd64.VPSRAVW, vec.I64: amd64.VPSRAVQ})
	byImm(t, vec.ShrImm, 0, ops{vec.I64: amd64.VPSRAQ})
	byImm(t, vec.FRound, noExceptions, ops{vec.F32: amd64.VRNDSCALEPS, vec.F64: amd64.VRNDSCALEPD})
	return t
}

// rules512 has the rules of the level avx512.
func rules512() map[vec.Op]rule {
	r := map[vec.Op]rule{}
	for _, m := range []map[vec.Op]rule{memory512, lanes512, convert512, masks512} {
		maps.Copy(r, m)
	}
	return r
}
