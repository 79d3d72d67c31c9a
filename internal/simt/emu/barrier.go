package emu

import (
	"fmt"
	"math/bits"
	"strings"
)

// barrier is one of the sixteen of a block.
type barrier struct {
	phase    int // how often it was passed
	arrived  int // threads
	want     int // threads that must arrive: 0 for all of the block
	members  []member
	votes    int // of bar.red: threads that gave a predicate, which those of bar.arrive and lanes that fill a warp do not
	true1s   int // of these: threads with a true predicate
	result   int // of the last phase: true1s and votes
	ofResult int
}

// member is lanes that have arrived at a barrier.
type member struct {
	w     *warp
	lanes uint32
	waits bool
}

// check passes the barrier if all have arrived.
func (b *barrier) check(blk *block) {
	want := b.want
	if want == 0 {
		want = blk.live
	}
	if b.arrived == 0 || b.arrived < want {
		return
	}
	if r := blk.cluster.races; r != nil {
		r.barrier(b.members)
	}
	b.phase++
	b.result, b.ofResult = b.true1s, b.votes
	b.arrived, b.want, b.votes, b.true1s, b.members = 0, 0, 0, 0, b.members[:0]
}

// bar decodes bar and barrier: sync, arrive and red.
func bar(d *decoder) exec {
	barrierOp := strings.HasPrefix(d.in.Op, "barrier") // lanes may come apart unless it is aligned
	if d.has("cluster") {
		return clusterBar(d)
	}
	d.has("cta")
	if d.has("warp") {
		return barWarp(d)
	}
	aligned := d.has("aligned") || !barrierOp
	switch d.oneOf("sync", "arrive", "red") {
	case "sync":
		return d.barSync(aligned, 0)
	case "arrive":
		return d.barArrive(aligned)
	case "red":
		return d.barRed(aligned)
	}
	return nil
}

// barArgs are the number of a barrier and of threads that pass it.
type barArgs struct{ id, count int }

func (d *decoder) barArgs(i int, counted bool) barArgs {
	a := barArgs{d.src(i, 32), d.constant(0)}
	if counted {
		a.count = d.src(i+1, 32)
	}
	return a
}

// arrive counts lanes of a warp in; it gives the barrier, or nil after a mistake.
func (w *warp) arrive(a barArgs, m uint32, aligned, waits bool) *barrier {
	id, count, lane := w.v[a.id][first(m)], int(w.v[a.count][first(m)]), first(m)
	w.each(m, func(l int) {
		if w.v[a.id][l] != id || int(w.v[a.count][l]) != count {
			w.fault(l, "%s: lanes of one warp name different barriers or numbers of threads", w.op())
		}
	})
	if id >= uint64(len(w.block.bars)) {
		w.fault(lane, "%s: there is no barrier %d: only 0 to %d", w.op(), id, len(w.block.bars)-1)
	}
	if count%lanes != 0 {
		w.fault(lane, "%s: %d threads are not a multiple of %d", w.op(), count, lanes)
	}
	if w.event == failed {
		return nil
	}
	b := &w.block.bars[id]
	if b.arrived > 0 && b.want != count {
		w.fault(lane, "%s: barrier %d waits for %d threads, not %d", w.op(), id, b.want, count)
		return nil
	}
	b.want = count
	b.members = append(b.members, member{w, m, waits})
	n := bits.OnesCount32(m)
	if aligned && count != 0 {
		n = lanes // a warp counts in full
	}
	if b.arrived += n; count != 0 && b.arrived > count {
		w.fault(lane, "%s: %d threads arrived at barrier %d, which expects %d", w.op(), b.arrived, id, count)
		return nil
	}
	return b
}

// together waits for the other lanes of the warp, where an instruction is aligned.
func (w *warp) together(m uint32, aligned bool) (uint32, bool) {
	if !aligned {
		return m, true
	}
	return w.gather(m, w.all&^w.gone)
}

// pass waits until a barrier that this warp has arrived at lets it through.
func (w *warp) pass(b *barrier, m uint32, then func()) {
	phase, id := b.phase, 0
	for i := range w.block.bars {
		if b == &w.block.bars[i] {
			id = i
		}
	}
	b.check(w.block)
	q := &wait{then: then, ready: func() bool { return b.phase != phase }}
	q.reason = func() string {
		want := b.want
		if want == 0 {
			want = w.block.live
		}
		return fmt.Sprintf("barrier %d, at which %d of %d threads have arrived", id, b.arrived, want)
	}
	if w.event == gathered { // the lanes that joined wait, too
		m = w.groups[w.g].mask
	}
	w.stop(m, q)
}

