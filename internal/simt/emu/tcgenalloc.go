package emu

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// tensorPiece is columns of tensor memory that were allocated together.
type tensorPiece struct{ col, cols int }

// tensorWanted is an allocation that waits for the other block of a pair.
type tensorWanted struct {
	cols int
	col  int // where it was allocated, or -1
}

// allocated lists the pieces.
func (t *tensorMemory) allocated() string {
	if len(t.pieces) == 0 {
		return "none is"
	}
	var list []string
	for _, p := range t.pieces {
		list = append(list, fmt.Sprintf("%d to %d", p.col, p.col+p.cols-1))
	}
	return "allocated are " + strings.Join(list, ", ")
}

// free gives the first column of so many in a row that are free in all of some tensor memories: -1 if there are none.
func free(cols int, mems ...*tensorMemory) int {
	for at := 0; at+cols <= tensorColumns; at += 32 {
		taken := func(p tensorPiece) bool { return p.col < at+cols && at < p.col+p.cols }
		if !slices.ContainsFunc(mems, func(t *tensorMemory) bool { return slices.ContainsFunc(t.pieces, taken) }) {
			return at
		}
	}
	return -1
}

// allocate makes columns a piece. Nobody has written them.
func (t *tensorMemory) allocate(col, cols int) {
	t.pieces = append(t.pieces, tensorPiece{col, cols})
	slices.SortFunc(t.pieces, func(a, b tensorPiece) int { return cmp.Compare(a.col, b.col) })
	for c := col; c < col+cols; c++ {
		t.known[c] = [tensorLanes]uint8{}
	}
	t.history = slices.DeleteFunc(t.history, func(a tensorAccess) bool { return a.col >= col && a.col < col+cols })
}

// columns reads a number of columns, which all lanes have in common: a power of two from 32 to 512.
func (w *warp) columns(reg int) (int, bool) {
	n := w.same("numbers of columns", func(l int) uint64 { return w.v[reg][l] })
	if n < 32 || n > tensorColumns || n&(n-1) != 0 {
		w.fault(0, "%s: %d columns: expected a power of two from 32 to %d", w.op(), n, tensorColumns)
	}
	return int(n), w.event != failed
}

// tensorAlloc decodes alloc, which waits for columns and writes the address of the first into shared memory.
func tensorAlloc(d *decoder) exec {
	pair := d.pair()
	d.has("b32")
	s := d.space()
	dst, cols := d.addr(0), d.src(1, 32)
	return d.whole(func(w *warp, m uint32) {
		n, ok := w.columns(cols)
		blocks := w.peers(pair, 0)
		if !ok || blocks == nil || !w.mayAllocate(n) {
			return
		}
		var col int
		if pair {
			col = w.allocatePair(n, blocks)
		} else if col = free(n, w.block.tensor); col >= 0 {
			w.block.tensor.allocate(col, n)
		}
		switch {
		case w.event == failed:
			return
		case col < 0:
			w.stop(m, &wait{retry: true, ready: func() bool { return w.canAllocate(n, blocks) }, reason: func() string {
				return fmt.Sprintf("%d columns of tensor memory; %s", n, w.block.tensor.allocated())
			}})
			return
		}
		t := w.block.tensor
		t.owner, t.least = w.index+1, n
		addr := w.same("addresses", func(l int) uint64 { return dst.at(w, l) })
		if data := w.memory(s, addr, 4, 0, writes); data != nil {
			putLittle(data, uint64(col))
		}
	})
}

// mayAllocate looks at the rules of allocation.
func (w *warp) mayAllocate(n int) bool {
	switch t := w.block.tensorMem(); {
	case t.closed:
		w.fault(0, "%s: a warp of the block has given up the permit (relinquish_alloc_permit)", w.op())
	case t.owner != 0 && t.owner != w.index+1:
		w.fault(0, "%s: one warp allocates for a block; warp %d has done so, and warp %d cannot", w.op(), t.owner-1, w.index)
	case n > t.least:
		w.fault(0, "%s: %d columns, after an allocation of %d: allocations must not grow", w.op(), n, t.least)
	}
	return w.event != failed
}

// allocatePair allocates for both blocks of a pair when both have asked: -1 until then.
func (w *warp) allocatePair(n int, blocks []*block) int {
	t, even, odd := w.block.tensorMem(), blocks[0].tensorMem(), blocks[1].tensorMem()
	if t.wanted == nil {
		t.wanted = &tensorWanted{cols: n, col: -1}
	}
	if even.wanted != nil && odd.wanted != nil && t.wanted.col < 0 {
		if even.wanted.cols != odd.wanted.cols {
			w.fault(0, "%s: %d columns, and the other block of the pair asks for %d", w.op(), n, even.wanted.cols+odd.wanted.cols-n)
			return -1
		}
		if col := free(n, even, odd); col >= 0 {
			for _, t := range []*tensorMemory{even, odd} {
				t.allocate(col, n)
				t.wanted.col = col
			}
		}
	}
	col := t.wanted.col
	if col >= 0 {
		t.wanted = nil
	}
	return col
}

// canAllocate reports whether an allocation that waits can go on.
func (w *warp) canAllocate(n int, blocks []*block) bool {
	var mems []*tensorMemory
	for _, b := range blocks {
		mems = append(mems, b.tensorMem())
	}
	if len(mems) == 1 {
		return free(n, mems...) >= 0
	}
	mine := w.block.tensor.wanted
	return mine != nil && mine.col >= 0 || mems[0].wanted != nil && mems[1].wanted != nil && free(n, mems...) >= 0
}

// tensorDealloc decodes dealloc. Each block of a pair gives its own columns back: it may wait for the other one, and need not.
func tensorDealloc(d *decoder) exec {
	d.pair()
	d.has("b32")
	addr, cols := d.src(0, 32), d.src(1, 32)
	return d.whole(func(w *warp, _ uint32) {
		n, ok := w.columns(cols)
		if !ok {
			return
		}
		row, col := tensorAddress(w.same("addresses", func(l int) uint64 { return w.v[addr][l] }))
		t := w.block.tensorMem()
		at := slices.Index(t.pieces, tensorPiece{col, n})
		if at < 0 || row != 0 {
			w.fault(0, "%s of %d columns at lane %d, column %d: no such allocation; %s", w.op(), n, row, col, t.allocated())
			return
		}
		all := tensorRegion{w.block, lanesFrom(0, tensorLanes), col, n, true}
		for _, op := range t.pending {
			if op.touches(all) {
				w.fault(0, "%s of columns %d to %d, which the %s at %v may still use: %s", w.op(), col, col+n-1, op.name(), op.pos(), op.remedy())
				return
			}
		}
		if r := w.block.cluster.races; r != nil {
			r.tensorFreed(w, all)
		}
		if w.event != failed {
			t.pieces = slices.Delete(t.pieces, at, at+1)
		}
	})
}

// tensorRelinquish decodes relinquish_alloc_permit.
func tensorRelinquish(d *decoder) exec {
	d.pair()
	return d.whole(func(w *warp, _ uint32) { w.block.tensorMem().closed = true })
}

// tensorLeft reports a mistake if the last threads of a block end and tensor memory is still allocated.
func (w *warp) tensorLeft(m uint32) {
	t := w.block.tensor
	if t != nil && w.block.live == bits.OnesCount32(m) && len(t.pieces) > 0 {
		w.fault(first(m), "the block ends, and columns of tensor memory were not deallocated (tcgen05.dealloc): %s", t.allocated())
	}
}
