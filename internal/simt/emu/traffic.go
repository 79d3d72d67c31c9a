package emu

import (
	"math/bits"
	"slices"
)

const (
	sectorSize = 32 // bytes that caches and memory move at least
	lineSize   = 128
	bankCount  = 32 // banks of shared memory, of 4 bytes each
)

// global counts a request for global memory. Accesses are aligned to their sizes, so that each lies in one sector, or in whole
// ones.
func (t *tally) global(w *warp, q *request, m uint32, c *Count) {
	if m == 0 {
		return
	}
	var addrs [lanes]uint64
	n := 0
	for k := m; k != 0; k &= k - 1 {
		addrs[n] = q.addrs[first(k)]
		n++
	}
	c.Global.Requests++
	c.Global.Asked += int64(q.size * n)
	slices.Sort(addrs[:n])
	different := slices.Compact(addrs[:n])
	sector, line := ^uint64(0), ^uint64(0)
	for _, a := range different {
		if a/sectorSize == sector {
			continue
		}
		sector = a / sectorSize
		c.Global.Sectors++
		t.mark(w, a, q.size, q.how)
		if a/lineSize != line {
			line = a / lineSize
			c.Global.Lines++
		}
	}
	c.Global.Ideal += int64(len(different)*q.size+sectorSize-1) / sectorSize
}

// piece counts n bytes of global memory that lie together.
func (t *tally) piece(w *warp, addr uint64, n int64, how access, c *Count) {
	if n <= 0 {
		return
	}
	last := addr + uint64(n) - 1
	c.Global.Asked += n
	c.Global.Sectors += int64(last/sectorSize - addr/sectorSize + 1)
	c.Global.Lines += int64(last/lineSize - addr/lineSize + 1)
	c.Global.Ideal += (n + sectorSize - 1) / sectorSize
	t.mark(w, addr, int(n), how)
}

// footprint is the sectors of a buffer that were read and written.
type footprint struct{ read, written bitmap }

type bitmap []uint64

func (b bitmap) count() (n int64) {
	for _, x := range b {
		n += int64(bits.OnesCount64(x))
	}
	return n
}

// add adds what another footprint of the buffer has.
func (f *footprint) add(g *footprint) {
	for i := range f.read {
		f.read[i] |= g.read[i]
		f.written[i] |= g.written[i]
	}
}

// mark notes that the sectors of n bytes are touched. What lies outside of every buffer is a mistake that others report.
func (t *tally) mark(w *warp, addr uint64, n int, how access) {
	p := t.near
	if p == nil || !p.holds(addr, n) {
		if p = w.launch().Memory.find(addr, n); p == nil {
			return
		}
		t.near = p
	}
	f := t.footprint[p]
	if f == nil {
		sectors := (p.addr%sectorSize + uint64(len(p.data)) + sectorSize - 1) / sectorSize
		f = &footprint{make(bitmap, (sectors+63)/64), make(bitmap, (sectors+63)/64)}
		t.footprint[p] = f
	}
	base := p.addr / sectorSize
	for s := addr/sectorSize - base; s <= (addr+uint64(n)-1)/sectorSize-base; s++ {
		if how&reads != 0 {
			f.read[s/64] |= 1 << (s % 64)
		}
		if how&writes != 0 {
			f.written[s/64] |= 1 << (s % 64)
		}
	}
}

// banks counts the passes of a request for shared memory. A pass serves all lanes if each asks for 4 bytes at most, half of
// them for 8 bytes, a quarter for 16; loads in which neighbours ask for the same bytes need half as many. A bank gives one word
// in a pass, to any number of lanes; an atomic operation is a word of its own.
func (q *request) banks(m uint32, s *Shared) {
	if m == 0 {
		return
	}
	s.Requests++
	s.Asked += int64(q.size * bits.OnesCount32(m))
	passes := max(1, q.size/4)
	if passes > 1 && q.how == reads && (q.pairs(m, 1) || q.pairs(m, 2)) {
		passes /= 2
	}
	width := lanes / passes
	for i := range passes {
		if part := m >> (i * width) & uint32(1<<width-1) << (i * width); part != 0 {
			s.Ideal++
			s.Wavefronts += q.conflicts(part)
		}
	}
}

// pairs reports whether lanes whose numbers differ in one bit ask for the same bytes.
func (q *request) pairs(m uint32, bit int) bool {
	for k := m; k != 0; k &= k - 1 {
		l := first(k)
		if other := l ^ bit; m>>other&1 != 0 && q.addrs[other] != q.addrs[l] {
			return false
		}
	}
	return true
}

// conflicts gives the largest number of words that some lanes want of one bank.
func (q *request) conflicts(m uint32) int64 {
	var words [lanes * 2]uint64
	n, per := 0, uint64(max(1, q.size/4))
	for k := m; k != 0; k &= k - 1 {
		for i := range per {
			if n < len(words) {
				words[n] = q.addrs[first(k)]/4 + i
				n++
			}
		}
	}
	list := words[:n]
	if !q.atomic {
		slices.Sort(list)
		list = slices.Compact(list)
	}
	var of [bankCount]int64
	for _, w := range list {
		of[w%bankCount]++
	}
	return slices.Max(of[:])
}