func (d *decoder) barSync(aligned bool, at int) exec {
	a := d.barArgs(at, len(d.ops) > at+1)
	return func(w *warp, m uint32) {
		m, ok := w.together(m, aligned)
		if !ok {
			return
		}
		if b := w.arrive(a, m, aligned, true); b != nil {
			w.pass(b, m, nil)
		}
	}
}

func (d *decoder) barArrive(aligned bool) exec {
	a := d.barArgs(0, true)
	return func(w *warp, m uint32) {
		m, ok := w.together(m, aligned)
		if !ok {
			return
		}
		if b := w.arrive(a, m, aligned, false); b != nil {
			b.check(w.block)
		}
	}
}

// barRed is a barrier that reduces a predicate over its threads.
func (d *decoder) barRed(aligned bool) exec {
	kind := d.oneOf("popc", "and", "or")
	t := d.typ()
	last := len(d.ops) - 1
	a, p := d.barArgs(1, last > 2), d.psrc(last)
	dst := 0
	if t.kind == 'p' {
		dst = d.pdst(0)
	} else {
		dst = d.dst(0)
	}
	return func(w *warp, m uint32) {
		m, ok := w.together(m, aligned)
		if !ok {
			return
		}
		b := w.arrive(a, m, aligned, true)
		if b == nil {
			return
		}
		b.votes += bits.OnesCount32(m)
		b.true1s += bits.OnesCount32(p.get(w) & m)
		w.pass(b, m, func() {
			r := uint32(0)
			switch {
			case kind == "popc":
				w.each(m, func(l int) { w.v[dst][l] = uint64(b.result) })
				return
			case kind == "and" && b.result == b.ofResult, kind == "or" && b.result > 0:
				r = m
			}
			w.p[dst] = w.p[dst]&^m | r
		})
	}
}

// barWarp decodes bar.warp.sync. The lanes may be at different ones.
func barWarp(d *decoder) exec {
	d.has("sync")
	mask := d.src(0, 32)
	return func(w *warp, m uint32) {
		want := uint32(0)
		w.each(m, func(l int) { want |= uint32(w.v[mask][l]) })
		w.inMask(m, mask)
		want &= w.all &^ w.gone
		here := m
		for _, g := range w.groups {
			if g.wait != nil && g.wait.ready == nil && isBarWarp(w.fn.code[g.pc].src.Op) {
				here |= g.mask
			}
		}
		if want&^here != 0 {
			w.stop(m, &wait{reason: func() string { return lanesText(want&^here) + " of the same warp" }})
			return
		}
		if r := w.block.cluster.races; r != nil {
			r.barrier([]member{{w, here, true}})
		}
		for i := range w.groups {
			if g := &w.groups[i]; g.wait != nil && g.wait.ready == nil && isBarWarp(w.fn.code[g.pc].src.Op) {
				g.wait = nil
				g.pc++
				w.event = gathered
			}
		}
	}
}

func isBarWarp(op string) bool { return op == "bar.warp.sync" }

// inMask reports a mistake if a lane is not in the mask that it names.
func (w *warp) inMask(m uint32, mask int) (want uint32) {
	for k := m; k != 0; k &= k - 1 {
		l := first(k)
		lanes := uint32(w.v[mask][l])
		if lanes>>l&1 == 0 {
			w.fault(l, "%s: lane %d is not in the mask 0x%08x that it names", w.op(), l, lanes)
			return 0
		}
		want |= lanes
	}
	return want
}

// fence decodes membar and fence: memory is in order here, and they matter for the search for races alone.
func fence(d *decoder) exec {
	memory, made := isFence(d.in.Op), d.peek("mbarrier_init")
	proxy := d.peek("proxy") && d.peek("async")
	shared, global := proxy && !d.peek("global"), proxy && !d.peek("shared::cta") && !d.peek("shared::cluster")
	scope := d.scope()
	d.mods = nil
	return func(w *warp, m uint32) {
		switch r := w.block.cluster.races; {
		case r == nil:
		case memory:
			r.fence(w, m, scope)
		case proxy:
			r.proxyFence(w, m, shared, global)
		case made:
			r.announce(w, m)
		}
	}
}
