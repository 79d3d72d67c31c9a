package emu

import (
	"math/rand/v2"
	"slices"
)

// schedule is the order of a cluster's warps where [Launch.Schedule] asks for one: a warp runs only while none before it can go on, so
// that the last one falls as far behind as waits let it. Asynchronous work has a place in that order, too: behind a warp, it is done when
// no warp before it can go on. Now and then the warp that has run becomes the last one.
type schedule struct {
	rand    *rand.Rand
	order   []*warp
	async   int // how many warps come before asynchronous work
	budget  int // instructions of a warp before those in front of it are looked at again
	demotes int // of how many turns one makes the warp the last: 0 for none
	waiting int // what warps have done since all had a turn
}

// patience is how much warps may do before all others have a turn: they may wait for them by looking at memory again and again.
const patience = 1 << 16

// begin chooses the order of the n-th cluster of the grid.
func (s *schedule) begin(c *cluster, n int) {
	s.rand = rand.New(rand.NewPCG(c.run.Schedule, uint64(n)))
	s.order = s.order[:0]
	for _, b := range c.blocks {
		s.order = append(s.order, b.warps...)
	}
	s.rand.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
	s.async = s.rand.IntN(len(s.order) + 1)
	s.budget = []int{16, turn}[s.rand.IntN(2)]
	s.demotes = []int{0, 8, 64}[s.rand.IntN(3)]
	s.waiting = 0
}

// stepInOrder is [cluster.step] by the schedule.
func (c *cluster) stepInOrder(budget int) (bool, error) {
	s := c.schedule
	for budget > 0 {
		switch {
		case c.run.stopped.Load():
			return true, nil
		case s.waiting > patience:
			s.waiting = 0
			for _, w := range s.order {
				budget -= s.turn(w, turn)
			}
			if err := c.mistake(); err != nil {
				return true, err
			}
		}
		did, found, err := s.next(c)
		budget -= did
		s.waiting += did
		switch {
		case err != nil:
			return true, err
		case found:
		case !slices.ContainsFunc(s.order, func(w *warp) bool { return len(w.groups) > 0 }):
			return true, c.finish()
		case did == 0:
			return true, c.deadlock()
		}
	}
	return false, nil
}

// next lets the first that can go on do so; found is false if none can. did is how much it and others did, who only looked whether they
// can go on.
func (s *schedule) next(c *cluster) (did int, found bool, err error) {
	for i := range len(s.order) + 1 {
		if i == s.async {
			if found, err := c.deliver(); found || err != nil {
				return did + 1, found, err
			}
		}
		if i == len(s.order) {
			break
		}
		w := s.order[i]
		n := s.turn(w, s.budget)
		did += n
		switch {
		case w.err != nil:
			return did, true, w.err
		case n > 0 && !w.idle:
			if s.demotes > 0 && s.rand.IntN(s.demotes) == 0 {
				s.order = append(slices.Delete(s.order, i, i+1), w)
			}
			return did, true, nil
		}
	}
	return did, false, nil
}

// turn lets a warp run, and gives how much it did: 0 if it could not.
func (s *schedule) turn(w *warp, budget int) int {
	w.idle = false
	if len(w.groups) == 0 {
		return 0
	}
	before := w.count
	if !w.run(budget) {
		return 0
	}
	did := int(w.count-before) + 1 + w.polls*pollCost
	w.polls = 0
	return did
}
