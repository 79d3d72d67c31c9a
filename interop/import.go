package interop

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/driver/shlib"
)

// mostAxes is the most axes of a tensor that is imported.
const mostAxes = 64

// Import makes a tensor of a DLManagedTensorVersioned (DLPack 1.0 and later) at an address, as in the capsule "dltensor_versioned" that the method
// __dlpack__(max_version=(1, 0)) of arrays in Python returns. The tensor takes it over: its deleter is called, in a goroutine of its own, when nothing
// uses the memory any more, after the tensor was closed. After an error it stays with the caller.
//
// The memory must be the device's: that of the CPU, or of the same GPU. What its owner has queued on it must have ended (in Python, pass the
// stream to __dlpack__, or synchronize). Memory that is marked as read-only makes writes of the tensor errors.
func Import(dev *cutile.Device, managed uintptr) (device.AnyTensor, error) {
	if err := check(dev, managed); err != nil {
		return nil, err
	}
	m := (*dlVersioned)(pointer(managed))
	if m.major != dlMajor {
		return nil, fmt.Errorf("interop: the tensor is of DLPack %d.%d, but %d.x was expected", m.major, m.minor, dlMajor)
	}
	return take(dev, &m.tensor, m.flags&dlReadOnly != 0, managed, m.deleter)
}

// ImportOld is [Import] for a DLManagedTensor, as in a capsule "dltensor": what libraries give that know DLPack before 1.0.
func ImportOld(dev *cutile.Device, managed uintptr) (device.AnyTensor, error) {
	if err := check(dev, managed); err != nil {
		return nil, err
	}
	m := (*dlManaged)(pointer(managed))
	return take(dev, &m.tensor, false, managed, m.deleter)
}

func check(dev *cutile.Device, managed uintptr) error {
	switch {
	case dev == nil:
		return errors.New("interop: the device is nil")
	case managed == 0:
		return errors.New("interop: the address of the DLPack tensor is 0")
	case managed%8 != 0:
		return fmt.Errorf("interop: the address of the DLPack tensor is %#x, which 8 does not divide: give that of the struct", managed)
	}
	return nil
}

// take makes a tensor of DLPack's.
func take(dev *cutile.Device, t *dlTensor, readOnly bool, managed, deleter uintptr) (device.AnyTensor, error) {
	f, err := describe(dev, t)
	if err != nil {
		return nil, fmt.Errorf("interop: DLPack tensor: %w", err)
	}
	f.ReadOnly = readOnly
	if deleter != 0 {
		f.Release = func() { shlib.Call(deleter, managed) }
	}
	return device.FromForeign(dev, f)
}

// describe says what memory a tensor of DLPack is.
func describe(dev *cutile.Device, t *dlTensor) (f device.Foreign, err error) {
	if err := t.device.on(dev); err != nil {
		return f, err
	}
	if f.Type, err = typeOf(t.dtype); err != nil {
		return f, err
	}
	if t.ndim < 0 || t.ndim > mostAxes || t.ndim > 0 && t.shape == nil {
		return f, fmt.Errorf("it has %d axes, of at most %d, and its shape is at %p", t.ndim, mostAxes, t.shape)
	}
	f.Shape = ints(t.shape, t.ndim)
	if t.strides != nil {
		f.Strides = ints(t.strides, t.ndim)
		for axis, n := range f.Shape {
			if n == 1 { // which may be anything
				f.Strides[axis] = max(0, f.Strides[axis])
			}
		}
	}
	if t.byteOffset > uint64(^t.data) {
		return f, fmt.Errorf("its data is at %#x and its byte_offset is %d, which is beyond the end of the address space", t.data, t.byteOffset)
	}
	f.Address = t.data + uintptr(t.byteOffset)
	return f, nil
}

// ints are numbers of C's memory.
func ints(p *int64, n int32) []int {
	out := []int{}
	for _, v := range slices.Clone(unsafe.Slice(p, n)) {
		out = append(out, int(v))
	}
	return out
}
