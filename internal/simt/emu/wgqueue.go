package emu

import "fmt"

// wgmmaWork is the multiplications of a warp that are under way.
type wgmmaWork struct {
	fences int         // wgmma.fence so far
	writes map[int]int // by register that multiplications use: how many there were, and one more, when it was written otherwise
	begun  int         // how many were, ever
	open   []*product
	groups [][]*product
}

// product is one multiplication of four warps. It ends for all of them at once: when one has waited for it, the shared
// memory that it reads may be used again.
type product struct {
	parts [4]*part
	ended bool
	key   [2]int
	left  int    // warps that have not waited
	clock *clock // what a warp knows that has waited
}

// part is one warp's part of a multiplication.
type part struct {
	w     *warp
	form  *warpgroup
	add   bool
	first int // row of A
	a, b  operandMatrix
	reads []uint32 // pieces of 16 bytes of shared memory
	va    [16][]float64
	vb    [][]float64
}

// beginMultiplication joins a warp's part to those of the other three.
func (w *warp) beginMultiplication(p *part) {
	key := [2]int{w.index / 4, w.wgmma.begun}
	m := w.block.multiplies[key]
	if m == nil {
		m = &product{key: key, left: 4}
		w.block.multiplies[key] = m
	}
	m.parts[w.index%4] = p
	w.wgmma.begun++
	w.wgmma.open = append(w.wgmma.open, m)
}

// waitMultiplications finishes all groups but the last n.
func (w *warp) waitMultiplications(m uint32, n int) {
	q := &w.wgmma
	for len(q.groups) > n {
		for len(q.groups[0]) > 0 {
			x := q.groups[0][0]
			if !x.complete() {
				w.stop(m, &wait{retry: true, ready: x.complete, reason: func() string {
					return fmt.Sprintf("the %s of the other warps of its group", x.parts[w.index%4].form.name)
				}})
				return
			}
			x.end(w.block)
			x.finish(w)
			q.groups[0] = q.groups[0][1:]
		}
		q.groups = q.groups[1:]
	}
}

// complete reports whether all four warps have begun it.
func (x *product) complete() bool {
	for _, p := range x.parts {
		if p == nil {
			return false
		}
	}
	return true
}

// end reads the shared memory of all parts.
func (x *product) end(b *block) {
	if x.ended {
		return
	}
	x.ended = true
	for _, p := range x.parts {
		g := p.form
		if g.regs == nil {
			p.a.read(b, p.va[:], p.first, g.k, g.a, g.transA)
		}
		if first := x.parts[0]; p != first && p.b == first.b { // as it should be
			p.vb = first.vb
			continue
		}
		p.vb = make([][]float64, g.n)
		p.b.read(b, p.vb, 0, g.k, g.b, g.transB)
	}
	if r := b.cluster.races; r != nil {
		x.clock = r.engineRead(x.parts[:], b)
	}
}

// finish writes the results of one warp.
func (x *product) finish(w *warp) {
	p := x.parts[w.index%4]
	if p.form.regs != nil {
		p.va = p.form.fromRegisters(w)
	}
	p.form.multiply(w, p.va, p.vb, p.add)
	p.va, p.vb = [16][]float64{}, nil
	if x.left--; x.left == 0 {
		delete(w.block.multiplies, x.key)
	}
	if r := w.block.cluster.races; r != nil {
		r.acquire(w, full, x.clock)
	}
}
