package exec

import (
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
	p.results(places, steps)
	last := map[*loops.Buffer]int{} // the last step that uses an array
	for i, s := range steps {
		for _, b := range s.code.Args {
			last[b] = i
		}
	}
	var free []int // slots
	for i := range steps {
		s := &steps[i]
		if into := s.code.Args[0]; !has(places, into) {
			places[into] = place{kind: ofSlot, index: p.slot(&free, bytes(into))}
		}
		for _, b := range s.code.Args {
			s.args = append(s.args, places[b])
		}
		for _, b := range s.code.Args {
			if places[b].kind == ofSlot && last[b] == i {
				free = append(free, places[b].index)
			}
		}
	}
	p.steps = steps
}

func has(places map[*loops.Buffer]place, b *loops.Buffer) bool {
	_, ok := places[b]
	return ok
}

// results finds out where each result comes from: from a kernel, or as a copy of a parameter, a constant, or another result.
func (p *Program) results(places map[*loops.Buffer]place, steps []step) {
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
	*free = append((*free)[:best], (*free)[best+1:]...)
	p.slots[s] = max(p.slots[s], size)
	return s
}
