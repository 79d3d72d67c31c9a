package emu

import (
	"math/bits"
	"slices"
)

// tensorAccess is an access to tensor memory that has ended: when, in clocks, and when it had begun.
type tensorAccess struct {
	tensorRegion
	op  *tensorOp
	end entry
}

// In clocks, q is the time up to which what a thread did in tensor memory is ordered before what others do there who know of
// it: fence::before_thread_sync moves it on. A thread's own operations there come after what it knew at its last
// fence::after_thread_sync, which ordered has.

// tensorBefore lets those who will learn from lanes know of what these did in tensor memory.
func (r *races) tensorBefore(w *warp, m uint32) {
	r.renew(w, m, func(c *clock) [][]uint32 { return [][]uint32{c.q} })
}

// tensorAfter orders what lanes will do in tensor memory after what they know.
func (r *races) tensorAfter(w *warp, m uint32) {
	base := r.thread(w, 0)
	for k := m; k != 0; k &= k - 1 {
		at := base + bits.TrailingZeros32(k)
		r.ordered[at] = r.know[at]
	}
}

// tensorIssue notes when an operation begins.
func (r *races) tensorIssue(op *tensorOp) {
	op.begun = entry{warp: int32(r.warp(op.w)), lanes: 1 << op.lane, time: r.time[r.warp(op.w)], pc: int32(op.pc)}
	if op.kind == "ld" || op.kind == "st" {
		op.begun.lanes = full
	}
}

// tensorKnown reports whether what lanes of a warp do in tensor memory now comes after an entry.
func (r *races) tensorKnown(w *warp, m uint32, e *entry) bool {
	base := r.thread(w, 0)
	for k := m; k != 0; k &= k - 1 {
		c := r.ordered[base+bits.TrailingZeros32(k)]
		if c == nil || e.time == pending {
			return false
		}
		for j := e.lanes; j != 0; j &= j - 1 {
			if c.q[int(e.warp)*lanes+bits.TrailingZeros32(j)] < e.time {
				return false
			}
		}
	}
	return true
}

// actors are the lanes that an operation is one of.
func (op *tensorOp) actors() uint32 {
	if op.kind == "ld" || op.kind == "st" {
		return full
	}
	return 1 << op.lane
}

// tensorFollows makes sure that an operation that need not wait for an earlier one is begun after it.
func (r *races) tensorFollows(op *tensorOp, region tensorRegion, old *tensorOp) bool {
	if old.w == op.w && old.lane == op.lane || r.tensorKnown(op.w, op.actors(), &old.begun) {
		return true
	}
	r.tensorReport(op, region, old, &old.begun)
	return false
}

// tensorTouch makes sure that an operation comes after those that have ended.
func (r *races) tensorTouch(op *tensorOp, region tensorRegion) bool {
	t := region.b.tensor
	for i := range t.history {
		a := &t.history[i]
		if !a.conflicts(region) || a.end.warp == int32(r.warp(op.w)) || r.tensorKnown(op.w, op.actors(), &a.end) {
			continue
		}
		same := a.op.w == op.w && a.op.lane == op.lane
		if a.op.before(op) && (same || r.tensorKnown(op.w, op.actors(), &a.op.begun)) {
			continue
		}
		r.tensorReport(op, region, a.op, &a.end)
		return false
	}
	return true
}

// tensorReport makes a race in tensor memory a mistake of the present instruction.
func (r *races) tensorReport(op *tensorOp, region tensorRegion, old *tensorOp, e *entry) {
	why := "nothing orders them"
	if know := r.know[r.thread(op.w, op.lane)]; know.knows(e.warp, e.lanes, e.time) {
		why = "they are ordered, but there is no tcgen05.fence::before_thread_sync before that and tcgen05.fence::after_thread_sync after it"
	}
	how := reads
	if region.write {
		how = writes
	}
	op.w.fault(op.lane, "data race in tensor memory at %v: this %s, and the %s at %v: %s", region, verb(how, false), old.name(), old.pos(), why)
}

// tensorWaited notes that a warp has waited for loads or stores.
func (r *races) tensorWaited(w *warp, ops []*tensorOp) {
	for _, op := range ops {
		end := op.begun
		end.time = r.time[r.warp(w)]
		r.tensorPast(op, end)
	}
}

// tensorDone notes that the operations of a commit are done, and gives a clock for those who wait for its mbarriers: they know
// of these, and of what the thread knew that began them.
func (r *races) tensorDone(ops []*tensorOp, bars []*mbarrier, seen *clock) *clock {
	engine, slot := len(r.time)-1, 0
	if len(bars) > 0 {
		slot = bars[0].engine
	}
	end := entry{warp: int32(engine), lanes: 1 << slot, time: r.time[engine], async: true}
	r.time[engine]++
	for _, op := range ops {
		end.pc = int32(op.pc)
		r.tensorPast(op, end)
		r.sharedDone(op, end)
	}
	c := r.newClock()
	c.add(seen)
	c.t[engine*lanes+slot], c.q[engine*lanes+slot] = end.time, end.time
	return c.seal()
}

// tensorPast adds an operation that has ended to the history. What it overwrote is no longer needed.
func (r *races) tensorPast(op *tensorOp, end entry) {
	for _, region := range op.regions {
		t := region.b.tensor
		t.history = slices.DeleteFunc(t.history, func(a tensorAccess) bool {
			again := a.end.warp == end.warp && a.end.lanes == end.lanes && a.op.kind == op.kind && a.tensorRegion == region
			return again || region.covers(a.tensorRegion)
		})
		t.history = append(t.history, tensorAccess{region, op, end})
	}
}

// sharedDone ends an operation's reads of shared memory.
func (r *races) sharedDone(op *tensorOp, end entry) {
	warp := int32(r.warp(op.w))
	for _, p := range op.shared {
		for word := p.off / 4; word < p.off/4+4; word++ {
			list := r.words[p.b.rank][word].reads
			for i := range list {
				if e := &list[i]; e.warp == warp && e.lanes == 1<<op.lane && e.pc == int32(op.pc) && e.time == pending {
					e.warp, e.lanes, e.time = end.warp, end.lanes, end.time
					break // a later operation may read it, too
				}
			}
		}
	}
}

// tensorFreed makes sure that a warp knows of all that was done in a region.
func (r *races) tensorFreed(w *warp, region tensorRegion) {
	for i := range w.block.tensor.history {
		a := &w.block.tensor.history[i]
		if a.conflicts(region) && a.end.warp != int32(r.warp(w)) && !r.know[r.thread(w, 0)].knows(a.end.warp, a.end.lanes, a.end.time) {
			w.fault(0, "data race in tensor memory at %v: this deallocation, and the %s at %v: nothing orders them",
				a.tensorRegion, a.op.name(), a.op.pos())
			return
		}
	}
}
