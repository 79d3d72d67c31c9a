package vulkan

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
)

// alignment is that of what Alloc gives.
const alignment = 256

// block is a buffer of the driver with memory of its own.
type block struct {
	buffer  vulkan.Buffer
	memory  vulkan.Memory
	heap    int
	taken   uint64 // bytes of the heap
	offset  uint64 // in the buffer: the first byte whose address is aligned
	address uint64 // of that byte
	size    uint64
	bytes   []byte // the program's view of it; nil for none
	slab    *slab  // of which it is a cell; nil for none
}

// word is a word that kernels see, too.
func (b *block) word(i int) *uint32 { return (*uint32)(unsafe.Pointer(&b.bytes[4*i])) }

// newBlock allocates. wants is what the memory is to have, the best first. Where the driver has no room it is asked again
// after what is kept for later was given back.
func (d *Device) newBlock(size uint64, wants []uint32) (*block, error) {
	b, err := d.tryBlock(size, wants)
	switch vulkan.Code(err) {
	case vulkan.OutOfDeviceMemory, vulkan.OutOfHostMemory, vulkan.TooManyObjects:
		d.sweep()
		d.host.drop(d)
		d.trimSlabs()
		b, err = d.tryBlock(size, wants)
	}
	return b, err
}

func (d *Device) tryBlock(size uint64, wants []uint32) (_ *block, err error) {
	b := &block{heap: -1, size: size}
	defer func() {
		if err != nil {
			d.freeBlock(b)
		}
	}()
	whole := (size+alignment-1)&^(alignment-1) + alignment // there is an aligned byte in the first 256
	if b.buffer, err = d.drv.CreateBuffer(whole); err != nil {
		return nil, err
	}
	need, _, types := d.drv.BufferRequirements(b.buffer)
	kind := findMemory(&d.info.Device, types, wants)
	if kind == nil {
		return nil, fmt.Errorf("%s: none of the types of memory %b that a buffer may have is what the engine needs; update the driver", d.Name(), types)
	}
	if err := d.take(b, kind.Heap, need); err != nil {
		return nil, err
	}
	if b.memory, err = d.drv.AllocateMemory(need, kind.Index); err != nil {
		return nil, err
	}
	if err = d.drv.BindBuffer(b.buffer, b.memory, 0); err != nil {
		return nil, err
	}
	first := d.drv.BufferAddress(b.buffer)
	b.offset = -first & (alignment - 1)
	b.address = first + b.offset
	if seen(kind.Flags, wants) {
		p, err := d.drv.Map(b.memory)
		if err != nil {
			return nil, err
		}
		b.bytes = unsafe.Slice((*byte)(p), whole)[b.offset:][:size:size]
	}
	return b, nil
}

// seen reports whether the program is to see memory of some properties: where all that was wanted has it seen, or where it
// is cached, so that reading is fast.
func seen(flags uint32, wants []uint32) bool {
	const least = vulkan.HostVisible | vulkan.HostCoherent
	if flags&least != least {
		return false
	}
	always := !slices.ContainsFunc(wants, func(w uint32) bool { return w&least != least })
	return always || flags&mapped == mapped && slices.ContainsFunc(wants, func(w uint32) bool { return w&mapped == mapped })
}

// take notes what a block takes of a heap. Some drivers give more than there is, and the program dies when it uses it.
func (d *Device) take(b *block, heap int, bytes uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if total := d.info.Device.Heaps[heap].Size; bytes > total || d.used[heap] > total-bytes {
		return &vulkan.Error{Call: "vkAllocateMemory", Code: vulkan.OutOfDeviceMemory, Text: "the heap has " + sizeText(int64(min(total, 1<<62)))}
	}
	d.used[heap] += bytes
	b.heap, b.taken = heap, bytes
	return nil
}

// freeBlock gives a block back, or what there is of it.
func (d *Device) freeBlock(b *block) {
	if b.slab != nil {
		d.freeCell(b)
		return
	}
	d.drv.DestroyBuffer(b.buffer)
	d.drv.FreeMemory(b.memory)
	if b.heap >= 0 {
		d.mu.Lock()
		d.used[b.heap] -= b.taken
		d.mu.Unlock()
	}
}

// hostPool keeps blocks that the program sees, for copies and arguments, by the logarithm of their size.
type hostPool struct {
	mu   sync.Mutex
	free [64][]*block
	kept uint64 // bytes
}

const (
	leastHost = 12       // a block of 4 KiB
	mostKept  = 64 << 20 // bytes
)

// get gives a block of n bytes or more, whose content is undefined.
func (p *hostPool) get(d *Device, n uint64) (*block, error) {
	class := max(leastHost, bits.Len64(max(n, 1)-1))
	p.mu.Lock()
	if list := p.free[class]; len(list) > 0 {
		b := list[len(list)-1]
		p.free[class] = list[:len(list)-1]
		p.kept -= b.size
		p.mu.Unlock()
		return b, nil
	}
	p.mu.Unlock()
	return d.newBlock(1<<class, hostMemory)
}

// put takes a block back that nothing uses any more.
func (p *hostPool) put(d *Device, b *block) {
	p.mu.Lock()
	if p.kept+b.size <= mostKept {
		class := bits.Len64(b.size - 1)
		p.free[class] = append(p.free[class], b)
		p.kept += b.size
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	d.freeBlock(b)
}

// drop gives all back.
func (p *hostPool) drop(d *Device) {
	p.mu.Lock()
	lists := p.free
	p.free, p.kept = [64][]*block{}, 0
	p.mu.Unlock()
	for _, list := range lists {
		for _, b := range list {
			d.freeBlock(b)
		}
	}
}
