package simt

import "iter"

// Uses gives every operand that an instruction reads as it stands: registers, also in vectors and as the bases of
// addresses. Its guard is not among them, nor the old values of results; they may be changed on the way.
func (in *Instr) Uses() iter.Seq[*Operand] {
	return func(yield func(*Operand) bool) {
		if !each(in.Src, yield) {
			return
		}
		if l := in.Launch; l != nil {
			_ = each(l.Grid[:], yield) && one(&l.Shared, yield) && one(&l.Stream, yield) && each(l.After, yield)
		}
	}
}

// Defs gives every register operand that an instruction writes.
func (in *Instr) Defs() iter.Seq[*Operand] {
	return func(yield func(*Operand) bool) { each(in.Dst, yield) }
}

func each(ops []Operand, yield func(*Operand) bool) bool {
	for i := range ops {
		if !one(&ops[i], yield) {
			return false
		}
	}
	return true
}

func one(op *Operand, yield func(*Operand) bool) bool {
	switch op.Kind {
	case Register:
		return yield(op)
	case Address:
		return op.Reg == NoReg || yield(op)
	case Vector:
		return each(op.Vec, yield)
	}
	return true
}

// ReadsResult reports whether an instruction reads the old value of a result: it accumulates.
func (in *Instr) ReadsResult() bool {
	f, ok := FormOf(in.Op)
	if !ok {
		return false
	}
	for _, s := range f.Sigs[0].Dst {
		if s.InOut {
			return true
		}
	}
	return false
}

// Ends reports whether nothing follows an instruction: it jumps, returns or stops, always.
func (in *Instr) Ends() bool {
	if in.Guard != NoReg {
		return false
	}
	switch in.Op {
	case "bra", "bra.uni", "ret", "exit", "trap":
		return true
	}
	return false
}

// Jump gives the label that an instruction may jump to.
func (in *Instr) Jump() (label int, ok bool) {
	if (in.Op == "bra" || in.Op == "bra.uni") && len(in.Src) == 1 && in.Src[0].Kind == Target {
		return in.Src[0].Label, true
	}
	return 0, false
}
