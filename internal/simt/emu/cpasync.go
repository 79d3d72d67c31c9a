package emu

// copyJob is a copy to shared memory that is under way: n bytes, of which those that from has are copied and the rest
// becomes 0.
type copyJob struct {
	to   *block
	off  uint32
	n    int
	from []byte
	w    *warp
	lane int
	done bool
}

// copies are the copies of one thread.
type copies struct {
	open   []*copyJob   // of no group yet
	groups [][]*copyJob // that nobody has waited for
}

// finish lets a copy take effect.
func (j *copyJob) finish() {
	if j.done {
		return
	}
	j.done = true
	j.w.flying -= int64(j.n)
	at := j.to.shared[j.off : j.off+uint32(j.n)]
	clear(at[copy(at, j.from):])
	j.to.written(j.off, j.n)
	if r := j.to.cluster.races; r != nil {
		r.landed(j.w, j.lane, j.to, j.off, j.n)
	}
}

// cpAsync decodes cp.async and what begins so.
func cpAsync(d *decoder) exec {
	reduce := d.has("reduce")
	if !d.has("async") {
		return nil
	}
	switch {
	case d.has("bulk"):
		return bulk(d, reduce)
	case d.has("commit_group"):
		return commitGroup
	case d.has("wait_all"):
		return func(w *warp, m uint32) { w.waitGroups(m, 0, true) }
	case d.has("wait_group"):
		n := int(d.op(0).Bits)
		return func(w *warp, m uint32) { w.waitGroups(m, n, false) }
	case d.has("mbarrier"):
		return copiesArrive(d)
	}
	d.ignore("ca", "cg", "shared", "shared::cta", "global", "L2::64B", "L2::128B", "L2::256B")
	to, from, n := d.addr(0), d.addr(1), int(d.op(2).Bits)
	if n != 4 && n != 8 && n != 16 {
		d.fail("4, 8 or 16 bytes are copied, not %d", n)
	}
	have := d.constant(uint64(n))
	if len(d.ops) > 3 {
		have = d.src(3, 32)
	}
	return func(w *warp, m uint32) {
		if w.copies == nil {
			w.copies = make([]copies, lanes)
		}
		w.each(m, func(l int) { w.copyBegin(to.at(w, l), from.at(w, l), n, int(w.v[have][l]), l) })
	}
}

// copyBegin begins a copy of n bytes, of which have are read.
func (w *warp) copyBegin(to, from uint64, n, have, l int) {
	if to%uint64(n) != 0 || from%uint64(n) != 0 {
		w.fault(l, "%s of %d bytes from 0x%x to 0x%x: not multiples of %d", w.op(), n, from, to, n)
		return
	}
	if have > n {
		w.fault(l, "%s: %d bytes are to be read for a copy of %d bytes", w.op(), have, n)
		return
	}
	b, off := w.sharedBlock(sharedSpace, to, n, l)
	if b == nil || !w.free(b, off, n, l) {
		return
	}
	job := &copyJob{to: b, off: off, n: n, w: w, lane: l}
	if have > 0 {
		if job.from = w.global(from, have, l, reads); job.from == nil {
			return
		}
	}
	if r := b.cluster.races; r != nil {
		r.begun(w, l, b, off, n, writes)
	}
	w.copies[l].open = append(w.copies[l].open, job)
	w.flying += int64(n)
}

// commitGroup makes a group of the copies that were begun.
func commitGroup(w *warp, m uint32) {
	if w.copies == nil {
		w.copies = make([]copies, lanes)
	}
	w.each(m, func(l int) {
		c := &w.copies[l]
		c.groups = append(c.groups, c.open)
		c.open = nil
	})
}

// waitGroups waits for all groups but the last n, or for everything.
func (w *warp) waitGroups(m uint32, n int, everything bool) {
	if w.copies == nil {
		return
	}
	w.each(m, func(l int) {
		c := &w.copies[l]
		for len(c.groups) > n {
			for _, job := range c.groups[0] {
				job.finish()
			}
			c.groups = c.groups[1:]
		}
		if everything {
			for _, job := range c.open {
				job.finish()
			}
			c.open = nil
		}
	})
}
