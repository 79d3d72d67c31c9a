package emu

import "fmt"

// mbarrier is a barrier in shared memory. A phase ends when nobody's arrival is missing and no bytes are.
type mbarrier struct {
	want    int // arrivals of a phase
	missing int
	bytes   int // that asynchronous copies have yet to bring
	phase   int
	engine  int    // of those that stand for asynchronous copies in clocks
	clock   *clock // what those knew that arrived
	done    *clock // at the end of the last phase

	made      entry  // by whom and when, if races are searched for
	announced uint32 // when its maker had a fence.mbarrier_init; 0 for never
}

// mbarrierAt finds the barrier that a lane means.
func (w *warp) mbarrierAt(s space, addr uint64, lane int) *mbarrier {
	b, off := w.mbarrierPlace(s, addr, lane)
	if b == nil {
		return nil
	}
	m := b.mbars[off]
	if m == nil {
		w.fault(lane, "%s: there is no mbarrier at 0x%x: mbarrier.init makes one", w.op(), addr)
		return nil
	}
	if r := b.cluster.races; r != nil {
		r.touch(w, lane, b, off, 8, reads)
	}
	return m
}

func (w *warp) mbarrierPlace(s space, addr uint64, lane int) (*block, uint32) {
	if s == generic {
		s, addr = spaceOf(addr)
		if s != sharedSpace {
			w.fault(lane, "%s: an mbarrier lies in shared memory, not at 0x%x", w.op(), addr)
			return nil, 0
		}
		s = clusterSpace
	}
	if addr%8 != 0 {
		w.fault(lane, "%s: the address 0x%x of an mbarrier is not a multiple of 8", w.op(), addr)
		return nil, 0
	}
	return w.sharedBlock(s, addr, 8, lane)
}

// check ends the phase if nothing is missing.
func (m *mbarrier) check() {
	if m.missing == 0 && m.bytes == 0 {
		m.phase++
		m.missing = m.want
		m.done, m.clock = join(m.done, m.clock), nil
	}
}

// mbarrierArrive counts arrivals of a lane.
func (w *warp) mbarrierArrive(m *mbarrier, lane, n int) {
	if n > m.missing {
		w.fault(lane, "%s: %d arrivals at an mbarrier whose phase expects only %d more", w.op(), n, m.missing)
		return
	}
	if r := w.block.cluster.races; r != nil {
		m.clock = join(r.release(member{w: w, lanes: 1 << lane}), m.clock)
	}
	m.missing -= n
	m.check()
}

// token is what arrive gives: the phase, and how many arrivals it missed.
func (m *mbarrier) token() uint64 { return uint64(m.phase)<<32 | uint64(m.missing) }

// mbarrierOp decodes mbarrier.*.
func mbarrierOp(d *decoder) exec {
	what := d.oneOf("init", "inval", "arrive", "arrive_drop", "expect_tx", "complete_tx", "test_wait", "try_wait", "pending_count")
	if what == "pending_count" {
		d.has("b64")
		return alu1(d.dst(0), d.src(1, 64), func(x uint64) uint64 { return cut(x, 32) }, nil)
	}
	d.has("b64")
	expect := (what == "arrive" || what == "arrive_drop") && d.has("expect_tx")
	parity := d.has("parity")
	d.ignore("noComplete", "release", "acquire", "relaxed", "cta", "cluster")
	s := d.space()
	switch what {
	case "init", "inval":
		return d.mbarrierInit(s, what == "inval")
	case "arrive", "arrive_drop":
		return d.mbarrierArrive(s, expect, what == "arrive_drop")
	case "expect_tx", "complete_tx":
		return d.mbarrierBytes(s, what == "complete_tx")
	}
	return d.mbarrierWait(s, parity, what == "try_wait")
}

