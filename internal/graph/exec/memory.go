package exec

import (
	"slices"

	"github.com/cutile-go/cutile/internal/graph/ir"
	"github.com/cutile-go/cutile/internal/graph/loops"
)

// place decides where each array lies: in a parameter, a result, or a slot, which arrays share that are not needed at the same
// time.
func (p *Program) place(params []*ir.Node, steps []step) {
	places := map[*loops.Buffer]place{}
	for b, mem := range p.fixed {
		places[b] = place{kind: ofFixed, fixed: mem}
	}
	for i, n := range params {
		if b := p.Plan.Buffers[n]; b != nil {
			places[b] = place{kind: ofParam, index: i}
		}
	}
	p.parts(places, steps)
	p.results(places)
	p.share(places, steps)
	p.steps = steps
}

// parts numbers the arrays that control steps make.
func (p *Program) parts(places map[*loops.Buffer]place, steps []step) {
	for i := range steps {
		c := steps[i].control
		if c == nil {
			continue
		}
		c.first = p.dynamic
		p.dynamic += c.results()
		for n, b := range p.Plan.Buffers {
			if n.Op == ir.Part && n.In[0] == c.node {
				places[b] = place{kind: ofDynamic, index: c.first + n.Attr.(ir.PartAttr).Index}
			}
		}
	}
}

// results finds out where each result comes from: from a kernel, or as a copy of a parameter, a constant, or another result.
func (p *Program) results(places map[*loops.Buffer]place) {
	for i, n := range p.Plan.Results {
		r := result{node: n}
		b := p.Plan.Buffers[n]
		if from, ok := places[b]; ok {
			r.from, r.copy = from, true
		} else if n.Len() > 0 {
			places[b] = place{kind: ofResult, index: i}
		}
		p.outs = append(p.outs, r)
	}
}

// share gives slots to the arrays that have no place yet.
func (p *Program) share(places map[*loops.Buffer]place, steps []step) {
	last := map[*loops.Buffer]int{} // the last step that uses an array
	for i, s := range steps {
		for _, b := range s.arrays {
			last[b] = i
		}
	}
	var free []int // slots
	for i := range steps {
		s := &steps[i]
		for _, b := range s.arrays {
			if _, ok := places[b]; !ok && b.Len() > 0 {
				places[b] = place{kind: ofSlot, index: p.slot(&free, bytes(b))}
			}
			s.args = append(s.args, places[b])
		}
		var freed []int
		for j, b := range s.arrays {
			if s.args[j].kind == ofSlot && last[b] == i && !slices.Contains(freed, s.args[j].index) {
				freed = append(freed, s.args[j].index)
			}
		}
		free = append(free, freed...)
	}
}

// slot finds memory of at least the given size among the free slots, the smallest that is large enough, or enlarges the largest
// one, or makes a new one.
func (p *Program) slot(free *[]int, size int64) int {
	best := -1
	for i, s := range *free {
		if best < 0 {
			best = i
			continue
		}
		have, old := p.slots[s], p.slots[(*free)[best]]
		if have >= size && (old < size || have < old) || have < size && old < have {
			best = i
		}
	}
	if best < 0 {
		p.slots = append(p.slots, size)
		return len(p.slots) - 1
	}
	s := (*free)[best]
	*free = slices.Delete(*free, best, best+1)
	p.slots[s] = max(p.slots[s], size)
	return s
}
