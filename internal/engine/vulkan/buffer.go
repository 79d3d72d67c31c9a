package vulkan

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
)

// buffer implements [engine.Buffer].
type buffer struct {
	d     *Device
	block *block
	size  int64
	life  engine.Life
}

func (b *buffer) order() int { return orderBuffer }
func (b *buffer) destroy()   { b.d.freeBlock(b.block) }

// Size is the number of bytes that were asked for.
func (b *buffer) Size() int64 { return b.size }

// Address is the device address, which is aligned to 256.
func (b *buffer) Address() uint64 { return b.block.address }

// Host is the bytes where the device uses the machine's own memory, else nil.
func (b *buffer) Host() []byte {
	if b.block.bytes == nil {
		return nil
	}
	return b.block.bytes[:b.size:b.size]
}

// Free gives the memory back, once what was queued until now has ended; freeing twice is an error.
func (b *buffer) Free() error {
	if !b.life.End() {
		return b.d.closedError("buffer")
	}
	return b.d.retire(b)
}

// Alloc makes zeroed memory, aligned to 256. A buffer of no bytes has an address all the same.
func (d *Device) Alloc(bytes int64) (engine.Buffer, error) {
	if bytes < 0 {
		return nil, fmt.Errorf("%s: cannot allocate %d bytes", d.Name(), bytes)
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	d.sweep()
	block, err := d.newMemory(uint64(max(bytes, 1)))
	if err != nil {
		return nil, d.allocError(bytes, err)
	}
	if block.bytes != nil {
		clear(block.bytes)
	} else if err := d.setup.zero(block); err != nil {
		d.later(&buffer{d: d, block: block}) // it may be being filled
		return nil, err
	}
	b := &buffer{d: d, block: block, size: bytes}
	d.track(b)
	return b, nil
}

// allocError says how much is there.
func (d *Device) allocError(bytes int64, err error) error {
	if c := vulkan.Code(err); c != vulkan.OutOfDeviceMemory && c != vulkan.OutOfHostMemory {
		return d.fault(err)
	}
	d.mu.Lock()
	var used uint64
	for _, n := range d.used {
		used += n
	}
	d.mu.Unlock()
	return fmt.Errorf("%s: cannot allocate %s (%s of %s are in use by this device): %w", d.Name(), sizeText(bytes), sizeText(int64(used)), sizeText(d.info.Memory()), err)
}

// span checks that n bytes from offset lie in a buffer of this device and keeps it alive until its life is done. It gives the
// place in the driver's buffer.
func (d *Device) span(b engine.Buffer, offset, n int64, what string) (*buffer, uint64, error) {
	own, ok := b.(*buffer)
	if !ok || own.d != d {
		return nil, 0, fmt.Errorf("%s: %s: the buffer belongs to another device", d.Name(), what)
	}
	if offset < 0 || n < 0 || offset > own.size || n > own.size-offset {
		return nil, 0, fmt.Errorf("%s: %s: %d bytes from offset %d do not lie in a buffer of %d bytes", d.Name(), what, n, offset, own.size)
	}
	if !own.life.Use() {
		return nil, 0, d.closedError("buffer")
	}
	return own, own.block.offset + uint64(offset), nil
}
