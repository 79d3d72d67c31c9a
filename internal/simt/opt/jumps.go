package opt

import "github.com/cutile-go/cutile/internal/simt"

// jumps drops what cannot be reached, jumps to what follows anyway, and labels that nothing jumps to. Jumps to a jump go
// where that one goes. That a loop is not unrolled stays said.
func jumps(f *simt.Func) bool {
	changed := thread(f)
	drop := make([]bool, len(f.Body))
	blocks := simt.Blocks(f)
	for b, reached := range simt.Reachable(blocks) {
		for i := blocks[b].Start; i < blocks[b].End && !reached; i++ {
			drop[i] = true
		}
	}
	changed = keep(f, drop) || changed

	drop = make([]bool, len(f.Body))
	wanted := make([]bool, f.Labels)
	for i := range f.Body {
		label, ok := f.Body[i].Jump()
		if !ok {
			continue
		}
		if drop[i] = follows(f, i+1, label); !drop[i] {
			wanted[label] = true
		}
	}
	unwanted(f, wanted, drop)
	return keep(f, drop) || changed
}

// unwanted marks the labels that nothing jumps to. Of labels at one place one that stays says that the loop there is not
// unrolled, if any of them does.
func unwanted(f *simt.Func, wanted, drop []bool) {
	rolled := false // a label here that is dropped says so
	last := -1      // the label here that stays; -1 for none
	for i := range f.Body {
		in := &f.Body[i]
		if in.Op != simt.OpLabel {
			rolled, last = false, -1
			continue
		}
		if drop[i] = !wanted[in.Src[0].Label]; !drop[i] {
			last = i
		}
		if rolled = rolled || drop[i] && in.Rolled; rolled && last >= 0 {
			f.Body[last].Rolled = true
		}
	}
}

// follows reports whether a label stands at instruction i, maybe after others.
func follows(f *simt.Func, i, label int) bool {
	for ; i < len(f.Body) && f.Body[i].Op == simt.OpLabel; i++ {
		if f.Body[i].Src[0].Label == label {
			return true
		}
	}
	return false
}

// thread makes jumps to a jump go where that one goes.
func thread(f *simt.Func) (changed bool) {
	to := make([]int, f.Labels)      // the label that a jump to a label ends up at
	rolled := make([]bool, f.Labels) // a loop that begins there is not unrolled
	for l := range to {
		to[l] = l
	}
	next := -1 // the label that the instruction after jumps to
	for i := len(f.Body) - 1; i >= 0; i-- {
		in := &f.Body[i]
		if in.Op == simt.OpLabel {
			rolled[in.Src[0].Label] = in.Rolled
			if next >= 0 {
				to[in.Src[0].Label] = next
			}
			continue
		}
		if next = -1; in.Guard == simt.NoReg {
			if label, ok := in.Jump(); ok {
				next = label
			}
		}
	}
	for i := range f.Body {
		label, ok := f.Body[i].Jump()
		if !ok {
			continue
		}
		end := label
		for steps := 0; to[end] != end && steps < 8; steps++ { // an empty loop has no end
			end = to[end]
		}
		if end != label && to[end] == end {
			f.Body[i].Src[0].Label, changed = end, true
			rolled[end] = rolled[end] || rolled[label]
		}
	}
	for i := range f.Body {
		if in := &f.Body[i]; in.Op == simt.OpLabel && rolled[in.Src[0].Label] {
			in.Rolled = true
		}
	}
	return changed
}
