package opt

import "github.com/cutile-go/cutile/internal/simt"

// compact numbers the registers and labels that are left anew, in the order in which the function mentions them.
func compact(f *simt.Func) {
	number := make([]simt.Reg, len(f.Regs))
	for r := range number {
		number[r] = simt.NoReg
	}
	var regs []simt.Class
	renumber := func(r *simt.Reg) {
		if *r == simt.NoReg {
			return
		}
		if number[*r] == simt.NoReg {
			number[*r] = simt.Reg(len(regs))
			regs = append(regs, f.Regs[*r])
		}
		*r = number[*r]
	}
	labels := make(map[int]int)
	for i := range f.Body {
		in := &f.Body[i]
		for op := range in.Defs() {
			renumber(&op.Reg)
		}
		renumber(&in.Guard)
		for op := range in.Uses() {
			renumber(&op.Reg)
		}
		for s := range in.Src {
			if op := &in.Src[s]; op.Kind == simt.Target {
				n, ok := labels[op.Label]
				if !ok {
					n = len(labels)
					labels[op.Label] = n
				}
				op.Label = n
			}
		}
	}
	f.Regs, f.Labels = regs, len(labels)
}
