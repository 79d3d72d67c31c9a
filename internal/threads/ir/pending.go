package ir

import "slices"

// pending is what threads did since the last barrier of the block.
type pending struct {
	touches []touch
	turns   []turn
	last    *Turn // of the last access to global memory, in this turn of the loop
	dead    bool  // no thread comes here
}

// touch is an access to a buffer. Those that are private do not meet one another.
type touch struct {
	buf            *Buffer
	private, write bool
	waits, begins  bool // for a turn of a counter; a turn of one, which may not overtake those who wait for the one before
	foot           *Footprint
	far            bool // a barrier of the warp has been since
	entered        int  // the outermost loop that threads have entered since and are in, counted from 1 on; 0 for none
}

// turn is an access to global memory that may be ordered among those of other threads.
type turn struct {
	*Turn
	solo bool
}

func (p *pending) clone() *pending {
	return &pending{slices.Clone(p.touches), slices.Clone(p.turns), p.last, p.dead}
}

// enter is what is pending in a loop, which so many loops are around, when it begins.
func (p *pending) enter(loops int) *pending {
	return p.changed(func(t *touch) bool {
		if t.entered == 0 {
			t.entered = loops + 1
		}
		return true
	})
}

// leave is what is pending where threads are in so many loops only.
func (p *pending) leave(loops int) *pending {
	return p.changed(func(t *touch) bool {
		if t.entered > loops {
			t.entered = 0
		}
		return true
	})
}

// ahead is what would be pending if a barrier stood in front of a loop that threads are in.
func (p *pending) ahead(loop int, barrier reach) *pending {
	return p.changed(func(t *touch) bool {
		if t.entered == 0 || t.entered > loop {
			return true
		}
		t.far = true
		return barrier == warpMates
	})
}

// changed changes accesses, and leaves out those for which f is false.
func (p *pending) changed(f func(t *touch) bool) *pending {
	q := &pending{turns: slices.Clone(p.turns), last: p.last, dead: p.dead}
	for _, t := range p.touches {
		if f(&t) {
			include(&q.touches, []touch{t})
		}
	}
	return q
}

// join adds what threads did on another way to the same place, and reports whether that is more than before.
func (p *pending) join(q *pending) (more bool) {
	if q == nil || q.dead {
		return false
	}
	if p.dead {
		*p = *q.clone()
		return true
	}
	if p.last != q.last {
		p.last = nil
	}
	more = include(&p.touches, q.touches)
	return include(&p.turns, q.turns) || more
}

func include[T comparable](to *[]T, from []T) (more bool) {
	for _, x := range from {
		if !slices.Contains(*to, x) {
			*to, more = append(*to, x), true
		}
	}
	return more
}

// past is what is pending behind a barrier.
func (p *pending) past(barrier reach) *pending {
	switch barrier {
	case nobody:
		return p
	case anybody:
		return &pending{last: p.last}
	}
	return p.changed(func(t *touch) bool {
		t.far = true
		return true
	})
}
