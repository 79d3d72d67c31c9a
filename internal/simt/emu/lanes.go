package emu

import (
	"math/bits"

	"github.com/cutile-go/cutile/internal/simt"
)

// shuffle decodes shfl.sync: lanes read a register of another lane.
func shuffle(d *decoder) exec {
	d.has("sync")
	mode := d.oneOf("up", "down", "bfly", "idx")
	d.has("b32")
	dst := d.dst(0)
	n, p := 1, len(d.def.Regs)+1
	if len(d.in.Dst) == 2 {
		n, p = 2, d.pdst(1)
	}
	a, b, c, mask := d.src(n, 32), d.src(n+1, 32), d.src(n+2, 32), d.src(n+3, 32)
	return func(w *warp, m uint32) {
		m, ok := w.gather(m, w.inMask(m, mask))
		if !ok || w.event == failed {
			return
		}
		old, result, valid := w.v[a], w.v[dst], uint32(0)
		w.each(m, func(l int) {
			from, in := shuffleFrom(mode, l, int(w.v[b][l]&31), int(w.v[c][l]))
			if in && uint32(w.v[mask][l])>>from&1 == 0 {
				w.fault(l, "%s reads lane %d, which is not in the mask 0x%08x", w.op(), from, w.v[mask][l])
			}
			result[l] = old[from]
			valid |= uint32(b2u(in)) << l
		})
		w.v[dst] = result
		w.p[p] = w.p[p]&^m | valid
	}
}

// shuffleFrom gives the lane that a lane reads, and whether it lies in the same segment; if not, the lane reads itself.
func shuffleFrom(mode string, lane, b, c int) (int, bool) {
	clamp, segment := c&31, c>>8&31
	limit := lane&segment | clamp&^segment
	from, in := 0, false
	switch mode {
	case "up":
		from = lane - b
		in = from >= limit
	case "down":
		from = lane + b
		in = from <= limit
	case "bfly":
		from = lane ^ b
		in = from <= limit
	case "idx":
		from = lane&segment | b&^segment
		in = from <= limit
	}
	if !in {
		return lane, false
	}
	return from, true
}

// vote decodes vote.sync: all, any, uni and ballot.
func vote(d *decoder) exec {
	d.has("sync")
	mode := d.oneOf("all", "any", "uni", "ballot")
	t := d.typ()
	p, mask := d.psrc(1), d.src(2, 32)
	dst := 0
	if t.kind == 'p' {
		dst = d.pdst(0)
	} else {
		dst = d.dst(0)
	}
	return func(w *warp, m uint32) {
		m, ok := w.gather(m, w.inMask(m, mask))
		if !ok || w.event == failed {
			return
		}
		yes, r := p.get(w), uint32(0)
		w.each(m, func(l int) {
			members := uint32(w.v[mask][l])
			of := yes & members
			switch {
			case mode == "ballot":
				w.v[dst][l] = uint64(of)
			case mode == "any" && of != 0, mode != "any" && of == members, mode == "uni" && of == 0:
				r |= 1 << l
			}
		})
		if mode != "ballot" {
			w.p[dst] = w.p[dst]&^m | r
		}
	}
}

// match decodes match.sync: which lanes have the same value.
func match(d *decoder) exec {
	all := d.oneOf("any", "all") == "all"
	d.has("sync")
	t := d.typ()
	dst, n, p := d.dst(0), 1, len(d.def.Regs)+1
	if len(d.in.Dst) == 2 {
		n, p = 2, d.pdst(1)
	}
	a, mask := d.src(n, t.bits), d.src(n+1, 32)
	return func(w *warp, m uint32) {
		m, ok := w.gather(m, w.inMask(m, mask))
		if !ok || w.event == failed {
			return
		}
		v, yes := w.v[a], uint32(0)
		w.each(m, func(l int) {
			members, same := uint32(w.v[mask][l]), uint32(0)
			for k := members; k != 0; k &= k - 1 {
				if v[first(k)] == v[l] {
					same |= 1 << first(k)
				}
			}
			if all && same != members {
				same = 0
			}
			w.v[dst][l] = uint64(same)
			yes |= uint32(b2u(same != 0)) << l
		})
		w.p[p] = w.p[p]&^m | yes
	}
}

// redux decodes redux.sync: a reduction over lanes.
func redux(d *decoder) exec {
	d.has("sync")
	name := d.oneOf("add", "min", "max", "and", "or", "xor")
	xorsignless, nan := d.has("abs"), d.has("NaN")
	t := d.typ()
	f := reductions(name, t)
	if t.kind == 'f' {
		g := extreme(floatTypes[t.name], style{}, name == "min", nan, false)
		f = func(x, y uint64) uint64 {
			if xorsignless {
				x, y = x&^(1<<31), y&^(1<<31)
			}
			return g(x, y)
		}
	}
	if f == nil {
		return nil
	}
	dst, a, mask := d.dst(0), d.src(1, 32), d.src(2, 32)
	return func(w *warp, m uint32) {
		m, ok := w.gather(m, w.inMask(m, mask))
		if !ok || w.event == failed {
			return
		}
		v := w.v[a]
		w.each(m, func(l int) {
			members := uint32(w.v[mask][l])
			r := v[first(members)]
			if t.kind == 'f' { // of one lane alone, too, a NaN is canonical and an absolute value has no sign
				r = f(r, r)
			}
			for k := members & (members - 1); k != 0; k &= k - 1 {
				r = f(r, v[first(k)])
			}
			w.v[dst][l] = r
		})
	}
}

// reductions is an operation of two numbers that reductions and atomics use: nil if there is none.
func reductions(name string, t typ) fn2 {
	switch name {
	case "and":
		return func(x, y uint64) uint64 { return x & y }
	case "or":
		return func(x, y uint64) uint64 { return x | y }
	case "xor":
		return func(x, y uint64) uint64 { return x ^ y }
	}
	return integer2(name, t, t.bits)
}

// activemask gives the lanes that are here: more may join at any time, so that the answer means little.
func activemask(d *decoder) exec {
	d.has("b32")
	dst := d.dst(0)
	return func(w *warp, m uint32) { w.each(m, func(l int) { w.v[dst][l] = uint64(m) }) }
}

// elect decodes elect.sync: one lane of the mask, the first, is chosen.
func elect(d *decoder) exec {
	d.has("sync")
	dst, p, mask := d.sink, len(d.def.Regs)+1, 0
	if d.op(0).Kind != simt.Sink {
		dst = d.dst(0)
	}
	p, mask = d.pdst(1), d.src(2, 32)
	return func(w *warp, m uint32) {
		m, ok := w.gather(m, w.inMask(m, mask))
		if !ok || w.event == failed {
			return
		}
		yes := uint32(0)
		w.each(m, func(l int) {
			leader := bits.TrailingZeros32(uint32(w.v[mask][l]))
			w.v[dst][l] = uint64(leader)
			yes |= uint32(b2u(l == leader)) << l
		})
		w.p[p] = w.p[p]&^m | yes
	}
}
