package emu

import (
	"encoding/binary"
	"math/bits"
)

// space is a state space of memory.
type space uint8

const (
	generic space = iota
	global
	sharedSpace
	clusterSpace // the shared memory of every block of the cluster
	local
	paramSpace
)

// The windows of generic addresses, far from those that a machine uses.
const (
	sharedBase = 0x5000_0000_0000_0000
	localBase  = 0x6000_0000_0000_0000
	paramBase  = 0x7000_0000_0000_0000
	windowMask = 0xf000_0000_0000_0000
)

var windows = map[space]uint64{sharedSpace: sharedBase, clusterSpace: sharedBase, local: localBase, paramSpace: paramBase}

var spaceNames = map[string]space{
	"global": global, "const": global, "shared": sharedSpace, "shared::cta": sharedSpace, "shared::cluster": clusterSpace,
	"local": local, "param": paramSpace, "param::entry": paramSpace,
}

// space takes the modifier of a state space: generic if there is none.
func (d *decoder) space() space {
	return spaceNames[d.oneOf("global", "const", "shared", "shared::cta", "shared::cluster", "local", "param", "param::entry")]
}

// spaceOf gives the space that a generic address is in, and the address there.
func spaceOf(addr uint64) (space, uint64) {
	switch addr & windowMask {
	case sharedBase:
		return sharedSpace, addr &^ windowMask
	case localBase:
		return local, addr &^ windowMask
	case paramBase:
		return paramSpace, addr &^ windowMask
	}
	return global, addr
}

// access is what an instruction does with memory.
type access uint8

const (
	reads   access = 1
	writes  access = 2
	shares  access = 4   // of a kind that does not race with others of this kind
	later   access = 8   // such an access that orders no others, unless there is a fence
	within  access = 16  // of a kind for the threads of a block alone
	unseen  access = 32  // not searched for races
	nearby  access = 64  // of a kind for the threads of a cluster alone
	proxied access = 128 // by the async proxy
)

// memory gives the n bytes that a lane means: nil after a mistake.
func (w *warp) memory(s space, addr uint64, n, lane int, how access) []byte {
	if s == generic {
		s, addr = spaceOf(addr)
		if s == sharedSpace {
			s = clusterSpace
		}
	}
	if addr&uint64(n-1) != 0 {
		w.fault(lane, "%s of %d bytes at the address 0x%x, which is not a multiple of %d", w.op(), n, addr, n)
		return nil
	}
	switch s {
	case global:
		return w.global(addr, n, lane, how)
	case sharedSpace, clusterSpace:
		return w.sharedMemory(s, addr, n, lane, how)
	case local:
		return w.own(w.localOf(lane), "local memory", addr, n, lane)
	}
	if p := w.block.cluster.run.params; addr&^windowMask < uint64(len(p)) {
		return w.own(p, "the parameters", addr&^windowMask, n, lane)
	}
	w.fault(lane, "%s at 0x%x: outside of the parameters", w.op(), addr)
	return nil
}

func (w *warp) localOf(lane int) []byte {
	n := w.fn.def.Local
	return w.local[lane*n : lane*n+n]
}

func (w *warp) own(data []byte, what string, addr uint64, n, lane int) []byte {
	if addr > uint64(len(data)) || uint64(n) > uint64(len(data))-addr {
		w.fault(lane, "%s of %d bytes at 0x%x: outside of %s, which has %d bytes", w.op(), n, addr, what, len(data))
		return nil
	}
	return data[addr : addr+uint64(n)]
}

func (w *warp) global(addr uint64, n, lane int, how access) []byte {
	p := w.near
	if p == nil || !p.holds(addr, n) {
		if p = w.launch().Memory.find(addr, n); p == nil {
			w.fault(lane, "%s of %d bytes at 0x%x: outside of every buffer; %s", w.op(), n, addr, w.block.cluster.run.beside(addr, n))
			return nil
		}
		w.near = p
	}
	if how&writes != 0 && p.readOnly {
		w.fault(lane, "%s at 0x%x: %s may only be read", w.op(), addr, p.name)
		return nil
	}
	if how&shares != 0 {
		w.polls++
	}
	off := addr - p.addr
	if r := w.block.cluster.races; r != nil {
		if r.touchGlobal(w, lane, p, off, n, how); w.event == failed {
			return nil
		}
	}
	if r := w.launch(); how&writes != 0 && r.Stored != nil {
		r.Stored(&Stored{addr, n, w.block.id, w.thread(lane), w.fn.code[w.pc].src.Pos, w.op()})
	}
	return p.data[off : off+uint64(n) : off+uint64(n)]
}

