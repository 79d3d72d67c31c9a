package cpu

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/native/gemm"
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/tileir"
)

// An address is a buffer's number in the upper bits, and below it the byte offset plus a bias, so that an address
// before or behind a buffer still names that buffer and an access through it is caught. Buffers have less than [lane.FarBytes], so that
// this holds for every offset from an address in one.
const (
	offsetBits  = 40
	offsetBias  = 1 << (offsetBits - 1)
	maxBuffers  = 1 << 22 // numbers in use before freed ones are taken again
	bufferAlign = 256     // of a buffer's first byte, in bytes
)

// Buffer is memory of the device. It implements engine.Buffer.
type Buffer struct {
	data  ptr // 256-byte aligned, unless asked for otherwise
	size  int64
	base  uint64 // the address of the first byte
	keep  []byte
	raw   []byte // all of the memory, for a later buffer
	owner *Device

	of     *Buffer        // of an alias: the buffer that it is a part of,
	from   int64          // from this byte on,
	tensor *engine.Tensor // and what it is
	name   string         // of a global
	local  bool           // memory of one block

	wrapped bool // the memory is the program's: see [Device.Wrap]

	packed atomic.Pointer[gemm.Cache] // factors of products in it, which does not change; nil for other buffers
}

// packedBytes limits the memory of a device for the packed factors in buffers that do not change.
const packedBytes = 1 << 30

// Fix implements engine.Fixer: factors of products in the buffer are packed once, and not by each launch.
func (b *Buffer) Fix() {
	if b.wrapped || b.packed.Load() != nil {
		return
	}
	most := 2 * b.size // a packed factor has a little more than the factor, and there may be two
	if b.owner.packed.Add(most) > packedBytes {
		b.owner.packed.Add(-most)
		return
	}
	b.packed.Store(gemm.NewLasting(int(most)))
}

// Size implements engine.Buffer.
func (b *Buffer) Size() int64 { return b.size }

// Address implements engine.Buffer. The address means something only to kernels of this device.
func (b *Buffer) Address() uint64 { return b.base }

// Host implements engine.Buffer: the memory is ordinary memory of the program.
func (b *Buffer) Host() []byte { return b.keep[:b.size:b.size] }

// Free implements engine.Buffer. Kernels that use the buffer afterwards fault.
func (b *Buffer) Free() error {
	if !b.owner.table.remove(b) {
		return fmt.Errorf("cpu: the buffer of %d bytes was freed before", b.size)
	}
	if b.wrapped {
		wrapped.remove(uintptr(b.data))
	}
	if b.packed.Swap(nil) != nil {
		b.owner.packed.Add(-2 * b.size)
	}
	spareMemory(b.raw)
	return nil
}

// bufferTable finds buffers by number without locks. Numbers are taken in order, so that those of freed buffers stay
// unused for long.
type bufferTable struct {
	mu     sync.Mutex
	next   uint64
	freed  []uint64
	spare  []uint64 // numbers of aliases that are gone
	chunks [maxBuffers / chunkLen]atomic.Pointer[[chunkLen]atomic.Pointer[Buffer]]
}

const chunkLen = 4096

// find gives the buffer that an address belongs to; nil for null and for freed ones.
func (t *bufferTable) find(address uint64) *Buffer {
	id := address >> offsetBits
	if id >= maxBuffers {
		return nil
	}
	c := t.chunks[id/chunkLen].Load()
	if c == nil {
		return nil
	}
	return c[id%chunkLen].Load()
}

// add makes a buffer of zeroed memory whose first byte lies skew bytes behind a multiple of 256.
func (t *bufferTable) add(owner *Device, size int64, skew uint8) (*Buffer, error) {
	if size < 0 || size >= lane.FarBytes {
		return nil, fmt.Errorf("cpu: a buffer has between 0 and 2^%d bytes, not %d", offsetBits-2, size)
	}
	raw, err := spareBytes(size + 2*bufferAlign + int64(skew))
	if err != nil {
		return nil, err
	}
	skip := -uintptr(unsafe.Pointer(&raw[0]))&(bufferAlign-1) + uintptr(skew)
	b := &Buffer{keep: raw[skip:], raw: raw, size: size, owner: owner}
	b.data = ptr(&b.keep[0])
	t.mu.Lock()
	defer t.mu.Unlock()
	id, err := t.number()
	if err != nil {
		return nil, err
	}
	b.base = id<<offsetBits + offsetBias + uint64(skew)
	t.put(id, b)
	return b, nil
}

