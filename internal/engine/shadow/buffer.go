package shadow

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/engine"
)

// buffer implements [engine.ShadowedBuffer].
type buffer struct {
	engine.Buffer
	d *device
}

// Real implements [engine.ShadowedBuffer].
func (b *buffer) Real() engine.Buffer { return b.Buffer }

// Fix implements [engine.Fixer].
func (b *buffer) Fix() {
	if f, ok := b.Buffer.(engine.Fixer); ok {
		f.Fix()
	}
}

// Free implements [engine.Buffer].
func (b *buffer) Free() error {
	b.d.mu.Lock()
	b.d.buffers = slices.DeleteFunc(b.d.buffers, func(o *buffer) bool { return o == b })
	b.d.mu.Unlock()
	return b.Buffer.Free()
}

// Alloc implements [engine.Device].
func (d *device) Alloc(bytes int64) (engine.Buffer, error) {
	b, err := d.real.Alloc(bytes)
	return d.note(b, err)
}

// note lets launches find a buffer.
func (d *device) note(real engine.Buffer, err error) (engine.Buffer, error) {
	if err != nil {
		return nil, err
	}
	b := &buffer{real, d}
	d.mu.Lock()
	defer d.mu.Unlock()
	i, _ := d.search(b.Address())
	d.buffers = slices.Insert(d.buffers, i, b)
	return b, nil
}

func (d *device) search(address uint64) (int, bool) {
	return slices.BinarySearchFunc(d.buffers, address, func(b *buffer, a uint64) int { return cmp.Compare(b.Address(), a) })
}

// at gives the buffer that an address lies in, or ends; nil for none.
func (d *device) at(address uint64) *buffer {
	d.mu.Lock()
	defer d.mu.Unlock()
	i, found := d.search(address)
	if !found {
		i--
	}
	if i >= 0 && address-d.buffers[i].Address() <= uint64(d.buffers[i].Size()) {
		return d.buffers[i]
	}
	return nil
}

// hostBuffer is memory of the host, which launches cannot use. It implements [engine.Buffer].
type hostBuffer struct {
	engine.Buffer
	d *device
}

// AllocHost implements [engine.Pinning].
func (d *device) AllocHost(bytes int64) (engine.Buffer, error) {
	p, ok := d.real.(engine.Pinning)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	b, err := p.AllocHost(bytes)
	if err != nil {
		return nil, err
	}
	return &hostBuffer{b, d}, nil
}

// UnusedHost implements [engine.Pinning].
func (d *device) UnusedHost() int64 {
	if p, ok := d.real.(engine.Pinning); ok {
		return p.UnusedHost()
	}
	return 0
}

// own gives the buffer behind one of this device.
func (d *device) own(b engine.Buffer) (engine.Buffer, error) {
	if own, ok := b.(*buffer); ok && own.d == d {
		return own.Buffer, nil
	}
	if host, ok := b.(*hostBuffer); ok && host.d == d {
		return host.Buffer, nil
	}
	return nil, fmt.Errorf("%s: the buffer belongs to another device", d.Name())
}
