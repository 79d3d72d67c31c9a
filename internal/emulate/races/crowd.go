package races

import "math/bits"

// crowd is what happened to a cell that many blocks touched: by kind, the last access of each block. A later access of a block
// stands for the earlier ones: who knows it knows those, too. A crowd never changes, so that cells with the same past share one.
type crowd [4]*set

// set is the last access of some blocks: a tree like a [clock], whose nodes have room for what is there alone.
type set struct {
	level uint8
	has   uint32 // which of the parts below are there
	below []*set // level > 0
	last  []stamp
	under *clock // of a root: the last one of which it was found that it knows all of it
}

type stamp struct{ time, what uint32 }

// slot is where the part of a block is, or would be.
func (s *set) slot(block uint32) (at int, there bool) {
	bit := uint32(1) << (block >> (fanoutBits * s.level) % fanout)
	return bits.OnesCount32(s.has & (bit - 1)), s.has&bit != 0
}

// get is the last access of a block; with the time 0 if there is none.
func (s *set) get(block uint32) stamp {
	for s != nil {
		at, there := s.slot(block)
		switch {
		case !there:
			return stamp{}
		case s.level == 0:
			return s.last[at]
		}
		s = s.below[at]
	}
	return stamp{}
}

// with is the set in which an access is the last one of its block.
func (s *set) with(level uint8, e *entry) *set {
	n := &set{level: level}
	if s != nil {
		n.has = s.has
	}
	at, there := n.slot(e.block)
	n.has |= 1 << (e.block >> (fanoutBits * level) % fanout)
	if level == 0 {
		var old []stamp
		if s != nil {
			old = s.last
		}
		n.last = put(old, at, there, stamp{e.time, e.what})
		return n
	}
	var old []*set
	var below *set
	if s != nil {
		old = s.below
	}
	if there {
		below = old[at]
	}
	n.below = put(old, at, there, below.with(level-1, e))
	return n
}

// put is a copy of a list with an element at a place, instead of the one there or before it.
func put[E any](old []E, at int, instead bool, e E) []E {
	list := make([]E, 0, len(old)+1)
	list = append(append(list, old[:at]...), e)
	if instead {
		at++
	}
	return append(list, old[at:]...)
}

// unknown finds an access that does not come before what the block does now.
func (t *Thread) unknown(s *set) (e entry, found bool) {
	switch {
	case s == nil:
		return entry{}, false
	case s.under != nil && t.d.within(s.under, t.know):
		s.under = t.know // which has most in common with what the next block knows
		return entry{}, false
	}
	if e, found = t.search(s, t.know, 0); found {
		return e, true
	}
	s.under = t.know
	if own := s.get(t.block).time; own > t.know.get(t.block) {
		s.under = t.know.with(t.d.levels, t.block, own) // which other blocks need not know
	}
	return entry{}, false
}

// search is unknown for a part of a set and of a clock, for the blocks whose numbers begin with first.
func (t *Thread) search(s *set, know *clock, first uint32) (entry, bool) {
	k := 0
	for has := s.has; has != 0; has &= has - 1 {
		i := uint32(bits.TrailingZeros32(has))
		at := first<<fanoutBits | i
		t.d.steps++
		switch {
		case s.level > 0:
			var below *clock
			if know != nil {
				below = know.below[i]
			}
			if e, found := t.search(s.below[k], below, at); found {
				return e, true
			}
		case at != t.block && (know == nil || know.time[i] < s.last[k].time):
			return entry{at, s.last[k].time, s.last[k].what}, true
		}
		k++
	}
	return entry{}, false
}

// within reports whether a clock knows all that another one does.
func (d *Detector) within(c, known *clock) bool {
	switch {
	case c == known || c == nil:
		return true
	case known == nil:
		return false
	}
	for i := range fanout {
		d.steps++
		if c.level > 0 && !d.within(c.below[i], known.below[i]) || c.level == 0 && c.time[i] > known.time[i] {
			return false
		}
	}
	return true
}

// step is an access to a cell with a crowd. If it races with none of it, it never will, as a block only learns more.
type step struct {
	from *crowd
	mine entry
}

// maxSteps bounds what a detector remembers of crowds.
const maxSteps = 1 << 12

// crowdOf makes a crowd of the accesses to a cell: the same one for the same accesses.
func (d *Detector) crowdOf(list []entry) *crowd {
	key := [few + 1]entry(list)
	c := d.founded[key]
	if c == nil {
		c = new(crowd)
		for i := range list {
			k := list[i].kind()
			c[k] = c[k].with(d.levels, &list[i])
		}
		if len(d.founded) >= maxSteps {
			clear(d.founded)
		}
		d.founded[key] = c
	}
	return c
}

// joins adds an access to a cell with a crowd. It gives one that it races with.
func (t *Thread) joins(c *cell, at place, mine entry) (with entry, raced bool) {
	now := step{t.d.crowds[at], mine}
	next := t.d.next[now]
	if next == nil {
		t.d.steps++
		if next, with = t.grown(now.from, mine); next == nil {
			return with, true
		}
		if len(t.d.next) >= maxSteps {
			clear(t.d.next)
		}
		t.d.next[now] = next
	}
	*c = cell{a: mine}
	if mine.kind() == Write { // it comes after all of them, and whatever races with one of them later races with it
		delete(t.d.crowds, at)
		return entry{}, false
	}
	c.a.what |= crowdFlag
	t.d.crowds[at] = next
	return entry{}, false
}

// grown is a crowd and an access; nil if that races with one of the crowd.
func (t *Thread) grown(c *crowd, mine entry) (next *crowd, with entry) {
	kind := mine.kind()
	if last := c[kind].get(mine.block); last.time == mine.time {
		return c, entry{} // noted before, see seen
	}
	for k, s := range c {
		if conflicts[kind]>>k&1 != 0 {
			if with, raced := t.unknown(s); raced {
				return nil, with
			}
		}
	}
	next = new(*c)
	next[kind] = next[kind].with(t.d.levels, &mine)
	return next, entry{}
}
