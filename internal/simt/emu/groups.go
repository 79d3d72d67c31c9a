package emu

import (
	"math"
	"math/bits"
)

// group is lanes that are at the same instruction.
type group struct {
	pc   int
	mask uint32
	wait *wait // nil if they can go on
}

// wait is what lanes wait for.
type wait struct {
	ready  func() bool   // nil: lanes of the same warp
	then   func()        // what happens at the end of the wait, if anything
	retry  bool          // run the instruction once more
	reason func() string // for messages
}

// runnable counts the groups that can go on.
func (w *warp) runnable() (n int) {
	for i := range w.groups {
		if w.groups[i].wait == nil {
			n++
		}
	}
	return n
}

// wake ends the waits that are over.
func (w *warp) wake() {
	for i := range w.groups {
		g := &w.groups[i]
		if g.wait == nil || g.wait.ready == nil || !g.wait.ready() {
			continue
		}
		if !g.wait.retry {
			g.pc++
		}
		if g.wait.then != nil {
			g.wait.then()
		}
		g.wait = nil
	}
	w.merge()
}

// merge makes one group of those that can go on at the same instruction.
func (w *warp) merge() {
	for i := 0; i < len(w.groups); i++ {
		for j := len(w.groups) - 1; j > i; j-- {
			a, b := &w.groups[i], w.groups[j]
			if a.wait == nil && b.wait == nil && a.pc == b.pc {
				a.mask |= b.mask
				w.remove(j)
			}
		}
	}
}

// remove takes away a group; the one that runs stays the same one, unless it is taken away.
func (w *warp) remove(j int) {
	w.groups = append(w.groups[:j], w.groups[j+1:]...)
	if w.g > j {
		w.g--
	}
}

// pick chooses the group that runs: the first in the program that can; in a sticky turn the one that ran, while it can.
// It gives the instruction before which the choice is due again, and false if no group can run.
func (w *warp) pick() (limit int, ok bool) {
	if len(w.groups) == 1 {
		w.g = 0
		return math.MaxInt, w.groups[0].wait == nil
	}
	w.merge()
	if !w.sticky || w.g >= len(w.groups) || w.groups[w.g].wait != nil {
		w.g = w.order(0)
	}
	if w.g < 0 {
		return 0, false
	}
	limit = math.MaxInt
	for i, g := range w.groups {
		if i != w.g && g.wait == nil && g.pc > w.groups[w.g].pc {
			limit = min(limit, g.pc)
		}
	}
	return limit, true
}

// order gives the group that is the n-th in the program of those that can go on, cyclically: -1 if there is none.
func (w *warp) order(n int) int {
	count := w.runnable()
	if count == 0 {
		return -1
	}
	before := func(i, j int) bool { return w.groups[i].pc < w.groups[j].pc }
	for i := range w.groups {
		rank := 0
		for j := range w.groups {
			if w.groups[j].wait == nil && before(j, i) {
				rank++
			}
		}
		if w.groups[i].wait == nil && rank == n%count {
			return i
		}
	}
	return -1
}

// split takes lanes away from the group that runs and gives them their own; the others go on.
func (w *warp) split(apart group) {
	g := &w.groups[w.g]
	if g.mask == apart.mask {
		*g = apart
		return
	}
	g.mask &^= apart.mask
	g.pc++
	w.groups = append(w.groups, apart)
}

// end ends lanes of the group that runs. Lanes that wait for others of the warp look again.
func (w *warp) end(m uint32) {
	w.gone |= m
	g := &w.groups[w.g]
	g.mask &^= m
	g.pc++
	if g.mask == 0 {
		w.remove(w.g)
	}
	for i := range w.groups {
		if q := w.groups[i].wait; q != nil && q.ready == nil {
			w.groups[i].wait = nil
		}
	}
	w.block.left(bits.OnesCount32(m))
}

// gather waits until the lanes that are wanted are at this instruction, and gives all that are: false until then.
func (w *warp) gather(m, want uint32) (uint32, bool) {
	if want&^m == 0 {
		return m, true
	}
	if missing := want & (w.gone | ^w.all); missing != 0 {
		verb := "has ended"
		if missing&^w.all != 0 {
			verb = "does not exist"
		}
		w.fault(bits.TrailingZeros32(m), "%s wants the lanes 0x%08x, but lane %d %s", w.op(), want, bits.TrailingZeros32(missing), verb)
		return 0, false
	}
	here := m
	for _, g := range w.groups {
		if g.pc == w.pc && g.wait != nil && g.wait.ready == nil {
			here |= g.mask
		}
	}
	if want&^here != 0 {
		w.stop(m, &wait{reason: func() string { return lanesText(want&^here) + " of the same warp" }})
		return 0, false
	}
	for i := len(w.groups) - 1; i >= 0; i-- {
		if g := w.groups[i]; i != w.g && g.pc == w.pc && g.wait != nil && g.wait.ready == nil {
			w.groups[w.g].mask |= g.mask
			w.remove(i)
		}
	}
	w.event = gathered
	return here, true
}
