package ir

import "slices"

// Late moves loads from tensor memory, and pure values that are made of one of these, down to where they are used first: of sums that leave
// tensor memory in parts, a thread then has no more in registers than of one part.
func (k *Kernel) Late() { k.Body.late() }

func (b *Block) late() {
	moved := map[Value]bool{}
	for _, in := range b.Instrs {
		for _, inner := range in.Body {
			inner.late()
		}
		if in.follows(moved) {
			for _, v := range in.Dst {
				moved[v] = true
			}
		}
	}
	if len(moved) == 0 {
		return
	}
	// From the end on: what comes behind an instruction is in order already, the last one first.
	var out []*Instr
	for _, in := range slices.Backward(b.Instrs) {
		at := len(out)
		if len(in.Dst) > 0 && moved[in.Dst[0]] {
			for at > 0 && !out[at-1].needs(in) {
				at--
			}
			if at == 0 {
				at = len(out) // nobody uses it: it stays
			}
		}
		out = slices.Insert(out, at, in)
	}
	slices.Reverse(out)
	b.Instrs = out
}

// follows reports whether an instruction is a load from tensor memory, or pure and made of what was moved.
func (in *Instr) follows(moved map[Value]bool) bool {
	return in.Op == TensorLoad || in.Pure() && slices.ContainsFunc(in.Src, func(v Value) bool { return moved[v] })
}

// needs reports whether another instruction must stay in front of an instruction.
func (in *Instr) needs(o *Instr) bool {
	switch in.Op {
	case If, Loop, Break, Continue, Return, Barrier:
		return true
	case MultiplyTensor, TensorStore, TensorFree:
		if o.Op == TensorLoad {
			return true
		}
	}
	needs := false
	in.Uses(func(v Value) { needs = needs || slices.Contains(o.Dst, v) })
	return needs
}
