package emu

// begun notes that a lane has begun an asynchronous write: nothing is ordered with it until it has landed.
func (r *races) begun(w *warp, lane int, b *block, off uint32, n int, how access) {
	r.touch(w, lane, b, off, n, how)
	r.change(b, off, n, func(e *entry) {
		if e.warp == int32(r.warp(w)) && e.lanes == 1<<lane && e.pc == int32(w.pc) {
			e.time = pending
		}
	})
}

// landed makes an asynchronous write one of the lane that waited for it.
func (r *races) landed(w *warp, lane int, b *block, off uint32, n int) {
	r.change(b, off, n, func(e *entry) {
		if e.warp == int32(r.warp(w)) && e.lanes == 1<<lane && e.time == pending {
			e.time = r.time[r.warp(w)]
		}
	})
}

// landedAsync makes an asynchronous write known to those who wait for a barrier.
func (r *races) landedAsync(w *warp, lane int, b *block, off uint32, n int, bar *mbarrier) {
	engine := len(r.time) - 1
	now := r.time[engine]
	r.time[engine]++
	r.change(b, off, n, func(e *entry) {
		if e.warp == int32(r.warp(w)) && e.lanes == 1<<lane && e.time == pending {
			e.warp, e.lanes, e.time, e.async = int32(engine), 1<<bar.engine, now, true
		}
	})
	c := r.newClock()
	c.t[engine*lanes+bar.engine] = now
	bar.clock = join(c.seal(), bar.clock)
}

// leave gives the time of a warp, and goes on to the next: what its lanes do from now on is not what they have done.
func (r *races) leave(w *warp) (now uint32) {
	i := r.warp(w)
	now = r.time[i]
	r.time[i]++
	return now
}

// known makes what a lane had done at a time, the reading of a copy too, known to those who wait for the barrier that tells its end.
func (r *races) known(bar *mbarrier, w *warp, lane int, time uint32) {
	c := r.newClock()
	c.t[r.thread(w, lane)] = time
	bar.clock = join(c.seal(), bar.clock)
}

// change applies do to the writes of a range of memory.
func (r *races) change(b *block, off uint32, n int, do func(e *entry)) {
	for at := off &^ 3; at < off+uint32(n); at += 4 {
		list := r.words[b.rank][at>>2].writes
		for i := range list {
			do(&list[i])
		}
	}
}

// asyncRead looks at what the async proxy reads on behalf of a lane: the writes must come before, and be visible to it.
func (r *races) asyncRead(w *warp, lane int, b *block, off uint32, n int) {
	thread := r.thread(w, lane)
	mine := entry{warp: int32(r.warp(w)), lanes: 1 << lane, time: r.time[r.warp(w)], pc: int32(w.pc), flags: reads, async: true}
	for at, end := off, off+uint32(n); at < end && w.event != failed; at = at&^3 + 4 {
		c := &r.words[b.rank][at>>2]
		mine.bytes = bytesOf(at, end)
		r.against(w, thread, c.writes, &mine, at)
		for i := range c.writes {
			if e := &c.writes[i]; !e.async && e.bytes&mine.bytes != 0 && !r.fenced(e, thread, sharedSpace) {
				r.report(w, lane, reads, e, at, "the async proxy reads it, and there is no fence.proxy.async between them")
				return
			}
		}
		mine.time = pending
		c.reads = append(c.reads, mine)
		mine.time = r.time[mine.warp]
	}
}

// readDone ends an asynchronous read for the lane that waited for it.
func (r *races) readDone(w *warp, lane int, b *block, off uint32, n int) {
	for at := off &^ 3; at < off+uint32(n); at += 4 {
		for i := range r.words[b.rank][at>>2].reads {
			if e := &r.words[b.rank][at>>2].reads[i]; e.warp == int32(r.warp(w)) && e.lanes == 1<<lane && e.time == pending {
				e.time = r.time[e.warp]
			}
		}
	}
}

// engineRead ends the asynchronous reads of a multiplication. They are known to those who know the clock.
func (r *races) engineRead(parts []*part, b *block) *clock {
	engine := len(r.time) - 1
	now, slot := r.time[engine], parts[0].w.index/4%engines
	r.time[engine]++
	for _, p := range parts {
		warp := int32(r.warp(p.w))
		for _, off := range p.reads {
			for word := off / 4; word < off/4+4; word++ {
				list := r.words[b.rank][word].reads
				for i := range list {
					if e := &list[i]; e.warp == warp && e.lanes == 1 && e.time == pending {
						e.warp, e.lanes, e.time = int32(engine), 1<<slot, now
						break // a later multiplication may read it, too
					}
				}
			}
		}
	}
	c := r.newClock()
	c.t[engine*lanes+slot] = now
	return c.seal()
}

// asyncWrite notes that what a lane has just been seen to write to global memory is written later: nothing is ordered with it until then.
func (r *races) asyncWrite(w *warp, lane int, p *mapping, off uint64, n int) {
	r.changeGlobal(p, off, n, func(e *entry) {
		if e.warp == int32(r.warp(w)) && e.lanes == 1<<lane && e.pc == int32(w.pc) && e.time == r.time[e.warp] {
			e.time, e.async = pending, true
		}
	})
}

// writeDone makes such a write one of the lane that waited for it.
func (r *races) writeDone(w *warp, lane int, p *mapping, off uint64, n int) {
	r.changeGlobal(p, off, n, func(e *entry) {
		if e.warp == int32(r.warp(w)) && e.lanes == 1<<lane && e.time == pending {
			e.time = r.time[e.warp]
		}
	})
}

// changeGlobal applies do to the writes of a range of global memory.
func (r *races) changeGlobal(p *mapping, off uint64, n int, do func(e *entry)) {
	for at := off >> 2; at <= (off+uint64(n)-1)>>2; at++ {
		if c := r.globals[word{p, at}]; c != nil {
			for i := range c.writes {
				do(&c.writes[i])
			}
		}
	}
}