// sharedBlock gives the block whose shared memory an address is in, and the offset: nil after a mistake.
func (w *warp) sharedBlock(s space, addr uint64, n, lane int) (*block, uint32) {
	rank, off := addr>>rankShift, uint32(addr&(1<<rankShift-1))
	b := w.block
	if rank != uint64(b.rank) {
		switch c := b.cluster; {
		case s == clusterSpace && rank < uint64(len(c.blocks)):
			b = c.blocks[rank]
		case rank < uint64(len(c.blocks)):
			w.fault(lane, "%s at 0x%x: the shared memory of block %d of the cluster, in block %d", w.op(), addr, rank, w.block.rank)
			return nil, 0
		default:
			w.fault(lane, "%s of %d bytes at 0x%x: outside of shared memory, which has %d bytes", w.op(), n, addr, len(b.shared))
			return nil, 0
		}
	}
	if uint64(off)+uint64(n) > uint64(len(b.shared)) {
		w.fault(lane, "%s of %d bytes at 0x%x: outside of shared memory, which has %d bytes", w.op(), n, off, len(b.shared))
		return nil, 0
	}
	if b != w.block && b.live == 0 {
		w.fault(lane, "%s: block %d of the cluster, whose shared memory this is, has ended", w.op(), rank)
		return nil, 0
	}
	return b, off
}

func (w *warp) sharedMemory(s space, addr uint64, n, lane int, how access) []byte {
	b, off := w.sharedBlock(s, addr, n, lane)
	if b == nil || !w.free(b, off, n, lane) {
		return nil
	}
	if how&reads != 0 && !w.initialised(b, off, n, lane) {
		return nil
	}
	if how&writes != 0 {
		b.written(off, n)
	}
	if r := b.cluster.races; r != nil {
		r.touch(w, lane, b, off, n, how)
	}
	return b.shared[off : off+uint32(n)]
}

// written notes that bytes of shared memory have a value.
func (b *block) written(off uint32, n int) {
	for at, end := off, off+uint32(n); at < end; at = at&^3 + 4 {
		b.known[at>>2] |= bytesOf(at, end)
	}
}

// bytesOf gives the bytes from one offset to another that lie in the first one's word, as a mask.
func bytesOf(at, end uint32) uint8 {
	m := uint8(15) << (at & 3) & 15
	if rest := at&^3 + 4 - min(end, at&^3+4); rest > 0 {
		m &= 15 >> rest
	}
	return m
}

// initialised reports a mistake if bytes are read that were not written.
func (w *warp) initialised(b *block, off uint32, n, lane int) bool {
	for at, end := off, off+uint32(n); at < end; at = at&^3 + 4 {
		if missing := bytesOf(at, end) &^ b.known[at>>2]; missing != 0 {
			at = at&^3 + uint32(bits.TrailingZeros8(missing))
			w.fault(lane, "%s reads shared memory that has not been written, at 0x%x", w.op(), at)
			return false
		}
	}
	return true
}

// little reads a number of 1 to 8 bytes.
func little(b []byte) uint64 {
	switch len(b) {
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case 8:
		return binary.LittleEndian.Uint64(b)
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	}
	var x uint64
	for i, c := range b {
		x |= uint64(c) << (8 * i)
	}
	return x
}

// putLittle writes a number of len(b) bytes.
func putLittle(b []byte, x uint64) {
	switch len(b) {
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(x))
	case 8:
		binary.LittleEndian.PutUint64(b, x)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(x))
	default:
		b[0] = byte(x)
	}
}

// first gives the first lane of a mask.
func first(m uint32) int { return bits.TrailingZeros32(m) }
