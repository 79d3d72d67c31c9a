package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
)

// source says where in its warp a thread finds the elements of another layout: lane and register are linear functions of the own register
// and of the bits of the thread.
type source struct {
	lane, reg struct{ byReg, byThread linear.Map }
}

// sourceOf finds where a thread has the elements of a layout from; ok is false if other warps have some of them. Of several lanes that have
// an element, the own one is preferred.
func sourceOf(from, to *linear.Layout) (s *source, ok bool) {
	s = &source{}
	lanes, regs := len(from.Lane), len(from.Reg)
	lanesFirst, regsFirst := slices.Concat(from.Lane, from.Reg), slices.Concat(from.Reg, from.Lane)
	for _, b := range to.Reg {
		n, ok := regsFirst.Preimage(b)
		if !ok {
			return nil, false
		}
		s.reg.byReg, s.lane.byReg = append(s.reg.byReg, n&(1<<regs-1)), append(s.lane.byReg, n>>regs)
	}
	for i, b := range to.Thread() {
		same := 0
		if i >= lanes {
			b ^= from.Warp[i-lanes]
		} else if b == from.Lane[i] {
			b, same = 0, 1<<i
		}
		n, ok := lanesFirst.Preimage(b)
		if !ok {
			return nil, false
		}
		s.lane.byThread, s.reg.byThread = append(s.lane.byThread, same|n&(1<<lanes-1)), append(s.reg.byThread, n>>lanes)
	}
	return s, true
}

// own reports whether each thread has what it needs itself.
func (s *source) own(lanes int) bool {
	return s.lane.byReg.Span() == 0 && slices.Equal(s.lane.byThread[:lanes], linear.Identity(lanes)) && s.lane.byThread[lanes:].Span() == 0
}

// choices are the registers, by exclusive or with what the own register says, of which a thread's lane or warp says which it needs.
func (s *source) choices() []int {
	all := []int{0}
	for _, b := range s.reg.byThread {
		if !slices.Contains(all, b) {
			for _, c := range all[:len(all):len(all)] {
				all = append(all, c^b)
			}
		}
	}
	return all
}

// wordCost is what moving a value of a class between lanes costs, in instructions.
var wordCost = map[vec.Class]int{vec.Mask: 3, vec.V8: 3, vec.V16: 3, vec.V32: 1, vec.V64: 4}

// exchangeCost is what an exchange through shared memory costs beside its loads and stores: places and a barrier.
const exchangeCost = 8

// shuffled brings registers to another layout without shared memory: nil where other warps have some of the elements, or where it would be
// longer.
func (e *emitter) shuffled(form vec.Type, regs []ir.Value, from, to *linear.Layout) []ir.Value {
	s, ok := sourceOf(from, to)
	if !ok {
		return nil
	}
	lanes := len(from.Lane)
	choices, size := s.choices(), e.inShared(form).Bytes()
	most := max(1, 16/size)
	shared := len(regs)/from.Run(1, most) + to.Regs()/to.Run(1, most) + exchangeCost
	own := s.own(lanes)
	switch cost := to.Regs() * len(choices); {
	case len(choices) > 2, !own && (!e.target.Shuffles || cost*wordCost[lane.Class(form)] > shared):
		return nil
	}
	thread := e.thread()
	x := &mover{emitter: e, form: form, own: own, done: map[[2]int]ir.Value{}}
	if !own {
		x.lane = e.linear(thread, s.lane.byThread)
		x.straight = slices.Equal(s.lane.byThread[:lanes], linear.Identity(lanes)) && s.lane.byThread[lanes:].Span() == 0
	}
	var other ir.Value // whether a thread needs the second choice
	if len(choices) > 1 {
		which := s.reg.byThread.Mapped(func(b int) int { return min(b, 1) })
		other = e.Compare(vec.I32, vec.NE, e.linear(thread, which), e.Int(0))
	}
	out := make([]ir.Value, to.Regs())
	for r := range out {
		k, shift := s.reg.byReg.Apply(r), s.lane.byReg.Apply(r)
		out[r] = x.move(regs, k, shift)
		if other != 0 {
			out[r] = e.pick(form, other, x.move(regs, k^choices[1], shift), out[r])
		}
	}
	return out
}

// mover gets registers of other lanes, each once.
type mover struct {
	*emitter
	form          vec.Type
	own, straight bool                // no lane asks another one; none does for registers that say nothing of the lane
	lane          ir.Value            // the number of the lane to ask, but for an exclusive or with what the register says
	done          map[[2]int]ir.Value // by register and what is said of the lane
}

func (x *mover) move(regs []ir.Value, k, shift int) ir.Value {
	if x.own || x.straight && shift == 0 {
		return regs[k]
	}
	key := [2]int{k, shift}
	if x.done[key] == 0 {
		x.done[key] = x.From(x.form, regs[k], x.Do(vec.Xor, vec.I32, x.lane, x.Int(shift)))
	}
	return x.done[key]
}