// number gives a number that nobody uses, under the lock.
func (t *bufferTable) number() (uint64, error) {
	switch id := t.next + 1; {
	case len(t.spare) > 0:
		id, t.spare = t.spare[len(t.spare)-1], t.spare[:len(t.spare)-1]
		return id, nil
	case id < maxBuffers:
		t.next = id
		return id, nil
	case len(t.freed) > 0:
		id, t.freed = t.freed[0], t.freed[1:]
		return id, nil
	}
	return 0, fmt.Errorf("cpu: there are %d buffers already; free some", maxBuffers-1)
}

// put makes a buffer the one with a number, under the lock.
func (t *bufferTable) put(id uint64, b *Buffer) {
	slot := &t.chunks[id/chunkLen]
	if slot.Load() == nil {
		slot.Store(new([chunkLen]atomic.Pointer[Buffer]))
	}
	slot.Load()[id%chunkLen].Store(b)
}

// probeFrom is the size from which on memory is asked for with care.
const probeFrom = 64 << 20

// Room is an error for memory that the machine cannot have: Go ends a program that asks for it.
func Room(bytes int64) error {
	if bytes < 0 || bytes > 1<<46 {
		return fmt.Errorf("no machine has %d bytes", uint64(bytes))
	}
	if bytes < probeFrom {
		return nil
	}
	return probe(bytes)
}

// makeBytes is make, with an error for a size that the machine cannot have.
func makeBytes(n int64) ([]byte, error) {
	if n >= probeFrom {
		if err := probe(n); err != nil {
			return nil, fmt.Errorf("cpu: cannot allocate %d bytes: %w", n, err)
		}
	}
	return make([]byte, n), nil
}

// remove forgets a buffer and reports whether it was there.
func (t *bufferTable) remove(b *Buffer) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := b.base >> offsetBits
	c := t.chunks[id/chunkLen].Load()
	if c == nil || c[id%chunkLen].Load() != b {
		return false
	}
	c[id%chunkLen].Store(nil)
	t.freed = append(t.freed, id)
	return true
}

// bufferCache remembers the buffer of the last access.
type bufferCache struct {
	id  uint64
	buf *Buffer
}

// allocation is the buffer that an address belongs to, which may have to be made; nil for none.
func (f *frame) allocation(address uint64) *Buffer {
	b := f.buffer(address)
	if d := f.kernel.device; b == nil && d.missing != nil {
		if b = d.missing(address); b != nil {
			f.cache = bufferCache{address >> offsetBits, b}
		}
	}
	return b
}

// resolve gives the memory of bytes from an address on, and a text where that is not inside one buffer. unit is the size
// of an element, 0 where elements share a byte.
func (f *frame) resolve(address uint64, bytes, unit int64) (ptr, string) {
	b := f.allocation(address)
	if b == nil {
		return nil, badAddress(address)
	}
	off := int64(address) - int64(b.base)
	if off < 0 || bytes > b.size || off > b.size-bytes {
		return nil, beyond(off, bytes, b.size, unit)
	}
	return unsafe.Add(b.data, off), ""
}

// beyond says which elements of an allocation were meant, or which bytes, where these are no whole elements.
func beyond(off, bytes, size, unit int64) string {
	switch {
	case unit == 0 || off%unit != 0 || size%unit != 0:
		return fmt.Sprintf("bytes %d to %d of an allocation of %d bytes", off, off+bytes-1, size)
	case bytes == unit:
		return fmt.Sprintf("offset %d of %d elements", off/unit, size/unit)
	}
	return fmt.Sprintf("offsets %d to %d of %d elements", off/unit, (off+bytes)/unit-1, size/unit)
}

// badAddress says why an address belongs to no buffer.
func badAddress(address uint64) string {
	switch {
	case address < 1<<offsetBits:
		return fmt.Sprintf("address %#x, a null pointer", address)
	case address-(lane.Nowhere-lane.FarBytes) <= 2*lane.FarBytes:
		return fmt.Sprintf("an offset of more than %d bytes", int64(lane.FarBytes))
	}
	return fmt.Sprintf("address %#x, which is in no allocation; it may have been freed", address)
}

// outside is the text of a fault.
func outside(what string, e tileir.Elem, where string) string {
	return fmt.Sprintf("%s of %s outside memory: %s", what, e, where)
}
