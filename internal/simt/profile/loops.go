package profile

import (
	"cmp"
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// span is a loop in the body of a kernel: from the label that branches go back to, to the last of them.
type span struct {
	first, last int
	back        []int // the branches
}

// spans finds the loops of a body, in the order of their labels.
func spans(body []simt.Instr) []span {
	at := map[int]int{}
	byLabel := map[int]*span{}
	for i := range body {
		in := &body[i]
		if len(in.Src) == 0 || in.Src[0].Kind != simt.Target {
			continue
		}
		label := in.Src[0].Label
		if in.Op == simt.OpLabel {
			at[label] = i
			continue
		}
		if first, ok := at[label]; ok {
			if byLabel[first] == nil {
				byLabel[first] = &span{first: first}
			}
			s := byLabel[first]
			s.last = i
			s.back = append(s.back, i)
		}
	}
	var all []span
	for _, s := range byLabel {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	return all
}

// loops reports the loops that were run. The turns are those of a warp each time it comes to the loop; the cycles are those of one
// turn of a block.
func (r *Report) loops(a *emu.Account, t *Target, kinds []*class) {
	for _, s := range spans(a.Kernel.Body) {
		var all sum
		for i := s.first; i <= s.last; i++ {
			all.add(t, kinds[i], &a.Counts[i])
		}
		head := s.first
		for head < s.last && a.Kernel.Body[head].Op == simt.OpLabel {
			head++
		}
		begun, taken, ends := a.Counts[head].Executed, int64(0), false
		for _, i := range s.back {
			taken += a.Counts[i].Executed - a.Counts[i].Idle
			ends = ends || a.Kernel.Body[i].Guard != simt.NoReg
		}
		turns := begun
		if !ends { // the condition is at the beginning, where it is asked once more than there are turns
			turns = taken
		}
		if turns == 0 {
			continue
		}
		l := Loop{Turns: float64(turns) / float64(max(1, begun-taken)), Warps: float64(a.Counts[head].Warps) / float64(a.Blocks)}
		l.Entry = all.entry(float64(turns) / l.Warps) // turns of all blocks
		l.Place = place(&a.Kernel.Body[s.last])
		l.Name = l.Place
		r.Loops = append(r.Loops, l)
	}
}
