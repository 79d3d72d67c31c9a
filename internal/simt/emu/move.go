package emu

import (
	"math/bits"

	"github.com/cutile-go/cutile/internal/simt"
)

// move decodes mov: of a value, of a predicate, of an address, and between a register and a vector of parts of it.
func move(d *decoder) exec {
	t := d.typ()
	switch {
	case t.kind == 'p':
		p, a := d.pdst(0), d.psrc(1)
		return func(w *warp, m uint32) { w.p[p] = w.p[p]&^m | a.get(w)&m }
	case d.op(0).Kind == simt.Vector:
		return d.unpack(t)
	case d.op(1).Kind == simt.Vector:
		return d.packVector(t)
	}
	dst, src := d.dst(0), 0
	if o := d.op(1); o.Kind == simt.Address { // the address of a name plus an offset
		a := d.addr1(o)
		return alu1(dst, a.index, func(x uint64) uint64 { return cut(x+a.offset, t.bits) }, nil)
	}
	src = d.src(1, t.bits)
	same := func(x uint64) uint64 { return x }
	if o := d.op(1); o.Kind == simt.Special && counters[o.Name] {
		place := specials[o.Name]
		return func(w *warp, m uint32) {
			w.special(place)
			w.v[dst] = blend(&w.v[dst], &w.v[src], m)
		}
	}
	if o := d.op(1); o.Kind == simt.Special && t.bits < 64 {
		return alu1(dst, src, func(x uint64) uint64 { return cut(x, t.bits) }, nil)
	}
	return alu1(dst, src, same, func(d, a *vec) { *d = *a })
}

// blend gives b in the lanes of a mask and a in the others.
func blend(a, b *vec, m uint32) vec {
	r := *a
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		r[i] = b[i]
	}
	return r
}

// unpack takes a register apart: the first element has the lowest bits.
func (d *decoder) unpack(t typ) exec {
	dst, src := d.dsts(0), d.src(1, t.bits)
	n := t.bits / len(dst)
	return func(w *warp, m uint32) {
		v := w.v[src] // a part may be the same register
		for k, r := range dst {
			for k2 := m; k2 != 0; k2 &= k2 - 1 {
				i := bits.TrailingZeros32(k2)
				w.v[r][i] = cut(v[i]>>(k*n), n)
			}
		}
	}
}

func (d *decoder) packVector(t typ) exec {
	dst := d.dst(0)
	n := t.bits / len(d.op(1).Vec)
	src := d.srcs(1, n)
	return func(w *warp, m uint32) {
		w.each(m, func(i int) {
			var x uint64
			for k, r := range src {
				x |= cut(w.v[r][i], n) << (k * n)
			}
			w.v[dst][i] = x
		})
	}
}

// undefined decodes undef: registers get a value that nobody may rely on.
func undefined(d *decoder) exec {
	var regs, values, preds []int
	for i := range d.ops {
		if d.isPred(i) {
			preds = append(preds, d.pdst(i))
			continue
		}
		values, regs = append(values, d.constant(cut(simt.Undefined, d.width(d.op(i))))), append(regs, d.dst(i))
	}
	return func(w *warp, m uint32) {
		for k, r := range regs {
			w.v[r] = blend(&w.v[r], &w.v[values[k]], m)
		}
		for _, p := range preds {
			w.p[p] &^= m
		}
	}
}

// cvta converts between generic addresses and those of a window.
func cvta(d *decoder) exec {
	to := d.has("to")
	s := d.space()
	t := d.typ()
	base := windows[s]
	return alu1(d.dst(0), d.src(1, t.bits), func(x uint64) uint64 {
		if to {
			return cut(x-base, t.bits)
		}
		return x + base
	}, nil)
}

// nothingToDo decodes instructions that have no effect here.
func nothingToDo(d *decoder) exec {
	d.mods = nil
	return func(*warp, uint32) {}
}

// createPolicy gives a hint for the caches, which means nothing here.
func createPolicy(d *decoder) exec {
	d.mods = nil
	return alu1(d.dst(0), d.constant(0), func(uint64) uint64 { return 0 }, nil)
}
