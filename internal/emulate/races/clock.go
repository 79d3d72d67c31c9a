package races

import "math/bits"

// clock is what a block knows of the others: by block, the time up to which its accesses come before. It is a tree with
// fanout 32 that never changes, so that clocks share what they have in common and a chain of releases costs little.
type clock struct {
	level uint8 // 0: a leaf
	below [fanout]*clock
	time  *[fanout]uint32
}

const (
	fanoutBits = 5
	fanout     = 1 << fanoutBits
)

// levels is how many levels above the leaves a clock for n blocks has.
func levels(blocks int64) (n uint8) {
	for width := bits.Len64(uint64(max(0, blocks-1))); width > fanoutBits; width -= fanoutBits {
		n++
	}
	return n
}

// get is the time up to which a block is known; 0 for not at all.
func (c *clock) get(block uint32) uint32 {
	for c != nil && c.level > 0 {
		c = c.below[block>>(fanoutBits*c.level)%fanout]
	}
	if c == nil {
		return 0
	}
	return c.time[block%fanout]
}

// with is the clock that knows a block up to a time as well.
func (c *clock) with(level uint8, block, time uint32) *clock {
	n := &clock{level: level}
	if level == 0 {
		n.time = new([fanout]uint32)
		if c != nil {
			*n.time = *c.time
		}
		n.time[block%fanout] = max(n.time[block%fanout], time)
		return n
	}
	if c != nil {
		n.below = c.below
	}
	at := &n.below[block>>(fanoutBits*level)%fanout]
	*at = (*at).with(level-1, block, time)
	return n
}

// join is the clock that knows what two clocks know. If one of them knows it all, join gives that one.
func join(a, b *clock) *clock {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case a.level == 0:
		return joinLeaves(a, b)
	}
	n := &clock{level: a.level}
	isA, isB := true, true
	for i := range n.below {
		n.below[i] = join(a.below[i], b.below[i])
		isA, isB = isA && n.below[i] == a.below[i], isB && n.below[i] == b.below[i]
	}
	return pick(n, a, b, isA, isB)
}

func joinLeaves(a, b *clock) *clock {
	n := &clock{time: new([fanout]uint32)}
	isA, isB := true, true
	for i := range n.time {
		n.time[i] = max(a.time[i], b.time[i])
		isA, isB = isA && n.time[i] == a.time[i], isB && n.time[i] == b.time[i]
	}
	return pick(n, a, b, isA, isB)
}

func pick(n, a, b *clock, isA, isB bool) *clock {
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	return n
}
