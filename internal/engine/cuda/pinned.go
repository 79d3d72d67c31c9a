package cuda

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
)

var _ engine.Pinning = (*Device)(nil)

// Getting pinned memory takes the driver longer than a copy of it, and giving it back waits for all work of the GPU: what is freed is kept for
// later buffers.
const (
	mostKept   = 256 << 20 // bytes of a device
	leastBlock = 4 << 10
	blockStep  = 1 << 20
)

// hostPool is the pinned memory of a device that is kept.
type hostPool struct {
	mu    sync.Mutex
	idle  [][]byte
	bytes int64
}

// blockSize is how much is asked for, for a buffer of n bytes: few sizes, so that later buffers fit.
func blockSize(n int64) int64 {
	size := int64(leastBlock)
	for size < n && size < blockStep {
		size *= 2
	}
	if n > size {
		size = (n + blockStep - 1) / blockStep * blockStep
	}
	return size
}

// take gives the smallest block for n bytes that does not waste more than it needs; nil for none.
func (p *hostPool) take(n int64) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := -1
	for i, b := range p.idle {
		if int64(len(b)) >= n && int64(len(b)) <= 2*blockSize(n) && (best < 0 || len(b) < len(p.idle[best])) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	b := p.idle[best]
	p.idle = append(p.idle[:best], p.idle[best+1:]...)
	p.bytes -= int64(len(b))
	return b
}

// give keeps a block, or frees it. No copy uses it.
func (p *hostPool) give(drv cudrv.Driver, b []byte) error {
	p.mu.Lock()
	keep := p.bytes+int64(len(b)) <= mostKept
	if keep {
		p.idle, p.bytes = append(p.idle, b), p.bytes+int64(len(b))
	}
	p.mu.Unlock()
	if keep {
		return nil
	}
	return drv.MemFreeHost(b)
}

// free frees what is kept.
func (p *hostPool) free(drv cudrv.Driver) error {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.bytes = nil, 0
	p.mu.Unlock()
	var errs []error
	for _, b := range idle {
		errs = append(errs, drv.MemFreeHost(b))
	}
	return errors.Join(errs...)
}

// hostBuffer is pinned memory. It implements [engine.Buffer].
type hostBuffer struct {
	d     *Device
	block []byte
	size  int64
	life  engine.Life
}

func (b *hostBuffer) order() int     { return orderBuffer }
func (b *hostBuffer) destroy() error { return b.d.host.give(b.d.drv, b.block) }

// AllocHost implements [engine.Pinning].
func (d *Device) AllocHost(bytes int64) (engine.Buffer, error) {
	if bytes < 0 {
		return nil, fmt.Errorf("%s: cannot allocate %d bytes", d.Name(), bytes)
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	block := d.host.take(bytes)
	if block == nil {
		var err error
		if block, err = d.newBlock(blockSize(bytes)); err != nil {
			return nil, err
		}
	}
	clear(block)
	b := &hostBuffer{d: d, block: block, size: bytes}
	d.track(b)
	return b, nil
}

// newBlock gets pinned memory from the driver. If there is none, what is kept is given back first.
func (d *Device) newBlock(n int64) ([]byte, error) {
	b, err := d.drv.MemHostAlloc(int(n))
	if cudrv.Code(err) == cudrv.OutOfMemory {
		if err = d.host.free(d.drv); err == nil {
			b, err = d.drv.MemHostAlloc(int(n))
		}
	}
	switch cudrv.Code(err) {
	case cudrv.OutOfMemory:
		return nil, fmt.Errorf("%s: cannot lock %s of the host's memory: %w", d.Name(), size(n), err)
	case cudrv.NotFound:
		return nil, fmt.Errorf("%s: the driver has no pinned memory: %w", d.Name(), errors.ErrUnsupported)
	}
	return b, d.fault(err)
}

// UnusedHost implements [engine.Pinning].
func (d *Device) UnusedHost() int64 {
	d.host.mu.Lock()
	defer d.host.mu.Unlock()
	return d.host.bytes
}

// Size is the number of bytes that were asked for.
func (b *hostBuffer) Size() int64 { return b.size }

// Address is 0: kernels do not use the memory.
func (b *hostBuffer) Address() uint64 { return 0 }

// Host gives the bytes.
func (b *hostBuffer) Host() []byte { return b.block[:b.size:b.size] }

// Free gives the memory back to the pool.
func (b *hostBuffer) Free() error {
	if !b.life.End() {
		return b.d.closedError("buffer")
	}
	return b.d.drop(b)
}

// copyPinned queues a copy between pinned memory and a buffer of the device.
func (s *Stream) copyPinned(h *hostBuffer, hostOffset int64, other engine.Buffer, offset, bytes int64, toHost bool) error {
	if h.d != s.d {
		return fmt.Errorf("%s: copy: the pinned memory belongs to another device", s.d.Name())
	}
	if hostOffset < 0 || bytes < 0 || hostOffset > h.size || bytes > h.size-hostOffset {
		return fmt.Errorf("%s: copy: %d bytes from offset %d do not lie in pinned memory of %d bytes", s.d.Name(), bytes, hostOffset, h.size)
	}
	if err := use(&h.life, s.d, "buffer"); err != nil {
		return err
	}
	defer h.life.Done()
	b, p, err := s.d.span(other, offset, bytes, "copy")
	if err != nil {
		return err
	}
	defer b.life.Done()
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	part := h.Host()[hostOffset : hostOffset+bytes]
	switch {
	case bytes == 0:
		return nil
	case toHost:
		return s.d.fault(s.d.drv.MemcpyDtoHAsync(part, p, s.h))
	}
	return s.d.fault(s.d.drv.MemcpyHtoDAsync(p, part, s.h))
}
