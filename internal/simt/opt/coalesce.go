package opt

import "github.com/cutile-go/cutile/internal/simt"

// coalesce makes "t = op; mov x, t" into "x = op" where nothing else reads or writes t, and nothing touches x between the
// two.
func coalesce(f *simt.Func) bool {
	uses, defs := counts(f)
	drop := make([]bool, len(f.Body))
	made := make([]int, len(f.Regs))    // the instruction, from 1, that wrote a register last
	touched := make([]int, len(f.Regs)) // the last that read it
	for _, block := range simt.Blocks(f) {
		start := block.Start + 1
		waits := 0 // the last instruction that others wait for or that waits
		for i := block.Start; i < block.End; i++ {
			in := &f.Body[i]
			if late(in) {
				waits = i + 1
			}
			if isMove(in) && in.Guard == simt.NoReg && in.Src[0].Kind == simt.Register {
				t, x := in.Src[0].Reg, in.Dst[0].Reg
				at := made[t]
				if t != x && uses[t] == 1 && defs[t] == 1 && f.Regs[t] == f.Regs[x] && at >= start && at > waits &&
					touched[x] <= at && made[x] < at && gives(&f.Body[at-1]) {
					for op := range f.Body[at-1].Defs() {
						if op.Reg == t {
							op.Reg = x
						}
					}
					made[x], drop[i] = at, true
					continue
				}
			}
			note(in, i+1, made, touched)
		}
	}
	return keep(f, drop)
}

// gives reports whether an instruction's results may be other registers: it writes them at once, and always.
func gives(in *simt.Instr) bool { return in.Guard == simt.NoReg && !in.ReadsResult() && !late(in) }

// note remembers what an instruction reads and writes.
func note(in *simt.Instr, n int, made, touched []int) {
	for op := range in.Uses() {
		touched[op.Reg] = n
	}
	if in.Guard != simt.NoReg {
		touched[in.Guard] = n
	}
	for op := range in.Defs() {
		made[op.Reg] = n
	}
}

// counts says how often each register is read and written.
func counts(f *simt.Func) (uses, defs []int) {
	uses, defs = make([]int, len(f.Regs)), make([]int, len(f.Regs))
	for i := range f.Body {
		in := &f.Body[i]
		for op := range in.Uses() {
			uses[op.Reg]++
		}
		if in.Guard != simt.NoReg {
			uses[in.Guard]++
		}
		for op := range in.Defs() {
			defs[op.Reg]++
			if in.ReadsResult() {
				uses[op.Reg]++
			}
		}
	}
	return uses, defs
}
