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
	to := b.places(moved)
	front := make([][]*Instr, len(b.Instrs))
	out := make([]*Instr, 0, len(b.Instrs))
	for i, in := range b.Instrs { // those that go to one place keep their order
		if to[i] != i {
			front[to[i]] = append(front[to[i]], in)
			continue
		}
		out = append(append(out, front[i]...), in)
	}
	b.Instrs = out
}

// places gives the number of the instruction in front of which each instruction goes, or its own.
func (b *Block) places(moved map[Value]bool) []int {
	n := len(b.Instrs)
	to, used := make([]int, n), map[Value]int{}
	wall, tensor := n, n // the next instructions that nothing passes, and no load from tensor memory
	for i := n - 1; i >= 0; i-- {
		in := b.Instrs[i]
		to[i] = i
		if len(in.Dst) > 0 && moved[in.Dst[0]] {
			at := wall
			if in.Op == TensorLoad {
				at = min(at, tensor)
			}
			for _, v := range in.Dst {
				if first, ok := used[v]; ok {
					at = min(at, first)
				}
			}
			if at < n { // or nobody uses it: it stays
				to[i] = at
			}
		}
		switch in.Op {
		case If, Loop, Break, Continue, Return, Barrier:
			wall = i
		case MultiplyTensor, TensorStore, TensorFree:
			tensor = i
		}
		in.Uses(func(v Value) {
			if first, ok := used[v]; !ok || to[i] < first {
				used[v] = to[i]
			}
		})
	}
	return to
}

// follows reports whether an instruction is a load from tensor memory, or pure and made of what was moved.
func (in *Instr) follows(moved map[Value]bool) bool {
	return in.Op == TensorLoad || in.Pure() && slices.ContainsFunc(in.Src, func(v Value) bool { return moved[v] })
}
