package device

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/cutile-go/cutile/dtype"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/device/strided"
)

// Foreign is memory as libraries of other languages know it: a C library's, another runtime's, or a tensor's that is handed to one.
type Foreign struct {
	// Address is that of the first element: on the CPU in the program's address space, on a GPU in the driver's.
	Address uintptr
	Type    dtype.Type
	Shape   []int
	// Strides are in elements, not negative; nil for row-major order. If they let two indices name one element, as a stride of 0 does, the tensor
	// cannot be written. Strides of three axes and more that interleave so that this is not found out in 65,536 steps count as such.
	Strides []int
	// ReadOnly makes every write of the tensor an error ([ErrFrozen]).
	ReadOnly bool
	// Release, where not nil, is called once, in a goroutine of its own, when nothing uses the memory any more: as soon as the tensor was closed,
	// its work has ended and no [LaunchGraph] keeps it; some time after the program dropped it; or when the device is closed. A program that
	// ends without any of that calls it never.
	Release func()
}

// FromForeign makes a tensor of memory that something else owns. Nothing is copied: kernels read and write the memory in place. The owner must
// keep it until Release is called, and what it has queued on the memory must have ended, as the device does not know of it; so must the tensor's
// work (Sync) before others use the memory again. After an error Release is not called: the memory stays with its owner.
//
// On the CPU the memory must not be Go's, for which there is [Wrap], and no part of it may belong to another open tensor. On CUDA it must be the
// device's own, or memory that the driver manages. Other devices return an error, and so do those that compare launches ([WithShadow]).
func FromForeign(dev *Device, f Foreign) (AnyTensor, error) {
	if dev == nil || dev.core == nil {
		return nil, errNilDevice
	}
	if typed[f.Type] == nil {
		return nil, fmt.Errorf("cutile: foreign memory: there are no tensors of %v", f.Type)
	}
	view, err := strided.Given(f.Shape, f.Strides)
	if err != nil {
		return nil, fmt.Errorf("cutile: foreign memory of %v: %w", f.Type, err)
	}
	size := f.Type.Size()
	if f.Address == 0 && view.Len() > 0 || f.Address%uintptr(size) != 0 {
		return nil, fmt.Errorf("cutile: foreign memory of %v: the address is %#x: give one that %d divides", f.Type, f.Address, size)
	}
	if view.Len() == 0 {
		return empty(dev, f, view)
	}
	bytes, err := f.bytes(view)
	if err != nil {
		return nil, fmt.Errorf("cutile: foreign memory of %v: %w", f.Type, err)
	}
	mem, err := dev.core.Borrow(f.Address, bytes, f.ReadOnly, f.Release)
	if err != nil {
		return nil, dev.named(err)
	}
	return typed[f.Type](dev, core.Tensor{Memory: mem, View: view, Elem: f.Type}), nil
}

// bytes is how much memory the elements of a view span from the address on.
func (f Foreign) bytes(view strided.View) (int64, error) {
	_, last := view.Range()
	high, bytes := bits.Mul64(uint64(last), uint64(f.Type.Size()))
	if most := uint64(^f.Address); high > 0 || bytes > min(most, math.MaxInt) {
		return 0, fmt.Errorf("shape %v with strides %v spans %d elements of %d bytes from the address %#x, which is beyond the end of the address space: "+
			"give the address of the first element", f.Shape, view.Strides, last, f.Type.Size(), f.Address)
	}
	return int64(bytes), nil
}

// empty makes a tensor without elements, which uses none of the owner's memory.
func empty(dev *Device, f Foreign, view strided.View) (AnyTensor, error) {
	mem, err := dev.core.Alloc(0)
	if err != nil {
		return nil, dev.named(err)
	}
	if f.Release != nil {
		go f.Release()
	}
	return typed[f.Type](dev, core.Tensor{Memory: mem, View: view, Elem: f.Type}), nil
}

// Share waits for the work that is queued on a tensor and says where its elements lie, for libraries of other languages. They may use the
// memory until the tensor is closed, and must have ended, or be waited for, before the tensor is used again. Release is nil. A tensor that
// was frozen is ReadOnly. Devices whose memory other libraries do not know return an error, and so do those that compare launches ([WithShadow]).
func Share(ctx context.Context, t AnyTensor) (Foreign, error) {
	if err := CheckContext(ctx); err != nil {
		return Foreign{}, err
	}
	if t == nil {
		return Foreign{}, errNilTensor
	}
	if err := t.usableAny(); err != nil {
		return Foreign{}, err
	}
	arg := t.Untyped()
	at, err := arg.Memory.Foreign()
	if err != nil {
		return Foreign{}, t.Device().named(err)
	}
	readOnly := arg.Memory.Frozen()
	if err := arg.Memory.Await(ctx, !readOnly); err != nil {
		return Foreign{}, named("tensor on "+t.Device().Name(), t.Device(), err)
	}
	return Foreign{Address: at + uintptr(arg.View.Offset*arg.Elem.Size()), Type: arg.Elem, Shape: t.Shape(), Strides: t.Strides(), ReadOnly: readOnly}, nil
}
