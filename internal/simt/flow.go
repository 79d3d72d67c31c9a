package simt

// Block is a run of instructions that is entered at its start only and left at its end only.
type Block struct {
	Start, End int   // instructions from Start to before End
	Succ       []int // the blocks that may follow
}

// Blocks splits a function. Every label that is jumped to must be placed.
func Blocks(f *Func) []Block {
	starts := make([]bool, len(f.Body)+1)
	for i := range f.Body {
		in := &f.Body[i]
		if in.Op == OpLabel {
			starts[i] = true
		}
		if _, jumps := in.Jump(); jumps || in.Ends() {
			starts[i+1] = true
		}
	}
	var blocks []Block
	at := make([]int, f.Labels) // the block that a label begins
	for i := range f.Body {
		if i == 0 || starts[i] {
			blocks = append(blocks, Block{Start: i})
		}
		b := &blocks[len(blocks)-1]
		b.End = i + 1
		if in := &f.Body[i]; in.Op == OpLabel {
			at[in.Src[0].Label] = len(blocks) - 1
		}
	}
	for i := range blocks {
		b := &blocks[i]
		last := &f.Body[b.End-1]
		if label, ok := last.Jump(); ok {
			b.Succ = append(b.Succ, at[label])
		}
		if !last.Ends() && i+1 < len(blocks) {
			b.Succ = append(b.Succ, i+1)
		}
	}
	return blocks
}

// Reachable says of each block whether the function's first block leads to it.
func Reachable(blocks []Block) []bool {
	seen := make([]bool, len(blocks))
	if len(blocks) == 0 {
		return seen
	}
	stack := []int{0}
	seen[0] = true
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, s := range blocks[b].Succ {
			if !seen[s] {
				seen[s] = true
				stack = append(stack, s)
			}
		}
	}
	return seen
}

// Always reports whether every path through a function, from its start to an end, has the instruction, unguarded. Every label that is
// jumped to must be placed.
func Always(f *Func, op string) bool {
	blocks := Blocks(f)
	for i := range blocks {
		b := &blocks[i]
		for j := b.Start; j < b.End; j++ {
			if in := &f.Body[j]; in.Op == op && in.Guard == NoReg {
				b.Succ, b.End = nil, -1 // paths that come here have it
				break
			}
		}
	}
	for i, reached := range Reachable(blocks) {
		if reached && blocks[i].End >= 0 && len(blocks[i].Succ) == 0 {
			return false
		}
	}
	return len(blocks) > 0
}

// WaitsForGrid reports whether every path through a kernel waits for the grid before it.
func WaitsForGrid(f *Func) bool { return Always(f, "griddepcontrol.wait") }

// Unwritten gives the registers that some path of a function reads before it writes them. Every label that is jumped to must
// be placed.
func Unwritten(f *Func) []Reg {
	var regs []Reg
	for _, u := range unwritten(f) {
		regs = append(regs, u.reg)
	}
	return regs
}

// unwritten finds registers that some path reads before it writes them: the first such instruction and register, one for
// each register. A write under a guard does not count.
func unwritten(f *Func) []readBeforeWrite {
	blocks := Blocks(f)
	reach := Reachable(blocks)
	candidate, ids := exposed(f, blocks, reach)
	if len(ids) == 0 {
		return nil
	}
	words := (len(ids) + 63) / 64
	written := make([][]uint64, len(blocks)) // at a block's start, on every path; nil before any path was seen
	out := make([]uint64, words)
	written[0] = make([]uint64, words)
	pending := make([]bool, len(blocks))
	pending[0] = true
	for again := true; again; { // in the order of the text, which few jumps go against
		again = false
		for b := range blocks {
			if !pending[b] {
				continue
			}
			pending[b] = false
			copy(out, written[b])
			surelyWritten(f, blocks[b], candidate, out)
			for _, s := range blocks[b].Succ {
				if meet(&written[s], out) {
					pending[s] = true
					again = again || s <= b
				}
			}
		}
	}
	return firstReads(f, blocks, reach, candidate, written)
}

// surelyWritten adds to set the candidates that a block writes.
func surelyWritten(f *Func, b Block, candidate []int, set []uint64) {
	for i := b.Start; i < b.End; i++ {
		if in := &f.Body[i]; in.Guard == NoReg {
			for op := range in.Defs() {
				if id := candidate[op.Reg]; id >= 0 {
					set[id/64] |= 1 << (id % 64)
				}
			}
		}
	}
}

// meet keeps in *set what is in both, and reports a change.
func meet(set *[]uint64, out []uint64) (changed bool) {
	if *set == nil {
		*set = append([]uint64(nil), out...)
		return true
	}
	for i, w := range *set {
		if w&^out[i] != 0 {
			(*set)[i] = w & out[i]
			changed = true
		}
	}
	return changed
}

// exposed numbers the registers that some block reads before it writes them; the others need no analysis.
func exposed(f *Func, blocks []Block, reach []bool) (candidate []int, ids []Reg) {
	candidate = make([]int, len(f.Regs))
	inBlock := make([]int, len(f.Regs)) // the last block that wrote a register, from 1
	for r := range candidate {
		candidate[r] = -1
	}
	for b := range blocks {
		if !reach[b] {
			continue
		}
		scan(f, blocks[b], func(_ int, r Reg) {
			if inBlock[r] != b+1 && candidate[r] < 0 {
				candidate[r] = len(ids)
				ids = append(ids, r)
			}
		}, func(r Reg) { inBlock[r] = b + 1 })
	}
	return candidate, ids
}

// readBeforeWrite is a register that an instruction reads where it may not be written.
type readBeforeWrite struct {
	instr int
	reg   Reg
}

func firstReads(f *Func, blocks []Block, reach []bool, candidate []int, written [][]uint64) []readBeforeWrite {
	var found []readBeforeWrite
	reported := make([]bool, len(f.Regs))
	inBlock := make([]int, len(f.Regs))
	for b := range blocks {
		if !reach[b] {
			continue
		}
		scan(f, blocks[b], func(i int, r Reg) {
			id := candidate[r]
			if inBlock[r] != b+1 && !reported[r] && written[b][id/64]>>(id%64)&1 == 0 {
				reported[r] = true
				found = append(found, readBeforeWrite{i, r})
			}
		}, func(r Reg) { inBlock[r] = b + 1 })
	}
	return found
}

// scan goes through a block's reads, and writes that surely happen, in order.
func scan(f *Func, b Block, read func(int, Reg), write func(Reg)) {
	for i := b.Start; i < b.End; i++ {
		in := &f.Body[i]
		if in.Guard != NoReg {
			read(i, in.Guard)
		}
		for op := range in.Uses() {
			read(i, op.Reg)
		}
		if in.Guard == NoReg {
			for op := range in.Defs() {
				write(op.Reg)
			}
		}
	}
}
