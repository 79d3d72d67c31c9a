package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/tileir"
)

// An element of f4E2M1FN takes half a byte of memory, the lower half where its index is even, as pack has it: tileiras
// copies such memory to the bytes of packed tiles as it is (TestHalvesOfBytes in internal/testing/sasstest). In a tile it
// has a byte to itself. Halves of a byte cannot be written apart, so accesses to them exclude each other.

// upperHalf is the bit that an address has of the upper half of a byte. Addresses of bytes have fewer bits.
const upperHalf = 1 << 63

// memoryBytes is what n elements take in memory.
func memoryBytes(e tileir.Elem, n int64) int64 {
	per := int64(e.PerByte())
	return (n + per - 1) / per * int64(e.Bytes())
}

// halfAt reads the i-th half byte from m on.
func halfAt(m ptr, i int) uint8 { return *(*uint8)(unsafe.Add(m, i>>1)) >> (i & 1 * 4) & 0xf }

func setHalf(m ptr, i int, x uint8) {
	b, shift := (*uint8)(unsafe.Add(m, i>>1)), i&1*4
	*b = *b&^(0xf<<shift) | x&0xf<<shift
}

// offsetHalves moves addresses of half bytes.
func offsetHalves(d, a, b []int64) {
	for i := range d {
		by := b[i]
		n := int64(uint64(a[i])&^upperHalf)*2 + int64(uint64(a[i])>>63) + by
		if d[i] = int64(uint64(n>>1)&^upperHalf | uint64(n&1)<<63); by > 2*lane.FarBytes || by < -2*lane.FarBytes {
			d[i] = lane.Nowhere
		}
	}
}

// transferHalves copies a region of half bytes between a tile and memory, in the order of the tile.
func (a *access) transferHalves(f *frame, r *region, tile ptr, load bool) {
	m := &f.kernel.device.halves
	m.Lock()
	defer m.Unlock()
	a.each(f, r, 0, 0, r.zero, func(inTile, inMemory, n, stride int) {
		t := slice[uint8](unsafe.Add(tile, inTile), n)
		for i := range t {
			if load {
				t[i] = halfAt(r.memory, inMemory+i*stride)
			} else {
				setHalf(r.memory, inMemory+i*stride, t[i])
			}
		}
	})
}

// gatherHalves and scatterHalves move the elements that the mask lets through between memory and a tile.
func gatherHalves(p *pointers, f *frame, tile ptr) bool {
	dst := slice[uint8](tile, p.n)
	return p.eachHalf(f, func(i int, m ptr, half int) { dst[i] = halfAt(m, half) })
}

func scatterHalves(p *pointers, f *frame, tile ptr) bool {
	src := slice[uint8](tile, p.n)
	return p.eachHalf(f, func(i int, m ptr, half int) { setHalf(m, half, src[i]) })
}

func (p *pointers) eachHalf(f *frame, visit func(i int, m ptr, half int)) bool {
	halves := &f.kernel.device.halves
	halves.Lock()
	defer halves.Unlock()
	return p.inParts(f, func(part *pointers) bool {
		addresses, mask := part.operands(f)
		for i := range part.n {
			address := addresses.at(i)
			if mask != nil && mask[i] == 0 {
				continue
			}
			m, ok := part.find(f, i, address&^upperHalf)
			if !ok {
				return false
			}
			visit(part.first+i, m, int(address>>63))
		}
		return true
	})
}
