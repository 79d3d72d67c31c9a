package emu

import "slices"

// bulkWork is the copies of one thread from shared to global memory that are under way.
type bulkWork struct {
	open   []*outgoing
	groups [][]*outgoing
}

// outgoing is a copy to global memory. It first reads, and writes what it has read as late as it may.
type outgoing struct {
	read, write func()
	isRead      bool
}

// landing notes that n bytes of shared memory will be written; what it gives is to be called when they are: it counts them
// at the barrier.
func (w *warp) landing(b *block, off uint32, n, lane int, bar *mbarrier, how access) func() {
	w.free(b, off, n, lane)
	if r := b.cluster.races; r != nil {
		r.begun(w, lane, b, off, n, how)
	}
	b.flying += int64(n)
	return func() {
		b.flying -= int64(n)
		b.written(off, n)
		if r := b.cluster.races; r != nil {
			r.landedAsync(w, lane, b, off, n, bar)
		}
		bar.bytes -= n
		bar.check()
	}
}

// bulkLanding is landing for a copy of the async proxy.
func (w *warp) bulkLanding(t *target, n, lane int) func() {
	r := t.b.cluster.races
	if r == nil {
		return w.landing(t.b, t.off, n, lane, t.bar, writes)
	}
	r.toAsync(w, lane, t, n)
	landed, begun := w.landing(t.b, t.off, n, lane, t.bar, writes), r.leave(w)
	return func() {
		r.known(t.bar, w, lane, begun)
		landed()
	}
}

// bulk decodes cp.async.bulk, which copies whole pieces of memory, and cp.reduce.async.bulk.
func bulk(d *decoder, reduce bool) exec {
	switch {
	case d.has("commit_group"):
		return func(w *warp, m uint32) {
			w.each(m, func(l int) {
				g := w.bulkOf(l)
				g.groups = append(g.groups, g.open)
				g.open = nil
			})
		}
	case d.has("wait_group"):
		wait := (*bulkWork).wait
		if d.has("read") {
			wait = (*bulkWork).waitRead
		}
		n := int(d.op(0).Bits)
		return func(w *warp, m uint32) { w.each(m, func(l int) { wait(w.bulkOf(l), n) }) }
	}
	prefetch := d.has("prefetch")
	d.ignore("L2", "mbarrier::complete_tx::bytes", "bulk_group", "L2::cache_hint", "tile")
	multicast := d.has("multicast::cluster")
	if d.has("tensor") {
		return bulkTensor(d, prefetch, reduce, multicast)
	}
	if reduce {
		return nil
	}
	to := global
	if !prefetch {
		to = d.spaceInOrder()
	}
	from := d.spaceInOrder()
	switch {
	case prefetch:
		return func(*warp, uint32) {}
	case to == global:
		return bulkOut(d)
	}
	return bulkIn(d, to, from, multicast)
}

// spaceInOrder takes the first modifier that is a state space.
func (d *decoder) spaceInOrder() space {
	for _, m := range d.mods {
		if s, ok := spaceNames[m]; ok {
			d.has(m)
			return s
		}
	}
	d.fail("a state space is missing")
	return global
}

func (w *warp) bulkOf(lane int) *bulkWork {
	if w.bulk == nil {
		w.bulk = make([]bulkWork, lanes)
	}
	return &w.bulk[lane]
}

// waitRead lets all groups but the last n read.
func (g *bulkWork) waitRead(n int) {
	for i := range len(g.groups) - n {
		for _, c := range g.groups[i] {
			if !c.isRead {
				c.read()
				c.isRead = true
			}
		}
	}
}

// wait finishes all groups but the last n.
func (g *bulkWork) wait(n int) {
	g.waitRead(n)
	for len(g.groups) > n {
		for _, c := range g.groups[0] {
			c.write()
		}
		g.groups = g.groups[1:]
	}
}

// reading reports whether copies still have to read.
func (g *bulkWork) reading() bool {
	return len(g.open) > 0 || slices.ContainsFunc(g.groups, func(group []*outgoing) bool {
		return slices.ContainsFunc(group, func(c *outgoing) bool { return !c.isRead })
	})
}

// sixteen reports a mistake if addresses or a size are not multiples of 16.
func (w *warp) sixteen(lane int, to, from uint64, n int) bool {
	if to%16 != 0 || from%16 != 0 || n%16 != 0 {
		w.fault(lane, "%s of %d bytes from 0x%x to 0x%x: not multiples of 16", w.op(), n, from, to)
		return false
	}
	return true
}

