package neon

import (
	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// row is the instruction that does the same for each register of a vector.
type row struct {
	op   arm64.Op
	args int   // operands that are registers
	view uint8 // of all registers
}

// table has the operations that are one instruction, by their types.
var table [len(vec.Table)][vec.F64 + 1]row

// rules has the functions for the others.
var rules [len(vec.Table)]rule

var (
	everyInt = vec.Add.Types()
	upTo32   = []vec.Type{vec.I8, vec.I16, vec.I32}
	anyFloat = vec.FAdd.Types()
)

func init() { // the rules use the table and each other
	for _, g := range []struct {
		types []vec.Type
		args  int
		ops   map[vec.Op]arm64.Op
	}{
		{anyFloat, 2, map[vec.Op]arm64.Op{vec.FAdd: arm64.FADD, vec.FSub: arm64.FSUB, vec.FMul: arm64.FMUL, vec.FDiv: arm64.FDIV}},
		{anyFloat, 1, map[vec.Op]arm64.Op{vec.FSqrt: arm64.FSQRT}},
		{everyInt, 2, map[vec.Op]arm64.Op{vec.Add: arm64.ADD, vec.Sub: arm64.SUB}},
		{upTo32, 2, map[vec.Op]arm64.Op{vec.Mul: arm64.MUL}},
		{upTo32, 2, map[vec.Op]arm64.Op{vec.Min: arm64.SMIN, vec.Max: arm64.SMAX, vec.MinU: arm64.UMIN, vec.MaxU: arm64.UMAX}},
	} {
		for op, a := range g.ops {
			for _, t := range g.types {
				table[op][t] = row{a, g.args, widths[t.Bytes()].whole}
			}
		}
	}
	for op, a := range map[vec.Op]arm64.Op{vec.And: arm64.AND, vec.Or: arm64.ORR, vec.Xor: arm64.EOR, vec.AndNot: arm64.BIC} {
		for _, t := range op.Types() {
			table[op][t] = row{a, 2, view16B}
		}
	}
	for _, m := range []map[vec.Op]rule{control, memory, lanes, integers, floats, conversions, masks} {
		for op, r := range m {
			rules[op] = r
		}
	}
}
