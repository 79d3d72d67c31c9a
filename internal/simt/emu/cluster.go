package emu

import (
	"fmt"
	"math/bits"
)

// clusterBarrier is the barrier of all threads of a cluster, at which threads arrive and wait in two steps.
type clusterBarrier struct {
	phase   int
	arrived int
	clock   *clock // what those knew that arrived
	done    *clock // at the end of the last phase
}

// check ends the phase if all threads that are left have arrived.
func (b *clusterBarrier) check(c *cluster) {
	live := 0
	for _, blk := range c.blocks {
		live += blk.live
	}
	if b.arrived == 0 || b.arrived < live {
		return
	}
	b.phase++
	b.arrived = 0
	b.done, b.clock = join(b.done, b.clock), nil
}

// clusterBar decodes barrier.cluster.arrive and wait.
func clusterBar(d *decoder) exec {
	what, aligned := d.oneOf("arrive", "wait"), d.has("aligned")
	relaxed := d.has("relaxed")
	d.ignore("release", "acquire")
	if what == "arrive" {
		return clusterArrive(aligned, relaxed)
	}
	return clusterWait(aligned)
}

func clusterArrive(aligned, relaxed bool) exec {
	return func(w *warp, m uint32) {
		m, ok := w.together(m, aligned)
		if !ok {
			return
		}
		c := w.block.cluster
		w.each(m, func(l int) {
			if w.phase[l] != 0 {
				w.fault(l, "%s: the thread has already arrived, and must wait before it arrives again", w.op())
			}
			w.phase[l] = c.bar.phase + 1
		})
		if r := c.races; r != nil && !relaxed {
			c.bar.clock = join(r.release(member{w: w, lanes: m}), c.bar.clock)
		}
		c.bar.arrived += bits.OnesCount32(m)
		c.bar.check(c)
	}
}

func clusterWait(aligned bool) exec {
	return func(w *warp, m uint32) {
		m, ok := w.together(m, aligned)
		if !ok {
			return
		}
		c := w.block.cluster
		phase := w.phase[first(m)]
		w.each(m, func(l int) {
			if w.phase[l] == 0 {
				w.fault(l, "%s: the thread has not arrived", w.op())
			}
		})
		q := &wait{ready: func() bool { return c.bar.phase >= phase }}
		q.reason = func() string {
			return fmt.Sprintf("the cluster's barrier, at which %d threads have arrived", c.bar.arrived)
		}
		q.then = func() {
			w.each(m, func(l int) { w.phase[l] = 0 })
			if r := c.races; r != nil {
				r.acquire(w, m, c.bar.done)
			}
		}
		if w.event == gathered {
			m = w.groups[w.g].mask
		}
		w.stop(m, q)
	}
}

// mapa decodes mapa: the address of the same place in another block of the cluster.
func mapa(d *decoder) exec {
	d.has("shared::cluster")
	t := d.typ()
	dst, a, rank := d.dst(0), d.src(1, t.bits), d.src(2, 32)
	return func(w *warp, m uint32) {
		w.each(m, func(l int) {
			n := w.v[rank][l]
			if n >= uint64(len(w.block.cluster.blocks)) {
				w.fault(l, "%s: there is no block %d in a cluster of %d", w.op(), n, len(w.block.cluster.blocks))
			}
			w.v[dst][l] = w.v[a][l]&^(0xff<<rankShift) | n<<rankShift
		})
	}
}

// getctarank decodes getctarank: the block that a shared address belongs to.
func getctarank(d *decoder) exec {
	d.has("shared::cluster")
	t := d.typ()
	return alu1(d.dst(0), d.src(1, t.bits), func(x uint64) uint64 { return x >> rankShift & 0xff }, nil)
}

// storeAsync decodes st.async: a store to another block that counts bytes at an mbarrier there.
func storeAsync(d *decoder) exec {
	d.ignore("async", "weak", "mbarrier::complete_tx::bytes")
	s, t, n, _ := d.memoryMods()
	size := t.bits / 8
	a, src, bar := d.addr(0), d.srcs(1, t.bits), d.addr(2)
	if len(src) != n {
		return nil
	}
	return func(w *warp, m uint32) {
		w.each(m, func(l int) {
			values := make([]uint64, n)
			for k, r := range src {
				values[k] = w.v[r][l]
			}
			w.remote(s, a.at(w, l), bar.at(w, l), n*size, l, writes, func(data []byte) {
				for k, x := range values {
					putLittle(data[k*size:(k+1)*size], x)
				}
			})
		})
	}
}

// reduceAsync decodes red.async.
func reduceAsync(d *decoder) exec {
	d.ignore("async", "relaxed", "cluster", "mbarrier::complete_tx::bytes")
	t := d.typ()
	s, f := d.space(), d.atomicOp(t)
	if f == nil {
		return nil
	}
	a, b, bar := d.addr(0), d.src(1, t.bits), d.addr(2)
	return func(w *warp, m uint32) {
		w.each(m, func(l int) {
			x := w.v[b][l]
			w.remote(s, a.at(w, l), bar.at(w, l), t.bits/8, l, writes|shares|later, func(data []byte) {
				putLittle(data, f(little(data), x, 0))
			})
		})
	}
}

// remote begins asynchronous work on n bytes of a block's shared memory.
func (w *warp) remote(s space, addr, barAddr uint64, n, lane int, how access, do func(data []byte)) {
	if addr%uint64(n) != 0 {
		w.fault(lane, "%s of %d bytes at the address 0x%x, which is not a multiple of %d", w.op(), n, addr, n)
		return
	}
	b, off := w.sharedBlock(s, addr, n, lane)
	bar := w.mbarrierAt(s, barAddr, lane)
	if b == nil || bar == nil {
		return
	}
	j := w.landing(b, off, n, lane, bar, how)
	w.block.cluster.later(func() {
		do(b.shared[off : off+uint32(n)])
		j()
	})
}
