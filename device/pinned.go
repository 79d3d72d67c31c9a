package device

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"

	"github.com/cutile-go/cutile/dtype"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine/cpu"
)

// Pinned is memory of the host that the system does not move (page-locked memory), so that a GPU copies between it and tensors by itself. Copies
// are queued on a stream: they need no second copy in the program, and run beside kernels of other streams. Its elements are reached by
// [Pinned.Use], which waits for the copies:
//
//	err := batch.Use(ctx, func(data []float32) error { return fill(data) })
//	err = batch.CopyTo(ctx, stream, x)
//
// Like a tensor, it must not be used by several goroutines at the same time. Such memory is scarce: it is not for data that are copied once.
//
// On the CPU engine it is ordinary memory, with the same order of copies. Where a device has no pinned memory (Vulkan), it is ordinary memory, too:
// CopyTo reads it before it returns, CopyFrom waits for the copy, and neither can be captured.
type Pinned[E dtype.Elem] struct {
	dev *Device
	mem *core.Pinned
	n   int
}

// NewPinned makes pinned memory for n elements, which are zero. [Limits.Pinned] bounds it, and [Stats] counts it. Memory that is closed is kept
// for later, up to 256 MiB for a device, until [Device.Trim].
func NewPinned[E dtype.Elem](dev *Device, n int) (*Pinned[E], error) {
	if dev == nil || dev.core == nil {
		return nil, errNilDevice
	}
	high, bytes := bits.Mul64(uint64(n), uint64(dtype.Of[E]().Size()))
	switch {
	case n < 0:
		return nil, fmt.Errorf("cutile: pinned memory of %d elements: give 0 or more", n)
	case high > 0 || bytes > math.MaxInt64:
		return nil, fmt.Errorf("cutile: pinned memory of %d elements of %v: no machine has so much", n, dtype.Of[E]())
	}
	if err := cpu.Room(int64(bytes)); err != nil {
		return nil, fmt.Errorf("cutile: pinned memory of %d elements of %v: %w", n, dtype.Of[E](), err)
	}
	mem, err := dev.core.AllocPinned(int64(bytes))
	if err != nil {
		return nil, dev.named(err)
	}
	return &Pinned[E]{dev: dev, mem: mem, n: n}, nil
}

// Len returns the number of elements.
func (p *Pinned[E]) Len() int {
	if p == nil {
		return 0
	}
	return p.n
}

// Device returns the device that copies by itself; nil for a nil Pinned.
func (p *Pinned[E]) Device() *Device {
	if p == nil {
		return nil
	}
	return p.dev
}

// Use waits for the copies that are queued and calls f with the elements, which f may read and write until it returns; it must not keep the slice.
// Later work of the streams is not waited for. If work failed whose results were copied to the memory, Use returns that error and does not call f. The
// error of f is returned as it is. Meanwhile other uses of the memory, also by graphs, are errors. f must not close the device, whose Close waits for f.
func (p *Pinned[E]) Use(ctx context.Context, f func(data []E) error) error {
	if err := errors.Join(p.usable(), CheckContext(ctx)); err != nil {
		return err
	}
	if f == nil {
		return p.named(errors.New("the function is nil"))
	}
	defer runtime.KeepAlive(p) // f may be the last that knows of the memory
	var own error
	err := p.mem.Use(ctx, func(b []byte) error {
		own = f(elemsOf[E](b)[:p.n:p.n])
		return nil
	})
	if own != nil {
		return own
	}
	return p.named(err)
}

// CopyTo queues a copy of the elements to a tensor of the device, in row-major order, after the work that is queued on both. The tensor must be
// contiguous and have as many elements. The copy becomes part of what the stream captures, if it does; a replay copies the elements that are there
// then. ctx ends no copy that is queued.
func (p *Pinned[E]) CopyTo(ctx context.Context, on *Stream, to *Tensor[E]) error {
	return p.copy(ctx, on, to, false)
}

// CopyFrom is [Pinned.CopyTo] in the other direction: it queues a copy of a tensor's elements.
func (p *Pinned[E]) CopyFrom(ctx context.Context, on *Stream, from *Tensor[E]) error {
	return p.copy(ctx, on, from, true)
}

func (p *Pinned[E]) copy(ctx context.Context, on *Stream, t *Tensor[E], out bool) error {
	if err := errors.Join(p.usable(), on.waits(ctx), t.usable()); err != nil {
		return err
	}
	switch {
	case on.dev != p.dev:
		return p.named(fmt.Errorf("the stream belongs to another device%s", p.dev.core.Apart(on.dev.core)))
	case t.dev != p.dev:
		return p.named(fmt.Errorf("the tensor belongs to another device%s", p.dev.core.Apart(t.dev.core)))
	case t.Len() != p.n:
		return p.named(fmt.Errorf("it has %d elements, but the tensor has %d", p.n, t.Len()))
	case p.n == 0:
		return nil
	case !t.IsContiguous():
		return p.named(fmt.Errorf("the tensor of shape %v and strides %v is not contiguous: copy it first, by Contiguous or Copy", t.Shape(), t.Strides()))
	}
	size := int64(dtype.Of[E]().Size())
	defer runtime.KeepAlive(on)
	return p.named(p.mem.Copy(ctx, on.core, t.arg.Memory, int64(t.arg.View.Offset)*size, int64(p.n)*size, out))
}

// Close gives the memory back when the copies that are queued have ended, and when no graph keeps it; it does not wait for that. Memory that is
// no longer reachable is closed some time later. Closing it while the function of [Pinned.Use] runs is an error.
func (p *Pinned[E]) Close() error {
	if p == nil || p.mem == nil {
		return errNilPinned
	}
	return p.named(p.mem.Close())
}

// String returns text such as "Pinned[float32] of 1024 elements for cuda:0".
func (p *Pinned[E]) String() string {
	if p == nil || p.mem == nil {
		return fmt.Sprintf("uninitialized Pinned[%v]", dtype.Of[E]())
	}
	return fmt.Sprintf("Pinned[%v] of %d elements for %s", dtype.Of[E](), p.n, p.dev.Name())
}

var errNilPinned = errors.New("cutile: the pinned memory is nil: use the one that NewPinned returns")

func (p *Pinned[E]) usable() error {
	if p == nil || p.mem == nil {
		return errNilPinned
	}
	return nil
}

func (p *Pinned[E]) named(err error) error {
	if err == nil {
		return nil
	}
	return named(p.String(), p.dev, err)
}
