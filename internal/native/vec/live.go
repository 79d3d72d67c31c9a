package vec

import "slices"

// LastUses gives, for each register, the number of the last instruction that needs its value: for a register that was
// assigned before a loop that reads or writes it, at least the end of the loop; -1 for one that nothing reads.
func (f *Func) LastUses() []int {
	last, first := make([]int, len(f.Regs)), make([]int, len(f.Regs))
	for r := range last {
		last[r], first[r] = -1, len(f.Body)
	}
	var open []int
	for i := range f.Body {
		in := &f.Body[i]
		for _, r := range in.Reads() {
			last[r] = i
		}
		if in.Dst != 0 {
			first[in.Dst] = min(first[in.Dst], i)
		}
		switch {
		case in.Op.Opens():
			open = append(open, i)
		case in.Op == End:
			begin := open[len(open)-1]
			open = open[:len(open)-1]
			if f.Body[begin].Op.Loops() {
				f.keep(last, first, begin, i)
			}
		}
	}
	last[0] = -1 // which stands for none
	return last
}

// keep lets what a loop takes from before it live until its end.
func (f *Func) keep(last, first []int, begin, end int) {
	for i := begin; i <= end; i++ {
		in := &f.Body[i]
		for _, r := range [...]Reg{in.Dst, in.Src[0], in.Src[1], in.Src[2], in.Mask, in.Mem.Base, in.Mem.Index} {
			if first[r] < begin || i == begin {
				last[r] = max(last[r], end)
			}
		}
	}
}

// Cold reports for each instruction whether it is on a side of a branch that suspends the function: there it runs seldom.
func (f *Func) Cold() []bool {
	cold := make([]bool, len(f.Body))
	var open []int // where the innermost sides and loops begin
	for i := range f.Body {
		switch op := f.Body[i].Op; {
		case op.Opens():
			open = append(open, i)
		case op == Else:
			open[len(open)-1] = i
		case op == End:
			open = open[:len(open)-1]
		case op == Suspend && len(open) > 0 && !f.Body[open[len(open)-1]].Op.Loops():
			f.chill(cold, open[len(open)-1])
		}
	}
	return cold
}

// chill marks a side of a branch.
func (f *Func) chill(cold []bool, begin int) {
	for i, depth := begin+1, 0; ; i++ {
		switch op := f.Body[i].Op; {
		case op.Opens():
			depth++
		case depth == 0 && (op == Else || op == End):
			return
		case op == End:
			depth--
		}
		cold[i] = true
	}
}

// Streams reports whether the function writes past the caches.
func (f *Func) Streams() bool {
	return slices.ContainsFunc(f.Body, func(in Instr) bool { return in.Op == StoreStream })
}
