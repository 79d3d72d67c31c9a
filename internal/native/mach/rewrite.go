package mach

import (
	"fmt"
	"slices"
)

// Slots are what a back end does with values that are kept in memory.
type Slots interface {
	// Load fills a physical register from a slot.
	Load(f File, reg Reg, slot int32) Instr
	// Store writes a physical register to a slot.
	Store(f File, reg Reg, slot int32) Instr
	// Operand makes operand i of an instruction, a register that is only read, the memory of a slot. It reports false if the
	// instruction takes no memory there.
	Operand(in *Instr, i int, slot int32) bool
}

// Rewrite gives the instructions of a function on physical registers, which stand in place of the virtual ones. Copies of
// a register to itself are gone, values that are kept in memory are brought from there and written back. The function on
// virtual registers is lost.
func Rewrite(c *Code, a *Allocation, s Slots) []Instr {
	out := make([]Instr, 0, len(c.Instrs))
	Emit(c, a, s, func(in *Instr) { out = append(out, *in) })
	return out
}

// Emit is [Rewrite] that calls emit with each of the instructions. Each is valid until emit returns.
func Emit(c *Code, a *Allocation, s Slots, emit func(in *Instr)) {
	w := &rewriter{code: c, alloc: a, slots: s, emit: emit}
	for i := range c.Instrs {
		w.instr(&c.Instrs[i], int32(i))
	}
}

type rewriter struct {
	code   *Code
	alloc  *Allocation
	slots  Slots
	emit   func(in *Instr)
	used   [Files]Set // scratch registers of the instruction
	known  []known
	line   int32   // of the instruction
	after  []Instr // what writes results to memory
	before Instr   // what brings a value
}

// known is a scratch register and the virtual one that it stands for.
type known struct{ virtual, physical Reg }

func (w *rewriter) instr(in *Instr, at int32) {
	if in.Op == LoopBegin || in.Op == LoopEnd {
		return
	}
	if in.Op == Suspend {
		w.suspend(in, at)
		return
	}
	w.used, w.known, w.after, w.line = [Files]Set{}, w.known[:0], w.after[:0], in.Line
	if w.madeHere(in, at) {
		return
	}
	if w.move(in) {
		return
	}
	w.memory(in)
	w.operands(in)
	w.registers(in, false)
	w.registers(in, true) // a result that is an operand too has been brought then
	w.emit(in)
	for i := range w.after {
		w.emit(&w.after[i])
	}
}

// move copies a register to another one or to memory, unless both are the same. What comes from memory goes the usual way.
func (w *rewriter) move(in *Instr) bool {
	if in.N != 2 || in.Args[1].Kind != RegArg || !slices.Contains(w.code.moves, in.Op) {
		return false
	}
	d, s := in.Args[0].Reg, in.Args[1].Reg
	to, from := &w.alloc.Places[d], &w.alloc.Places[s]
	switch f := w.code.Files[d]; {
	case f != w.code.Files[s]:
		return false
	case to.Slot >= 0 && to.Slot != from.Slot:
		w.before = w.slots.Store(f, w.reg(s, Use), to.Slot)
	case to.Reg >= 0 && from.Slot >= 0:
		w.before = w.slots.Load(f, Reg(to.Reg), from.Slot)
	case to.Reg >= 0 && from.Made >= 0:
		w.before = w.code.Instrs[from.Made]
		w.before.Args[0].Reg = Reg(to.Reg)
	default:
		return to.Reg >= 0 && to.Reg == from.Reg || to.Slot >= 0
	}
	w.before.Line = w.line
	w.emit(&w.before)
	return true
}

// operands lets an instruction take an operand from the slot where it is.
func (w *rewriter) operands(in *Instr) {
	for i := range in.Args[:in.N] {
		if g := &in.Args[i]; g.Kind == RegArg && g.Access == Use {
			if p := &w.alloc.Places[g.Reg]; p.Slot >= 0 && !w.brought(g.Reg) && w.slots.Operand(in, i, p.Slot) {
				return
			}
		}
	}
}

// brought reports whether a scratch register has the value of a virtual one.
func (w *rewriter) brought(r Reg) bool {
	return slices.ContainsFunc(w.known, func(k known) bool { return k.virtual == r })
}

// suspend names the registers to keep.
func (w *rewriter) suspend(in *Instr, at int32) {
	out := Instr{Op: Suspend, N: uint8(Files) + in.N, Line: in.Line}
	for f, set := range w.alloc.live(at) {
		out.Args[f] = Arg{Kind: ImmArg, Imm: int64(set)}
	}
	copy(out.Args[Files:], in.Args[:in.N])
	w.emit(&out)
}

// registers replaces the registers that are only written, or those that are read.
func (w *rewriter) registers(in *Instr, written bool) {
	for i := range in.Args[:in.N] {
		g := &in.Args[i]
		if g.Kind != RegArg || (g.Access == Def || g.Access == EarlyDef) != written {
			continue
		}
		p, f := &w.alloc.Places[g.Reg], w.code.Files[g.Reg]
		phys := w.reg(g.Reg, g.Access)
		if p.Slot >= 0 && g.Access != Use {
			store := w.slots.Store(f, phys, p.Slot)
			store.Line = w.line
			w.after = append(w.after, store)
		}
		g.Reg = phys
	}
}

// madeHere reports whether the instruction makes a constant that is made where it is used instead.
func (w *rewriter) madeHere(in *Instr, at int32) bool {
	return in.N > 0 && in.Args[0].Kind == RegArg && w.alloc.Places[in.Args[0].Reg].Made == at
}

// memory brings the registers of addresses.
func (w *rewriter) memory(in *Instr) {
	for i := range in.Args[:in.N] {
		if g := &in.Args[i]; g.Kind == MemArg {
			if !g.Frame {
				g.Reg = w.reg(g.Reg, Use)
			}
			if g.Indexed {
				g.Index = w.reg(g.Index, Use)
			}
		}
	}
}

// reg gives the physical register of a virtual one, for one that is in memory a scratch register.
func (w *rewriter) reg(r Reg, access Access) Reg {
	p := &w.alloc.Places[r]
	if p.Reg >= 0 {
		return Reg(p.Reg)
	}
	for _, k := range w.known {
		if k.virtual == r {
			return k.physical
		}
	}
	f := w.code.Files[r]
	left := w.alloc.Scratch[f] &^ w.used[f]
	if left == 0 {
		panic(fmt.Sprintf("BUG: mach: an instruction needs more than %d registers of file %d from memory", w.alloc.Scratch[f].Len(), f))
	}
	phys := Reg(left.first())
	w.used[f] |= 1 << phys
	w.known = append(w.known, known{r, phys})
	switch {
	case p.Made >= 0:
		w.before = w.code.Instrs[p.Made]
		w.before.Args[0].Reg = phys
		w.emit(&w.before)
	case access == Use || access == UseDef:
		w.before = w.slots.Load(f, phys, p.Slot)
		w.before.Line = w.line
		w.emit(&w.before)
	}
	return phys
}
