package opt

import (
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// value is what a register is known to hold: another register, or a number.
type value struct {
	block   int // in which this is known, from 1
	op      simt.Operand
	own     int // how often the register had been written
	version int // how often the other one had been written
}

// known are the values of registers within a block.
type known struct {
	f      *simt.Func
	values []value
	writes []int
	block  int
}

// propagate carries copies and numbers forward inside of each block, and computes what becomes trivial.
func propagate(f *simt.Func) (changed bool) {
	k := &known{f: f, values: make([]value, len(f.Regs)), writes: make([]int, len(f.Regs))}
	drop := make([]bool, len(f.Body))
	for b, block := range simt.Blocks(f) {
		k.block = b + 1
		for i := block.Start; i < block.End; i++ {
			in := &f.Body[i]
			if !late(in) {
				changed = k.replace(in) || changed
				changed = k.guard(in, &drop[i]) || changed
			}
			if drop[i] {
				continue
			}
			changed = k.decide(in) || fold(in) || changed
			if isMove(in) && in.Guard == simt.NoReg && in.Src[0].Kind == simt.Register && in.Src[0].Reg == in.Dst[0].Reg {
				drop[i] = true
				continue
			}
			for op := range in.Defs() {
				k.writes[op.Reg]++
			}
			k.learn(in)
		}
	}
	return keep(f, drop) || changed
}

// learn remembers what a move says, or the opposite of a predicate.
func (k *known) learn(in *simt.Instr) {
	if !isMove(in) && in.Op != "not.pred" || in.Guard != simt.NoReg {
		return
	}
	v := value{block: k.block, op: in.Src[0], own: k.writes[in.Dst[0].Reg]}
	v.op.Not = in.Op == "not.pred"
	if v.op.Kind == simt.Register {
		if v.op.Reg == in.Dst[0].Reg || k.f.Regs[v.op.Reg] != k.f.Regs[in.Dst[0].Reg] {
			return // it is the register's old value, or not all of it
		}
		v.version = k.writes[v.op.Reg]
	}
	k.values[in.Dst[0].Reg] = v
}

// of gives what a register is known to hold.
func (k *known) of(r simt.Reg) (simt.Operand, bool) {
	v := &k.values[r]
	if v.block != k.block || v.own != k.writes[r] || v.op.Kind == simt.Register && v.version != k.writes[v.op.Reg] {
		return simt.Operand{}, false
	}
	return v.op, true
}

// replace puts what registers hold in their places.
func (k *known) replace(in *simt.Instr) (changed bool) {
	for op := range in.Uses() {
		if v, ok := k.of(op.Reg); ok && v.Kind == simt.Register && !v.Not {
			op.Reg, changed = v.Reg, true
		}
	}
	for i := range in.Src {
		op := in.Src[i]
		if op.Kind != simt.Register || op.Not {
			continue
		}
		if v, ok := k.of(op.Reg); ok && v.Kind == simt.Imm && allows(in, i, v) {
			in.Src[i], changed = v, true
		}
	}
	return changed
}

// decide makes a choice by a predicate that is known, or a conversion of a number that is known, a move.
func (k *known) decide(in *simt.Instr) bool {
	if len(in.Src) == 0 || in.Src[len(in.Src)-1].Kind != simt.Register {
		return false
	}
	v, ok := k.of(in.Src[len(in.Src)-1].Reg)
	if !ok || v.Kind != simt.Imm {
		return false
	}
	switch words := strings.Split(in.Op, "."); words[0] {
	case "selp":
		in.Op = "mov." + words[1]
		in.Src = in.Src[1-v.Bits&1:][:1]
		return true
	case "cvt":
		if len(words) != 3 {
			return false // of floats, or with saturation
		}
		to, ok := integer(words[1])
		if ok && strings.ContainsRune("su", rune(words[2][0])) {
			from := number{simt.TypeBits(words[2]), words[2][0] == 's'}
			in.Op, in.Src = "mov."+words[1], []simt.Operand{simt.I(to.cut(from.cut(int64(v.Bits))))}
			return true
		}
	}
	return false
}

// allows reports whether a source may be a number.
func allows(in *simt.Instr, i int, number simt.Operand) bool {
	form, ok := simt.FormOf(in.Op)
	if !ok {
		return false
	}
	before := form.Sig(in)
	src := slices.Clone(in.Src)
	src[i] = number
	s := form.Sig(&simt.Instr{Op: in.Op, Dst: in.Dst, Src: src})
	if s == nil || before == nil || !s.Src[i].Kinds.Has(simt.Imm) {
		return false
	}
	slot := &s.Src[i]
	n, bits := int64(number.Bits), simt.TypeBits(slot.Type)
	if bits < 64 && (n < -1<<(bits-1) || n >= 1<<bits) {
		return false
	}
	return slot.Imm == nil || slices.ContainsFunc(slot.Imm, func(r simt.Range) bool { return r.Has(n) })
}

// guard drops a guard that always holds, and an instruction whose guard never does.
func (k *known) guard(in *simt.Instr, drop *bool) bool {
	if in.Guard == simt.NoReg {
		return false
	}
	v, ok := k.of(in.Guard)
	switch {
	case !ok:
		return false
	case v.Kind == simt.Register:
		in.Guard, in.Unless = v.Reg, in.Unless != v.Not
	case v.Bits&1 != 0 != in.Unless:
		in.Guard, in.Unless = simt.NoReg, false
	default:
		*drop = true
	}
	return true
}
