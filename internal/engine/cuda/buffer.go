package cuda

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
)

// buffer implements [engine.Buffer].
type buffer struct {
	d    *Device
	p    cudrv.DevicePtr
	size int64
	life engine.Life

	borrowed bool // somebody else frees it
}

func (b *buffer) order() int { return orderBuffer }
func (b *buffer) destroy() error {
	if b.borrowed {
		return nil
	}
	return b.d.give(b.p)
}

// Borrow implements [engine.Borrower].
func (d *Device) Borrow(address uintptr, bytes int64) (engine.Buffer, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	p := cudrv.DevicePtr(address)
	at, err := d.drv.PointerGetDevice(p)
	switch code := cudrv.Code(err); {
	case code == cudrv.InvalidValue:
		return nil, fmt.Errorf("%s: the driver knows no memory at %#x: give an address that came from it", d.Name(), address)
	case err == nil && at != d.info.Ordinal:
		return nil, fmt.Errorf("%s: the memory at %#x is of cuda:%d: open that device for it", d.Name(), address, at)
	case err != nil && code != cudrv.NotFound: // an old driver cannot tell
		return nil, d.fault(err)
	}
	b := &buffer{d: d, p: p, size: bytes, borrowed: true}
	d.track(b)
	return b, nil
}

// Foreign implements [engine.Shared].
func (b *buffer) Foreign() uintptr { return uintptr(b.p) }

// Size is the number of bytes that were asked for.
func (b *buffer) Size() int64 { return b.size }

// Address is the device address.
func (b *buffer) Address() uint64 { return uint64(b.p) }

// Host is nil: a program cannot access a GPU's memory directly.
func (b *buffer) Host() []byte { return nil }

// Free gives the memory back; freeing twice is an error.
func (b *buffer) Free() error {
	if !b.life.End() {
		return b.d.closedError("buffer")
	}
	return b.d.drop(b)
}

// span checks that n bytes from offset lie in a buffer of this device and keeps it alive until its life is done.
func (d *Device) span(b engine.Buffer, offset, n int64, what string) (*buffer, cudrv.DevicePtr, error) {
	own, ok := b.(*buffer)
	if !ok || own.d != d {
		return nil, 0, fmt.Errorf("%s: %s: the buffer belongs to another device", d.Name(), what)
	}
	if offset < 0 || n < 0 || offset > own.size || n > own.size-offset {
		return nil, 0, fmt.Errorf("%s: %s: %d bytes from offset %d do not lie in a buffer of %d bytes", d.Name(), what, n, offset, own.size)
	}
	if err := use(&own.life, d, "buffer"); err != nil {
		return nil, 0, err
	}
	return own, own.p + cudrv.DevicePtr(offset), nil
}
