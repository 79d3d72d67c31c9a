package emu

import (
	"math/bits"
	"slices"
)

// clock is what a thread knows of the others: by thread, the time up to which their accesses come before its own, and the
// time up to which their writes are also visible to the async proxy, in shared and in global memory. A clock never changes: threads
// share it.
type clock struct {
	t   []uint32
	p   []uint32
	g   []uint32 // p of global memory; nil where that proxy does not touch it
	q   []uint32 // the time up to which what they did in tensor memory comes before; nil where there is none
	low []uint32 // by warp: the least of t
}

func (r *races) newClock() *clock {
	c := &clock{t: make([]uint32, r.threads), p: make([]uint32, r.threads)}
	if r.c.run.fn.tensor {
		c.q = make([]uint32, r.threads)
	}
	if r.c.run.fn.proxies {
		c.g = make([]uint32, r.threads)
	}
	return c
}

// seal makes a clock ready for use.
func (c *clock) seal() *clock {
	c.low = make([]uint32, len(c.t)/lanes)
	for i := range c.low {
		c.low[i] = slices.Min(c.t[i*lanes : (i+1)*lanes])
	}
	return c
}

// knows reports whether accesses of some lanes of a warp at a time come before.
func (c *clock) knows(warp int32, m, time uint32) bool {
	switch {
	case c == nil || time == pending:
		return false
	case c.low[warp] >= time:
		return true
	}
	for base := int(warp) * lanes; m != 0; m &= m - 1 {
		if c.t[base+bits.TrailingZeros32(m)] < time {
			return false
		}
	}
	return true
}

// join makes a clock that knows what two know: either may be nil.
func join(a, b *clock) *clock {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	}
	c := &clock{t: slices.Clone(a.t), p: slices.Clone(a.p), g: slices.Clone(a.g), q: slices.Clone(a.q)}
	c.add(b)
	return c.seal()
}

// add is for a clock that nobody has seen yet.
func (c *clock) add(b *clock) {
	if b == nil {
		return
	}
	for i, t := range b.t {
		c.t[i] = max(c.t[i], t)
		c.p[i] = max(c.p[i], b.p[i])
	}
	for i, t := range b.g {
		c.g[i] = max(c.g[i], t)
	}
	for i, t := range b.q {
		c.q[i] = max(c.q[i], t)
	}
}

// release gives a clock with what lanes of a warp know and did: what they do from now on is later.
func (r *races) release(members ...member) *clock {
	c := r.newClock()
	var last *clock
	for _, m := range members {
		base := r.thread(m.w, 0)
		for k := m.lanes; k != 0; k &= k - 1 {
			if know := r.know[base+bits.TrailingZeros32(k)]; know != last {
				c.add(know)
				last = know
			}
		}
	}
	for _, m := range members {
		base, now := r.thread(m.w, 0), &r.time[r.warp(m.w)]
		for k := m.lanes; k != 0; k &= k - 1 {
			c.t[base+bits.TrailingZeros32(k)] = *now
		}
		*now++
	}
	return c.seal()
}

// acquire lets lanes know what a clock knows.
func (r *races) acquire(w *warp, m uint32, c *clock) {
	base := r.thread(w, 0)
	var before, after *clock
	for k := m; k != 0; k &= k - 1 {
		know := &r.know[base+bits.TrailingZeros32(k)]
		if after == nil || *know != before {
			before, after = *know, join(c, *know)
		}
		*know = after
	}
}

// barrier orders all that came before it and all that comes after it.
func (r *races) barrier(members []member) {
	c := r.release(members...)
	for _, m := range members {
		if m.waits {
			base := r.thread(m.w, 0)
			for k := m.lanes; k != 0; k &= k - 1 {
				r.know[base+bits.TrailingZeros32(k)] = c
			}
		}
	}
}

// proxyFence makes what lanes know visible to the async proxy, in shared or in global memory, or in both.
func (r *races) proxyFence(w *warp, m uint32, shared, global bool) {
	global = global && r.c.run.fn.proxies
	if global {
		r.proxyFenceGrid()
	}
	r.renew(w, m, func(c *clock) (parts [][]uint32) {
		if shared {
			parts = append(parts, c.p)
		}
		if global {
			parts = append(parts, c.g)
		}
		for _, p := range parts {
			for i, t := range c.t {
				p[i] = max(p[i], t)
			}
		}
		return parts
	})
}

// renew changes the clocks of lanes by do, which gives the parts that all that the lanes have done so far is noted in.
func (r *races) renew(w *warp, m uint32, do func(c *clock) [][]uint32) {
	base, now := r.thread(w, 0), &r.time[r.warp(w)]
	var before, after *clock
	for k := m; k != 0; k &= k - 1 {
		know := &r.know[base+bits.TrailingZeros32(k)]
		if after == nil || *know != before {
			before = *know
			after = r.newClock()
			after.add(before)
			for _, part := range do(after) {
				for j := m; j != 0; j &= j - 1 {
					part[base+bits.TrailingZeros32(j)] = *now
				}
			}
			after.seal()
		}
		*know = after
	}
	*now++
}
