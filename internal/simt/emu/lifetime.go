package emu

import "math/bits"

// held marks the words that an mbarrier lies in, among the bytes of [block.known].
const held = 1 << 4

// free reports a mistake if an mbarrier lies in bytes of shared memory: only the operations on mbarriers may touch it, until
// mbarrier.inval (PTX ISA, section "Lifecycle of the mbarrier object").
func (w *warp) free(b *block, off uint32, n, lane int) bool {
	if len(b.mbars) == 0 {
		return true
	}
	for at := off &^ 3; at < off+uint32(n); at += 4 {
		if b.known[at>>2]&held != 0 {
			w.fault(lane, "%s touches the mbarrier at 0x%x: mbarrier.inval must come first", w.op(), at&^7)
			return false
		}
	}
	return true
}

// hold makes 8 bytes those of an mbarrier: false if they are already.
func (w *warp) hold(b *block, off uint32, m *mbarrier, lane int) bool {
	if b.mbars[off] != nil {
		w.fault(lane, "%s: there is an mbarrier at 0x%x already: mbarrier.inval must come first", w.op(), off)
		return false
	}
	b.known[off>>2], b.known[off>>2+1], b.mbars[off] = held, held, m
	if r := b.cluster.races; r != nil {
		r.touch(w, lane, b, off, 8, writes)
		m.made = entry{warp: int32(r.warp(w)), lanes: 1 << lane, time: r.time[r.warp(w)], pc: int32(w.pc)}
	}
	return w.event != failed
}

// drop gives the memory of an mbarrier back: nothing is known of what it holds. Nobody may use the mbarrier at the same time.
func (w *warp) drop(b *block, off uint32, lane int) {
	delete(b.mbars, off)
	b.known[off>>2], b.known[off>>2+1] = 0, 0
	if r := b.cluster.races; r != nil {
		r.touch(w, lane, b, off, 8, writes)
	}
}

// announce is fence.mbarrier_init of lanes: who knows of it may let asynchronous copies count at the mbarriers that they made.
func (r *races) announce(w *warp, m uint32) {
	own, now := int32(r.warp(w)), &r.time[r.warp(w)]
	for _, bar := range w.block.mbars {
		if bar.made.warp == own && bar.made.lanes&m != 0 && bar.announced == 0 {
			bar.announced = *now
		}
	}
	*now++
}

// toAsync looks at what a copy of the async proxy writes on behalf of a lane, and at the mbarrier where it counts its bytes: what was
// written before must be visible to the proxy. Reads need not be: they have their values.
func (r *races) toAsync(w *warp, lane int, t *target, n int) {
	thread := r.thread(w, lane)
	made := t.bar.made
	told := made
	told.time = t.bar.announced
	if !r.fenced(&made, thread, sharedSpace) && (t.bar.announced == 0 || !r.before(&told, thread)) {
		who, where := r.who(&made, thread)
		w.fault(lane, "%s counts at an mbarrier that was made%s at %v: there is no fence.mbarrier_init or fence.proxy.async between them", w.op(), who, where)
		return
	}
	for at, end := t.off, t.off+uint32(n); at < end; at = at&^3 + 4 {
		list := r.words[t.b.rank][at>>2].writes
		for i := range list {
			if e := &list[i]; !e.async && e.bytes&bytesOf(at, end) != 0 && r.before(e, thread) && !r.fenced(e, thread, sharedSpace) {
				r.report(w, lane, writes, e, at, "the async proxy writes it, and there is no fence.proxy.async between them")
				return
			}
		}
	}
}

// fenced reports whether the writes of an entry in a space are visible to the async proxy, as far as a thread knows.
func (r *races) fenced(e *entry, thread int, s space) bool {
	know := r.know[thread]
	if know == nil {
		return false
	}
	shown := know.p
	if s == global {
		shown = know.g
	}
	for k := e.lanes; k != 0; k &= k - 1 {
		if shown[int(e.warp)*lanes+bits.TrailingZeros32(k)] < e.time {
			return false
		}
	}
	return true
}
