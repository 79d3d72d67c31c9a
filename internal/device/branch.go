package device

import (
	"slices"

	"github.com/cutile-go/cutile/internal/engine"
)

// A capture has a branch for each stream that takes part, and others for graphs that are replayed in it. The work of a branch happens in order.
// Work of several branches is ordered by events, and by the memory that it uses.

// branch is a sequence of captured work. The capture's lock guards it.
type branch struct {
	stream   *Stream // nil for a branch of a graph that is replayed
	last     int     // the number of its last work; none if it has none yet
	after    []int   // work of other branches that comes before its next work
	seen     []int   // by branch: the number of the last work that comes before what is added from now on; none if it has none
	children []int   // the branches of graphs that are replayed on it, but their first
}

// none is the number of no work.
const none = -1

// users is which captured work uses a memory.
type users struct {
	wrote int   // the last that writes it, or none
	read  []int // since then, the last of each branch
}

// join adds a branch, which begins after the given work.
func (c *capture) join(s *Stream, after []int) int {
	c.branches = append(c.branches, &branch{stream: s, last: none, after: after})
	if s != nil {
		s.capture = c
	}
	return len(c.branches) - 1
}

// branchOf gives the branch of a stream that takes part.
func (c *capture) branchOf(s *Stream) int {
	return slices.IndexFunc(c.branches, func(b *branch) bool { return b.stream == s })
}

// here gives the work that comes before whatever is behind this point of a branch.
func (b *branch) here() []int {
	if b.last == none {
		return slices.Clone(b.after)
	}
	return append(slices.Clone(b.after), b.last)
}

// wait makes what is captured on a stream from now on come after an event of the capture.
func (c *capture) wait(s *Stream, e *Event) error {
	switch {
	case c.ended || s.capture != nil && s.capture != c:
		return errCapturedEvent
	case s.capture == nil:
		c.join(s, slices.Clone(e.behind))
	default:
		b := c.branches[c.branchOf(s)]
		b.after = append(b.after, e.behind...)
	}
	return nil
}

// place adds work to a branch, behind the work that uses the same memory.
func (c *capture) place(at int, w work) {
	b, number := c.branches[at], len(c.work)
	w.branch = at
	for len(b.seen) < len(c.branches) {
		b.seen = append(b.seen, none)
	}
	for _, earlier := range b.after {
		c.behind(&w, b, earlier)
	}
	b.after = nil
	for _, u := range w.uses {
		m := c.keep(u)
		c.behind(&w, b, m.wrote)
		if !u.Writes {
			m.read = append(slices.DeleteFunc(m.read, func(r int) bool { return r == number || c.work[r].branch == at }), number)
			continue
		}
		for _, r := range m.read {
			c.behind(&w, b, r)
		}
		m.wrote, m.read = number, m.read[:0]
	}
	for _, earlier := range w.after {
		b.seen[c.work[earlier].branch] = earlier
	}
	b.last = number
	c.work = append(c.work, w)
	if w.copies == nil {
		c.kernels++
	}
}

// behind notes that work of branch b comes behind earlier work, if it does not anyhow. Of each other branch the last such work is enough.
func (c *capture) behind(w *work, b *branch, earlier int) {
	if earlier == none || earlier == len(c.work) { // work that uses a memory twice does not wait for itself
		return
	}
	from := c.work[earlier].branch
	if from == w.branch || b.seen[from] >= earlier {
		return
	}
	for i, a := range w.after {
		if c.work[a].branch == from {
			w.after[i] = max(a, earlier)
			return
		}
	}
	w.after = append(w.after, earlier)
}

// replay makes the work of a graph part of a capture: behind what is on the branch, and before what is added to it.
func (c *capture) replay(at int, of *capture) error {
	if len(c.work)+len(of.work) > maxCaptured {
		return errTooMany
	}
	if err := of.writable(); err != nil {
		return err
	}
	if err := c.notBeside(of.uses); err != nil {
		return err
	}
	b, base := c.branches[at], len(c.work)
	places := []int{at}
	for i := range len(of.branches) - 1 {
		if i == len(b.children) {
			b.children = append(b.children, c.join(nil, nil))
		}
		places = append(places, b.children[i])
		child := c.branches[b.children[i]]
		child.after = append(child.after, b.here()...)
	}
	for _, w := range of.work {
		on := places[w.branch]
		for _, earlier := range w.after {
			c.branches[on].after = append(c.branches[on].after, base+earlier)
		}
		w.after = nil
		c.place(on, w)
	}
	for _, child := range places[1:] {
		b.after = append(b.after, c.branches[child].here()...)
		c.branches[child].after = nil
	}
	return nil
}

// record queues the work of a capture that has ended on the streams of a graph that is being made, one for each branch.
func (c *capture) record(on []engine.Stream) error {
	last := map[int]int{} // by work for which other branches wait: the last that does
	for i := range c.work {
		for _, earlier := range c.work[i].after {
			last[earlier] = i
		}
	}
	events := map[int]engine.Event{} // behind that work
	defer func() {
		for _, e := range events { // after an error
			e.Close()
		}
	}()
	for i := range c.work {
		w := &c.work[i]
		for _, earlier := range w.after {
			if err := on[w.branch].WaitEvent(events[earlier]); err != nil {
				return err
			}
			if last[earlier] > i {
				continue
			}
			if err := events[earlier].Close(); err != nil {
				return err
			}
			delete(events, earlier)
		}
		if err := w.queue(on[w.branch]); err != nil {
			return err
		}
		if _, awaited := last[i]; !awaited {
			continue
		}
		e, err := on[w.branch].Record()
		if err != nil {
			return err
		}
		events[i] = e
	}
	return nil
}
