package spirv_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/spirv/grammar"
)

// mutation is a way to change a module, and says what it did; "" is nothing.
type mutation func(r *rand.Rand, m *spirv.Module) string

// mutations are the ways.
var mutations = []mutation{remove, repeat, exchange, otherOp, otherType, otherOperand, otherOperand, otherOperand, swapOperands, otherWord, otherWord, cutOperand,
	removeDeclaration, otherHeader}

// pick gives the place of a random instruction that f likes, -1 if there is none.
func pick(r *rand.Rand, m *spirv.Module, f func(in *spirv.Instr) bool) int {
	var places []int
	for i := range m.Instrs {
		if f(&m.Instrs[i]) {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return -1
	}
	return places[r.IntN(len(places))]
}

func all(*spirv.Instr) bool { return true }

func remove(r *rand.Rand, m *spirv.Module) string {
	i := pick(r, m, all)
	op := m.Instrs[i].Op
	m.Instrs = slices.Delete(m.Instrs, i, i+1)
	return fmt.Sprintf("instruction %d, %s, is removed", i, op)
}

func repeat(r *rand.Rand, m *spirv.Module) string {
	i := pick(r, m, all)
	in := m.Instrs[i]
	if in.Result != 0 && r.IntN(4) > 0 { // with a new result
		in.Result = spirv.ID(m.Bound)
		m.Bound++
	}
	m.Instrs = slices.Insert(m.Instrs, i+1, in)
	return fmt.Sprintf("instruction %d, %s, is repeated", i, in.Op)
}

func exchange(r *rand.Rand, m *spirv.Module) string {
	i := r.IntN(len(m.Instrs) - 1)
	j := i + 1
	if r.IntN(4) == 0 {
		j = r.IntN(len(m.Instrs))
	}
	m.Instrs[i], m.Instrs[j] = m.Instrs[j], m.Instrs[i]
	return fmt.Sprintf("instructions %d and %d are exchanged", i, j)
}

// likes gives the instructions of core SPIR-V that have the same operands as another one, by its code.
var likes = sync.OnceValue(func() map[spirv.Op][]spirv.Op {
	shapes, all := map[string][]spirv.Op{}, map[spirv.Op][]spirv.Op{}
	for _, op := range grammar.Get().Ops {
		if op.Needs.Since == 0 || slices.Contains([]string{"Reserved", "@exclude", "Image", "Pipe", "Device-Side_Enqueue"}, op.Class) {
			continue
		}
		text := ""
		for _, s := range op.Operands {
			text += fmt.Sprint(s.Kind.Name, s.Many, " ")
		}
		shapes[text] = append(shapes[text], spirv.Op(op.Code))
	}
	for _, list := range shapes {
		for _, op := range list {
			all[op] = list
		}
	}
	return all
})

// otherOp takes an instruction with the same operands.
func otherOp(r *rand.Rand, m *spirv.Module) string {
	i := pick(r, m, func(in *spirv.Instr) bool { return in.Type != 0 && len(likes()[in.Op]) > 1 })
	if i < 0 {
		return ""
	}
	in := &m.Instrs[i]
	old, others := in.Op, likes()[in.Op]
	in.Op = others[r.IntN(len(others))]
	return fmt.Sprintf("instruction %d, %s, becomes %s", i, old, in.Op)
}

// randomID gives an ID of the module, often of the same kind as another one.
func randomID(r *rand.Rand, m *spirv.Module, like spirv.ID) spirv.ID {
	var old spirv.Instr
	for _, in := range m.Instrs {
		if in.Result == like {
			old = in
		}
	}
	sameOp, sameType := r.IntN(2) == 0, r.IntN(2) == 0
	i := pick(r, m, func(in *spirv.Instr) bool {
		return in.Result != 0 && in.Result != like && (!sameOp || in.Op == old.Op || old.Type != 0 && in.Type == old.Type) && (!sameType || in.Type == old.Type)
	})
	if i < 0 || r.IntN(50) == 0 {
		return spirv.ID(r.Uint32N(m.Bound + 2))
	}
	return m.Instrs[i].Result
}

func otherType(r *rand.Rand, m *spirv.Module) string {
	i := pick(r, m, func(in *spirv.Instr) bool { return in.Type != 0 })
	t := pick(r, m, func(in *spirv.Instr) bool { return strings.HasPrefix(in.Op.String(), "OpType") })
	if i < 0 || t < 0 {
		return ""
	}
	m.Instrs[i].Type = m.Instrs[t].Result
	return fmt.Sprintf("the type of instruction %d, %s, becomes %%%d", i, m.Instrs[i].Op, m.Instrs[i].Type)
}

// operandOf gives a random operand that f likes, of a copy of the instruction's operands.
func operandOf(r *rand.Rand, m *spirv.Module, f func(o *spirv.Operand) bool) (int, *spirv.Operand) {
	i := pick(r, m, func(in *spirv.Instr) bool {
		return slices.ContainsFunc(in.Operands, func(o spirv.Operand) bool { return f(&o) })
	})
	if i < 0 {
		return 0, nil
	}
	in := &m.Instrs[i]
	in.Operands = slices.Clone(in.Operands)
	for {
		if o := &in.Operands[r.IntN(len(in.Operands))]; f(o) {
			o.Words = slices.Clone(o.Words)
			return i, o
		}
	}
}

func otherOperand(r *rand.Rand, m *spirv.Module) string {
	i, o := operandOf(r, m, func(o *spirv.Operand) bool { return o.IsID() })
	if o == nil {
		return ""
	}
	old := o.Words[0]
	o.Words[0] = uint32(randomID(r, m, spirv.ID(old)))
	return fmt.Sprintf("an operand of instruction %d, %s: %%%d becomes %%%d", i, m.Instrs[i].Op, old, o.Words[0])
}

func swapOperands(r *rand.Rand, m *spirv.Module) string {
	i := pick(r, m, func(in *spirv.Instr) bool { return len(in.Operands) > 1 })
	if i < 0 {
		return ""
	}
	in := &m.Instrs[i]
	in.Operands = slices.Clone(in.Operands)
	a, b := r.IntN(len(in.Operands)), r.IntN(len(in.Operands))
	in.Operands[a], in.Operands[b] = in.Operands[b], in.Operands[a]
	return fmt.Sprintf("operands %d and %d of instruction %d, %s, are swapped", a, b, i, in.Op)
}

// otherWord changes a number or an enumerant.
func otherWord(r *rand.Rand, m *spirv.Module) string {
	i, o := operandOf(r, m, func(o *spirv.Operand) bool { return !o.IsID() })
	if o == nil {
		return ""
	}
	old := o.Words[0]
	switch r.IntN(4) {
	case 0:
		o.Words[0] ^= 1 << r.IntN(8)
	case 1:
		o.Words[0] = r.Uint32N(70)
	case 2:
		if n := len(o.Kind.Enumerants); n > 0 {
			o.Words[0] = o.Kind.Enumerants[r.IntN(n)].Value
		}
	default:
		o.Words[0] += uint32(r.IntN(3)) - 1
	}
	return fmt.Sprintf("a number of instruction %d, %s: %d becomes %d", i, m.Instrs[i].Op, old, o.Words[0])
}

func cutOperand(r *rand.Rand, m *spirv.Module) string {
	i := pick(r, m, func(in *spirv.Instr) bool { return len(in.Operands) > 0 })
	if i < 0 {
		return ""
	}
	in := &m.Instrs[i]
	in.Operands = slices.Clone(in.Operands)
	at := len(in.Operands) - 1
	if r.IntN(3) == 0 {
		at = r.IntN(len(in.Operands))
	}
	in.Operands = slices.Delete(in.Operands, at, at+1)
	return fmt.Sprintf("operand %d of instruction %d, %s, is removed", at, i, in.Op)
}

// removeDeclaration removes a capability, extension, mode or decoration.
func removeDeclaration(r *rand.Rand, m *spirv.Module) string {
	i := pick(r, m, func(in *spirv.Instr) bool {
		switch in.Op {
		case spirv.OpCapability, spirv.OpExtension, spirv.OpExecutionMode, spirv.OpDecorate, spirv.OpMemberDecorate, spirv.OpSelectionMerge, spirv.OpLoopMerge:
			return true
		}
		return false
	})
	if i < 0 {
		return ""
	}
	what := fmt.Sprint(m.Instrs[i].Op, m.Instrs[i].Operands[0].Words)
	m.Instrs = slices.Delete(m.Instrs, i, i+1)
	return "removed: " + what
}

func otherHeader(r *rand.Rand, m *spirv.Module) string {
	if r.IntN(2) == 0 {
		m.Version = spirv.Version(0x10000 | r.IntN(8)<<8)
		return "the version becomes " + m.Version.String()
	}
	m.Bound = uint32(max(1, int(m.Bound)-r.IntN(5)))
	return fmt.Sprint("the bound becomes ", m.Bound)
}

// otherLabel leads a branch, a merge instruction or a phi to another block.
func otherLabel(r *rand.Rand, m *spirv.Module) string {
	labels := map[spirv.ID]bool{}
	for _, in := range m.Instrs {
		labels[in.Result] = in.Op == spirv.OpLabel
	}
	i, o := operandOf(r, m, func(o *spirv.Operand) bool { return o.IsID() && labels[o.ID()] })
	if o == nil {
		return ""
	}
	to := m.Instrs[pick(r, m, func(in *spirv.Instr) bool { return in.Op == spirv.OpLabel })].Result
	old := o.Words[0]
	o.Words[0] = uint32(to)
	return fmt.Sprintf("instruction %d, %s: block %%%d becomes %%%d", i, m.Instrs[i].Op, old, to)
}

// exchangeBlocks exchanges two blocks with what is in them.
func exchangeBlocks(r *rand.Rand, m *spirv.Module) string {
	var starts []int
	for i, in := range m.Instrs {
		if in.Op == spirv.OpLabel || in.Op == spirv.OpFunctionEnd {
			starts = append(starts, i)
		}
	}
	if len(starts) < 4 {
		return ""
	}
	a := 1 + r.IntN(len(starts)-2)
	b := 1 + r.IntN(len(starts)-2)
	if a == b {
		return ""
	}
	a, b = min(a, b), max(a, b)
	list := m.Instrs
	m.Instrs = slices.Concat(list[:starts[a]], list[starts[b]:starts[b+1]], list[starts[a+1]:starts[b]], list[starts[a]:starts[a+1]], list[starts[b+1]:])
	return fmt.Sprintf("the blocks at %d and %d are exchanged", starts[a], starts[b])
}

// withoutMerge removes a merge instruction.
func withoutMerge(r *rand.Rand, m *spirv.Module) string {
	i := pick(r, m, func(in *spirv.Instr) bool { return in.Op == spirv.OpSelectionMerge || in.Op == spirv.OpLoopMerge })
	if i < 0 {
		return ""
	}
	m.Instrs = slices.Delete(m.Instrs, i, i+1)
	return fmt.Sprintf("the merge instruction %d is removed", i)
}

// changed gives a module that is read from the words of a changed one, and an error where the words cannot be read.
func changed(r *rand.Rand, m *spirv.Module, ways []mutation) (words []uint32, what string) {
	for what == "" {
		c := *m
		c.Instrs = slices.Clone(m.Instrs)
		what = ways[r.IntN(len(ways))](r, &c)
		words = c.Words()
	}
	return words, what
}