func (d *decoder) mbarrierInit(s space, inval bool) exec {
	a, n := d.addr(0), 0
	if !inval {
		n = d.src(1, 32)
	}
	return func(w *warp, m uint32) {
		w.each(m, func(l int) {
			if inval {
				if w.mbarrierAt(s, a.at(w, l), l) != nil {
					b, off := w.mbarrierPlace(s, a.at(w, l), l)
					w.drop(b, off, l)
				}
				return
			}
			b, off := w.mbarrierPlace(s, a.at(w, l), l)
			if b == nil {
				return
			}
			count := int(w.v[n][l])
			if count < 1 || count >= 1<<20 {
				w.fault(l, "%s: an mbarrier waits for 1 to %d arrivals, not %d", w.op(), 1<<20-1, count)
				return
			}
			w.hold(b, off, &mbarrier{want: count, missing: count, engine: int(off/8) % engines}, l)
		})
	}
}

func (d *decoder) mbarrierArrive(s space, expect, drop bool) exec {
	dst, a, count := d.dst(0), d.addr(1), d.constant(1)
	if len(d.ops) > 2 {
		count = d.src(2, 32)
	}
	return func(w *warp, m uint32) {
		w.each(m, func(l int) {
			b := w.mbarrierAt(s, a.at(w, l), l)
			if b == nil {
				return
			}
			token, n := b.token(), int(w.v[count][l])
			if expect {
				b.bytes, n = b.bytes+n, 1
			}
			if drop {
				b.want -= n
			}
			w.mbarrierArrive(b, l, n)
			w.v[dst][l] = token
		})
	}
}

func (d *decoder) mbarrierBytes(s space, complete bool) exec {
	a, n := d.addr(0), d.src(1, 32)
	return func(w *warp, m uint32) {
		w.each(m, func(l int) {
			b := w.mbarrierAt(s, a.at(w, l), l)
			switch {
			case b == nil:
			case complete:
				b.bytes -= int(w.v[n][l])
				b.check()
			default:
				b.bytes += int(w.v[n][l])
			}
		})
	}
}

// mbarrierWait is a test, or with suspend a wait, for the end of the phase that a token or a parity names.
func (d *decoder) mbarrierWait(s space, parity, suspend bool) exec {
	p, a, phase := d.pdst(0), d.addr(1), d.src(2, 64)
	over := func(w *warp, b *mbarrier, l int) bool {
		if parity {
			return b.phase&1 != int(w.v[phase][l]&1)
		}
		return b.phase != int(w.v[phase][l]>>32)
	}
	return func(w *warp, m uint32) {
		var yes, waits uint32
		var last *mbarrier
		w.each(m, func(l int) {
			b := w.mbarrierAt(s, a.at(w, l), l)
			switch {
			case b == nil:
			case over(w, b, l):
				yes |= 1 << l
				if r := w.block.cluster.races; r != nil {
					r.acquire(w, 1<<l, b.done)
				}
			default:
				waits |= 1 << l
				last = b
			}
		})
		switch {
		case w.event == failed:
		case waits != 0 && suspend:
			l := first(waits)
			w.stop(waits, &wait{retry: true, ready: func() bool { return over(w, last, l) }, reason: func() string {
				return fmt.Sprintf("the mbarrier at 0x%x, whose phase %d still lacks %d of %d arrivals and %d bytes",
					a.at(w, l), last.phase, last.missing, last.want, last.bytes)
			}})
			w.p[p] |= yes
		default:
			w.p[p] = w.p[p]&^m | yes
			if waits != 0 {
				w.event, w.idle = yielded, true
			}
		}
	}
}

// copiesArrive decodes cp.async.mbarrier.arrive: an arrival when the copies of the thread have landed.
func copiesArrive(d *decoder) exec {
	d.has("arrive")
	noinc := d.has("noinc")
	d.has("b64")
	s, a := d.space(), d.addr(0)
	return func(w *warp, m uint32) {
		if w.copies == nil {
			w.copies = make([]copies, lanes)
		}
		w.each(m, func(l int) {
			b := w.mbarrierAt(s, a.at(w, l), l)
			if b == nil {
				return
			}
			if !noinc {
				b.missing++
			}
			c, pc := &w.copies[l], w.pc
			jobs := append([]*copyJob{}, c.open...)
			for _, g := range c.groups {
				jobs = append(jobs, g...)
			}
			w.block.cluster.later(func() {
				for _, j := range jobs {
					j.finish()
				}
				w.pc = pc
				w.mbarrierArrive(b, l, 1)
			})
		})
	}
}
