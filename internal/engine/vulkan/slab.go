package vulkan

import (
	"math/bits"
	"sync"
)

// Drivers allow a few thousand allocations at a time, which a model with many small tensors would exceed. Small buffers are
// therefore cells of slabs, each of which is one allocation.

const (
	leastCell = 8       // a cell of 256 bytes, which is also the alignment
	mostCell  = 16      // of 64 KiB
	slabBytes = 1 << 20 // 16 to 4096 cells
)

// slab is a block whose cells have one size.
type slab struct {
	block *block
	class int      // the logarithm of a cell's size
	free  []uint64 // offsets of cells that nobody has
}

func (s *slab) empty() bool { return len(s.free) == slabBytes>>s.class }

// slabs holds the slabs of a device, by their class.
type slabs struct {
	mu   sync.Mutex
	open [mostCell + 1][]*slab // those with a free cell
	full map[*slab]bool
}

// newMemory gives memory for a buffer, whose content is undefined: a cell, or a block of its own.
func (d *Device) newMemory(size uint64) (*block, error) {
	class := max(leastCell, bits.Len64(size-1))
	if class > mostCell {
		return d.newBlock(size, deviceMemory(&d.info.Device))
	}
	if cell := d.takeCell(class, size, nil); cell != nil {
		return cell, nil
	}
	b, err := d.newBlock(slabBytes, deviceMemory(&d.info.Device)) // which may give back cells: the slabs are not locked
	if err != nil {
		return nil, err
	}
	s := &slab{block: b, class: class}
	for at := uint64(slabBytes); at > 0; at -= 1 << class {
		s.free = append(s.free, at-1<<class)
	}
	return d.takeCell(class, size, s), nil
}

// takeCell gives a cell of a slab that has one, or of a new slab; nil where there is neither.
func (d *Device) takeCell(class int, size uint64, fresh *slab) *block {
	d.slabs.mu.Lock()
	defer d.slabs.mu.Unlock()
	list := d.slabs.open[class]
	if fresh != nil {
		list = append(list, fresh)
	}
	if len(list) == 0 {
		return nil
	}
	s := list[len(list)-1]
	at := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	if len(s.free) == 0 {
		list = list[:len(list)-1]
		d.slabs.full[s] = true
	}
	d.slabs.open[class] = list
	cell := &block{slab: s, buffer: s.block.buffer, offset: s.block.offset + at, address: s.block.address + at, size: size, heap: -1}
	if s.block.bytes != nil {
		cell.bytes = s.block.bytes[at:][:size:size]
	}
	return cell
}

// freeCell gives a cell back, and its slab where that is empty then and another one has room.
func (d *Device) freeCell(b *block) {
	d.slabs.mu.Lock()
	defer d.slabs.mu.Unlock()
	s, list := b.slab, &d.slabs.open[b.slab.class]
	if s.free = append(s.free, b.offset-s.block.offset); d.slabs.full[s] {
		delete(d.slabs.full, s)
		*list = append(*list, s)
	}
	if s.empty() && len(*list) > 1 {
		d.dropSlabs(s.class)
	}
}

// dropSlabs gives back the empty slabs of a class. The slabs are locked.
func (d *Device) dropSlabs(class int) {
	var kept []*slab
	for _, s := range d.slabs.open[class] {
		if s.empty() {
			d.freeBlock(s.block)
		} else {
			kept = append(kept, s)
		}
	}
	d.slabs.open[class] = kept
}

// trimSlabs gives back all slabs that are empty.
func (d *Device) trimSlabs() {
	d.slabs.mu.Lock()
	defer d.slabs.mu.Unlock()
	for class := range d.slabs.open {
		d.dropSlabs(class)
	}
}
