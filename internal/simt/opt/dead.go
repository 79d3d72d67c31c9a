package opt

import "github.com/cutile-go/cutile/internal/simt"

// dead drops pure instructions whose results no instruction needs that does something: also those that only need each
// other, such as the count of a loop that counts for nobody.
func dead(f *simt.Func) bool {
	drop := make([]bool, len(f.Body))
	needed := make([]bool, len(f.Regs))
	var work []simt.Reg
	need := func(r simt.Reg) {
		if r != simt.NoReg && !needed[r] {
			needed[r] = true
			work = append(work, r)
		}
	}
	needAll := func(in *simt.Instr) {
		need(in.Guard)
		for op := range in.Uses() {
			need(op.Reg)
		}
	}
	writers := newLists(len(f.Regs), len(f.Body))
	for i := range f.Body {
		in := &f.Body[i]
		if drop[i] = pure(in); !drop[i] {
			needAll(in)
			if in.ReadsResult() {
				for op := range in.Defs() {
					need(op.Reg)
				}
			}
			continue
		}
		for op := range in.Defs() {
			writers.add(int(op.Reg), i)
		}
	}
	for len(work) > 0 {
		r := work[len(work)-1]
		work = work[:len(work)-1]
		for i := range writers.of(int(r)) {
			if drop[i] {
				drop[i] = false
				needAll(&f.Body[i])
			}
		}
	}
	return keep(f, drop)
}

// lists are many short lists of numbers in two slices.
type lists struct {
	head []int32
	next []int32
	vals []int32
}

func newLists(n, size int) *lists {
	l := &lists{head: make([]int32, n), next: make([]int32, 1, size+1), vals: make([]int32, 1, size+1)}
	return l
}

func (l *lists) add(list, val int) {
	l.next, l.vals = append(l.next, l.head[list]), append(l.vals, int32(val))
	l.head[list] = int32(len(l.next) - 1)
}

func (l *lists) of(list int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for at := l.head[list]; at != 0; at = l.next[at] {
			if !yield(int(l.vals[at])) {
				return
			}
		}
	}
}

// overwritten drops pure instructions whose results nothing reads before they are written again in the same block, or
// before the function ends there.
func overwritten(f *simt.Func) bool {
	drop := make([]bool, len(f.Body))
	read := make([]int, len(f.Regs)) // the block, from 1, that goes on to read a register; negative where it writes it first
	for b, block := range simt.Blocks(f) {
		here := b + 1
		idle := func(r simt.Reg) bool { return read[r] == -here || read[r] != here && len(block.Succ) == 0 }
		for i := block.End - 1; i >= block.Start; i-- {
			in := &f.Body[i]
			again := in.ReadsResult()
			if drop[i] = pure(in) && all(in, idle); drop[i] {
				continue
			}
			for op := range in.Defs() {
				switch {
				case again:
					read[op.Reg] = here
				case in.Guard == simt.NoReg:
					read[op.Reg] = -here
				}
			}
			for op := range in.Uses() {
				read[op.Reg] = here
			}
			if in.Guard != simt.NoReg {
				read[in.Guard] = here
			}
		}
	}
	return keep(f, drop)
}

// all reports whether something holds for every register that an instruction writes.
func all(in *simt.Instr, holds func(simt.Reg) bool) bool {
	for op := range in.Defs() {
		if !holds(op.Reg) {
			return false
		}
	}
	return true
}