// target is a block that a copy goes to, and the barrier that counts its bytes.
type target struct {
	b   *block
	off uint32
	bar *mbarrier
}

// targets gives where a copy of n bytes goes: to one block, or to the same place in all blocks of a mask.
func (w *warp) targets(s space, addr, bar uint64, n, lane int, multicast bool, mask uint64) (all []target) {
	if !multicast {
		b, off := w.sharedBlock(s, addr, n, lane)
		m := w.mbarrierAt(s, bar, lane)
		if b == nil || m == nil {
			return nil
		}
		return []target{{b, off, m}}
	}
	const offset = 1<<rankShift - 1
	for rank := range uint64(16) {
		if mask>>rank&1 == 1 {
			all = append(all, w.targets(clusterSpace, addr&offset|rank<<rankShift, bar&offset|rank<<rankShift, n, lane, false, 0)...)
		}
	}
	return all
}

// bulkIn copies into shared memory and counts the bytes at a barrier.
func bulkIn(d *decoder, to, from space, multicast bool) exec {
	dst, src, size, bar, mask := d.addr(0), d.addr(1), d.src(2, 32), d.addr(3), d.sink
	if multicast {
		mask = d.src(4, 16)
	}
	return func(w *warp, m uint32) {
		w.each(m, func(l int) {
			n, at := int(w.v[size][l]), src.at(w, l)
			if !w.sixteen(l, dst.at(w, l), at, n) || n == 0 {
				return
			}
			var data []byte
			done := func() {}
			if from == global {
				data = w.global(at, n, l, reads|proxied)
			} else {
				data, done = w.asyncSource(from, at, n, l)
			}
			if data == nil {
				return
			}
			for _, t := range w.targets(to, dst.at(w, l), bar.at(w, l), n, l, multicast, w.v[mask][l]) {
				landed := w.bulkLanding(&t, n, l)
				w.block.cluster.later(func() {
					copy(t.b.shared[t.off:], data)
					done()
					landed()
				})
			}
		})
	}
}

// asyncSource gives shared memory that the async proxy reads, and what to call when it has.
func (w *warp) asyncSource(s space, addr uint64, n, lane int) ([]byte, func()) {
	b, off := w.sharedBlock(s, addr, n, lane)
	if b == nil || !w.free(b, off, n, lane) || !w.initialised(b, off, n, lane) {
		return nil, nil
	}
	r := b.cluster.races
	if r == nil {
		return b.shared[off : off+uint32(n)], func() {}
	}
	r.asyncRead(w, lane, b, off, n)
	return b.shared[off : off+uint32(n)], func() { r.readDone(w, lane, b, off, n) }
}

// bulkOut copies from shared to global memory.
func bulkOut(d *decoder) exec {
	dst, src, size := d.addr(0), d.addr(1), d.src(2, 32)
	return func(w *warp, m uint32) {
		w.each(m, func(l int) {
			n, at := int(w.v[size][l]), src.at(w, l)
			if !w.sixteen(l, dst.at(w, l), at, n) || n == 0 {
				return
			}
			to := w.global(dst.at(w, l), n, l, writes|proxied)
			data, done := w.asyncSource(sharedSpace, at, n, l)
			if to == nil || data == nil {
				return
			}
			read := []byte(nil)
			written := w.writingAsync(dst.at(w, l), n, l)
			w.send(l, func() {
				read = slices.Clone(data)
				done()
			}, func() {
				copy(to, read)
				written()
			})
		})
	}
}

// send adds a copy to those under way.
func (w *warp) send(lane int, read, write func()) {
	g := w.bulkOf(lane)
	g.open = append(g.open, &outgoing{read: read, write: write})
}

// writingAsync notes that a copy will write global memory, of which [warp.global] knows already, and gives what to call when it has.
func (w *warp) writingAsync(addr uint64, n, lane int) func() {
	r := w.block.cluster.races
	if r == nil {
		return func() {}
	}
	p := w.near
	off := addr - p.addr
	r.asyncWrite(w, lane, p, off, n)
	return func() { r.writeDone(w, lane, p, off, n) }
}

// unfinished reports a mistake if a thread ends while copies still read its block's shared memory. What they have read they write later.
func (w *warp) unfinished(m uint32) {
	if w.bulk == nil {
		return
	}
	w.each(m, func(l int) {
		if g := &w.bulk[l]; g.reading() {
			w.fault(l, "the thread ends while copies that it began still read shared memory: cp.async.bulk.wait_group must come first")
		} else {
			g.wait(0)
		}
	})
}
