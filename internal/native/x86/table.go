package x86

import (
	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// entries say for each operation and type what it becomes.
type entries [len(vec.Table)][vec.F64 + 1]entry

// entry is a rule, or without one the instruction that does the same for each register of a vector.
type entry struct {
	rule rule
	op   amd64.Op // 0 for none
	args int      // operands that are registers
	swap bool     // of two operands
	imm  bool     // the immediate of the instruction follows
	bits int64    // that are set in the immediate
}

type ops = map[vec.Type]amd64.Op

// rows gives instructions on so many registers.
func (t *entries) rows(op vec.Op, args int, list ops) {
	for typ, a := range list {
		t[op][typ] = entry{op: a, args: args}
	}
}

// imms gives instructions on one register with an immediate, in which bits are set.
func (t *entries) imms(op vec.Op, bits int64, list ops) {
	for typ, a := range list {
		t[op][typ] = entry{op: a, args: 1, imm: true, bits: bits}
	}
}

// rule gives a rule for types, all that the operation has if none is named.
func (t *entries) rule(op vec.Op, r rule, types ...vec.Type) {
	if types == nil {
		types = op.Types()
	}
	for _, typ := range types {
		t[op][typ] = entry{rule: r}
	}
}

// rules gives rules for all types.
func (t *entries) rules(list map[vec.Op]rule) {
	for op, r := range list {
		t.rule(op, r)
	}
}

// bits gives the operations that do not look at lanes, for vectors and for masks.
func (t *entries) bits(vectors, masks bitwise) {
	for _, b := range []struct {
		op, mask    vec.Op
		vec, maskOp amd64.Op
	}{
		{vec.And, vec.MAnd, vectors.and, masks.and}, {vec.Or, vec.MOr, vectors.or, masks.or},
		{vec.Xor, vec.MXor, vectors.xor, masks.xor}, {vec.AndNot, vec.MAndNot, vectors.andNot, masks.andNot},
	} {
		swap := b.op == vec.AndNot // the machine inverts the first operand
		for _, typ := range b.op.Types() {
			t[b.op][typ] = entry{op: b.vec, args: 2, swap: swap}
		}
		t[b.mask][vec.NoType] = entry{op: b.maskOp, args: 2, swap: swap}
	}
}

const noExceptions = 8 // in the immediate of a rounding

// both has what all levels share.
func both() *entries {
	t := &entries{}
	t.rows(vec.FAdd, 2, ops{vec.F32: amd64.VADDPS, vec.F64: amd64.VADDPD})
	t.rows(vec.FSub, 2, ops{vec.F32: amd64.VSUBPS, vec.F64: amd64.VSUBPD})
	t.rows(vec.FMul, 2, ops{vec.F32: amd64.VMULPS, vec.F64: amd64.VMULPD})
	t.rows(vec.FDiv, 2, ops{vec.F32: amd64.VDIVPS, vec.F64: amd64.VDIVPD})
	t.rows(vec.FMin, 2, ops{vec.F32: amd64.VMINPS, vec.F64: amd64.VMINPD})
	t.rows(vec.FMax, 2, ops{vec.F32: amd64.VMAXPS, vec.F64: amd64.VMAXPD})
	t.rows(vec.FSqrt, 1, ops{vec.F32: amd64.VSQRTPS, vec.F64: amd64.VSQRTPD})
	t.rows(vec.Add, 2, ops{vec.I8: amd64.VPADDB, vec.I16: amd64.VPADDW, vec.I32: amd64.VPADDD, vec.I64: amd64.VPADDQ})
	t.rows(vec.Sub, 2, ops{vec.I8: amd64.VPSUBB, vec.I16: amd64.VPSUBW, vec.I32: amd64.VPSUBD, vec.I64: amd64.VPSUBQ})
	t.rows(vec.Mul, 2, ops{vec.I16: amd64.VPMULLW, vec.I32: amd64.VPMULLD})
	t.rows(vec.MulHi, 2, ops{vec.I16: amd64.VPMULHW})
	t.rows(vec.MulHiU, 2, ops{vec.I16: amd64.VPMULHUW})
	t.rows(vec.Min, 2, ops{vec.I8: amd64.VPMINSB, vec.I16: amd64.VPMINSW, vec.I32: amd64.VPMINSD})
	t.rows(vec.Max, 2, ops{vec.I8: amd64.VPMAXSB, vec.I16: amd64.VPMAXSW, vec.I32: amd64.VPMAXSD})
	t.rows(vec.MinU, 2, ops{vec.I8: amd64.VPMINUB, vec.I16: amd64.VPMINUW, vec.I32: amd64.VPMINUD})
	t.rows(vec.MaxU, 2, ops{vec.I8: amd64.VPMAXUB, vec.I16: amd64.VPMAXUW, vec.I32: amd64.VPMAXUD})
	t.rows(vec.Shl, 2, ops{vec.I32: amd64.VPSLLVD, vec.I64: amd64.VPSLLVQ})
	t.rows(vec.ShrU, 2, ops{vec.I32: amd64.VPSRLVD, vec.I64: amd64.VPSRLVQ})
	t.rows(vec.Shr, 2, ops{vec.I32: amd64.VPSRAVD})
	t.imms(vec.ShlImm, 0, ops{vec.I16: amd64.VPSLLW, vec.I32: amd64.VPSLLD, vec.I64: amd64.VPSLLQ})
	t.imms(vec.ShrUImm, 0, ops{vec.I16: amd64.VPSRLW, vec.I32: amd64.VPSRLD, vec.I64: amd64.VPSRLQ})
	t.imms(vec.ShrImm, 0, ops{vec.I16: amd64.VPSRAW, vec.I32: amd64.VPSRAD})
	for _, list := range []map[vec.Op]rule{control, memoryRules, laneRules, convertRules} {
		t.rules(list)
	}
	t.products()
	return t
}
