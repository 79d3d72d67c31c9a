package emu

import (
	"math/bits"
	"unsafe"
)

// window is memory that lanes access in words, fast: unusual accesses are left to the general functions. The machine is
// little-endian, as all machines that this module supports are.
type window struct {
	base  unsafe.Pointer
	size  uint64
	skew  uint64  // of the address of the first byte, from a multiple of 32
	known []uint8 // of shared memory
	races *races
	cells []cell
	warp  int
	pc    int
}

// sharedWindow is the shared memory of a warp's block. A lane's offset in it is its address minus the second result.
func (w *warp) sharedWindow() (window, uint64) {
	b, r := w.block, w.block.cluster.races
	q := window{base: unsafe.Pointer(unsafe.SliceData(b.shared)), size: uint64(len(b.shared)), known: b.known}
	if r != nil {
		q.races, q.cells, q.warp, q.pc = r, r.words[b.rank], r.warp(w), w.pc
	}
	return q, uint64(b.rank) << rankShift
}

// load reads as many words as there are results in the lanes of a mask, and gives the lanes that it left out.
func (q *window) load(va *vec, bias uint64, m uint32, out []*vec) (rest uint32) {
	n := uint64(4 * len(out))
	if q.size < n || q.races != nil && n > 4 {
		return m
	}
	last := q.size - n
	for i := range va {
		if m>>i&1 == 0 {
			continue
		}
		off := va[i] - bias
		if off > last || (off+q.skew)&(n-1) != 0 {
			rest |= 1 << i
			continue
		}
		if q.known != nil {
			if !q.written(off/4, n) || q.races != nil && !q.races.readWord(&q.cells[off/4], q.warp, i, q.pc) {
				rest |= 1 << i
				continue
			}
		}
		at := unsafe.Add(q.base, off)
		out[0][i] = uint64(*(*uint32)(at))
		for k := 1; k < len(out); k++ {
			at = unsafe.Add(at, 4)
			out[k][i] = uint64(*(*uint32)(at))
		}
	}
	return rest
}

// written reports whether n bytes from a word on were written.
func (q *window) written(word, n uint64) bool {
	switch at := unsafe.Pointer(&q.known[word]); n {
	case 4:
		return q.known[word] == 15
	case 8:
		return *(*uint16)(at) == 0x0f0f
	case 16:
		return *(*uint32)(at) == 0x0f0f0f0f
	}
	return false
}

// fastShared loads words of shared memory that the block owns and has written; slow does the lanes that are otherwise.
func fastShared(a address, dst []int, slow exec) exec {
	return func(w *warp, m uint32) {
		q, bias := w.sharedWindow()
		var out [8]*vec
		if rest := q.load(&w.v[a.index], bias-a.offset, m, w.results(&out, dst)); rest != 0 {
			slow(w, rest)
		}
	}
}

// results gives the registers of some indices.
func (w *warp) results(out *[8]*vec, dst []int) []*vec {
	for k, r := range dst {
		out[k] = &w.v[r]
	}
	return out[:len(dst)]
}

// fastGlobal loads words out of the buffer that the first lane means.
func fastGlobal(a address, dst []int, slow exec) exec {
	return func(w *warp, m uint32) {
		if w.block.cluster.races != nil {
			slow(w, m)
			return
		}
		if lead := a.at(w, first(m)); w.near == nil || !w.near.holds(lead, 4) {
			if w.near = w.launch().Memory.find(lead, 4); w.near == nil {
				slow(w, m)
				return
			}
		}
		p := w.near
		q := window{base: unsafe.Pointer(unsafe.SliceData(p.data)), size: uint64(len(p.data)), skew: p.addr & 31}
		var out [8]*vec
		if rest := q.load(&w.v[a.index], p.addr-a.offset, m, w.results(&out, dst)); rest != 0 {
			slow(w, rest)
		}
	}
}

// fastSharedStore stores words to shared memory that the block owns; slow does the lanes that are otherwise.
func fastSharedStore(a address, src int, slow exec) exec {
	return func(w *warp, m uint32) {
		q, bias := w.sharedWindow()
		va, vs, rest := &w.v[a.index], &w.v[src], uint32(0)
		for k := m; k != 0; k &= k - 1 {
			i := bits.TrailingZeros32(k) & (lanes - 1)
			off := va[i] + a.offset - bias
			if off&3 != 0 || off+4 > q.size || off > q.size || q.known[off/4]&held != 0 || q.races != nil && !q.races.writeWord(&q.cells[off/4], q.warp, i, q.pc) {
				rest |= 1 << i
				continue
			}
			*(*uint32)(unsafe.Add(q.base, off)) = uint32(vs[i])
			q.known[off/4] = 15
		}
		if rest != 0 {
			slow(w, rest)
		}
	}
}
