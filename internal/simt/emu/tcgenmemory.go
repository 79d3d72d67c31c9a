package emu

import (
	"fmt"
	"math/bits"
)

const (
	tensorLanes   = 128
	tensorColumns = 512
)

// tensorMemory is the tensor memory of a block: 128 lanes by 512 columns of 32 bits.
type tensorMemory struct {
	words [tensorColumns][tensorLanes]uint32
	known [tensorColumns][tensorLanes]uint8 // a mask of the halves that were written

	pieces []tensorPiece // allocated, by column
	owner  int           // the warp that allocates, from 1
	least  int           // columns of the smallest allocation
	closed bool          // the permit to allocate was given up
	wanted *tensorWanted // of a pair

	pending []*tensorOp // that have begun and nobody knows to have ended
	history []tensorAccess
	kept    map[string]string // by collector buffer: the matrix in it
}

// halves of a word of tensor memory.
const (
	lowHalf    = 1
	bothHalves = 3
)

// garbage is what the upper half of a word has that was never written.
const garbage = 0xbad0_0000

// tensorMem gives a block's tensor memory.
func (b *block) tensorMem() *tensorMemory {
	if b.tensor == nil {
		b.tensor = &tensorMemory{}
		b.tensor.reset()
	}
	return b.tensor
}

// reset makes a tensor memory that of a new block.
func (t *tensorMemory) reset() {
	t.pieces, t.owner, t.least, t.closed, t.wanted = t.pieces[:0], 0, tensorColumns, false, nil
	t.pending, t.history, t.kept = t.pending[:0], t.history[:0], map[string]string{}
}

// laneSet is a set of lanes of tensor memory.
type laneSet [2]uint64

// lanesFrom is n lanes from one on.
func lanesFrom(first, n int) (s laneSet) {
	for l := first; l < min(first+n, tensorLanes); l++ {
		s[l/64] |= 1 << (l % 64)
	}
	return s
}

func (s laneSet) meets(o laneSet) bool { return s[0]&o[0]|s[1]&o[1] != 0 }

func (s laneSet) within(o laneSet) bool { return s[0]&^o[0]|s[1]&^o[1] == 0 }

func (s laneSet) or(o laneSet) laneSet { return laneSet{s[0] | o[0], s[1] | o[1]} }

func (s laneSet) first() int {
	if s[0] != 0 {
		return bits.TrailingZeros64(s[0])
	}
	return 64 + bits.TrailingZeros64(s[1])
}

// tensorRegion is some columns of some lanes of a block's tensor memory.
type tensorRegion struct {
	b         *block
	lanes     laneSet
	col, cols int
	write     bool
}

func (r tensorRegion) meets(o tensorRegion) bool {
	return r.b == o.b && r.col < o.col+o.cols && o.col < r.col+r.cols && r.lanes.meets(o.lanes)
}

// conflicts reports whether one of two accesses must come first.
func (r tensorRegion) conflicts(o tensorRegion) bool { return (r.write || o.write) && r.meets(o) }

// covers reports whether a write leaves nothing of an earlier access.
func (r tensorRegion) covers(o tensorRegion) bool {
	return r.write && r.b == o.b && r.col <= o.col && o.col+o.cols <= r.col+r.cols && o.lanes.within(r.lanes)
}

// String names a region in messages.
func (r tensorRegion) String() string {
	if r.cols == 1 {
		return fmt.Sprintf("lane %d, column %d", r.lanes.first(), r.col)
	}
	return fmt.Sprintf("lane %d, columns %d to %d", r.lanes.first(), r.col, r.col+r.cols-1)
}

// tensorAddress splits an address into lane and column.
func tensorAddress(addr uint64) (lane, col int) { return int(addr >> 16 & 0xffff), int(addr & 0xffff) }

// tensorPlace makes sure that a region is allocated.
func (w *warp) tensorPlace(r tensorRegion, lane int) bool {
	at := r.col
	for _, p := range r.b.tensorMem().pieces {
		if p.col <= at && at < p.col+p.cols {
			at = p.col + p.cols
		}
	}
	if at < r.col+r.cols {
		w.fault(lane, "%s at %v of tensor memory: column %d is not allocated; %s", w.op(), r, at, r.b.tensor.allocated())
		return false
	}
	return true
}

// lanesAt gives a set of lanes, moved down from lane 0 by so many: a mistake if some do not exist.
func (w *warp) lanesAt(s laneSet, by, last, lane int) (laneSet, bool) {
	if by+last >= tensorLanes {
		w.fault(lane, "%s: lane %d of tensor memory does not exist: it has %d", w.op(), by+last, tensorLanes)
		return s, false
	}
	if by == 0 {
		return s, true
	}
	var moved laneSet
	for l := range tensorLanes - by {
		if s[l/64]>>(l%64)&1 == 1 {
			moved[(l+by)/64] |= 1 << ((l + by) % 64)
		}
	}
	return moved, true
}

// put writes a word.
func (t *tensorMemory) put(col, lane int, x uint32, halves uint8) {
	t.words[col][lane], t.known[col][lane] = x, halves
}

// get reads a word of which some halves must have been written: false if they were not.
func (t *tensorMemory) get(col, lane int, halves uint8) (uint32, bool) {
	known := t.known[col][lane]
	x := t.words[col][lane]
	if known&^lowHalf == 0 {
		x = x&0xffff | garbage
	}
	return x, known&halves == halves
}

// unwritten reports a word that is read and was never written.
func (w *warp) unwritten(what string, col, row, lane int) {
	w.fault(lane, "%s reads %s from tensor memory that has not been written, at lane %d, column %d", w.op(), what, row, col)
}
