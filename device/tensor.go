package device

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/device/strided"
)

// Tensor is an array of any rank on a device, or a view of another tensor's memory: Shape and Strides tell where the elements
// lie. A tensor's shape is fixed; its elements are mutable. Like a slice, a tensor must not be used by several goroutines at
// the same time; different tensors may be.
//
// A method that cannot make its view, such as Narrow beyond the end, returns a Tensor whose [Tensor.Err] is set; every use of
// it returns that error, so that calls of view methods can be chained.
type Tensor[E dtype.Elem] struct {
	dev *Device
	arg core.Tensor
}

// TensorOf is the argument type of typed launches: a Tensor, or a type of your own that stands for one. [Launch] also takes
// such types.
type TensorOf[E dtype.Elem] interface {
	Tensor() *Tensor[E]
}

// NewTensor makes a tensor of zeros. Without a shape the tensor has rank 0 and holds one element.
func NewTensor[E dtype.Elem](dev *Device, shape ...int) (*Tensor[E], error) {
	view, err := strided.RowMajor(shape)
	if err != nil {
		return nil, fmt.Errorf("cutile: tensor of %v: %w", dtype.Of[E](), err)
	}
	if dev == nil || dev.core == nil {
		return nil, fmt.Errorf("cutile: tensor of %v: the device is nil", dtype.Of[E]())
	}
	mem, err := dev.core.Alloc(int64(view.Len() * dtype.Of[E]().Size()))
	if err != nil {
		return nil, dev.named(err)
	}
	return &Tensor[E]{dev: dev, arg: core.Tensor{Memory: mem, View: view, Elem: dtype.Of[E]()}}, nil
}

// FromSlice makes a tensor of the given shape with the elements of data in row-major order. Without a shape the tensor
// has rank 1 and the length of data. data is copied.
func FromSlice[E dtype.Elem](dev *Device, data []E, shape ...int) (*Tensor[E], error) {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	t, err := NewTensor[E](dev, shape...)
	if err != nil {
		return nil, err
	}
	if t.Len() != len(data) {
		t.Close()
		return nil, fmt.Errorf("cutile: shape %v has %d elements, but the slice has %d", shape, t.Len(), len(data))
	}
	if err := t.write(context.Background(), data); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Wrap makes a tensor of the given shape of the elements of data themselves, in row-major order, for a device whose memory is the
// program's: the CPU engine. Nothing is copied: kernels read and write data in place. Without a shape the tensor has rank 1 and
// the length of data. Other devices return an error.
//
// From a launch or transfer that uses the tensor until a call has waited for that work, such as [Stream.Sync], [Tensor.Read] or
// [Device.Sync], the program must not write data, nor read it if the work writes it. The tensor keeps data reachable. Its memory
// cannot be wrapped a second time, in whole or in part, before [Tensor.Close]: work on two tensors could not be ordered otherwise.
// The elements stay valid after Close. Any alignment of the elements is accepted; data that begins at a multiple of 16 bytes, as
// larger slices that Go allocates do, is as fast as other tensors.
func Wrap[E dtype.Elem](dev *Device, data []E, shape ...int) (*Tensor[E], error) {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	view, err := strided.RowMajor(shape)
	if err != nil {
		return nil, fmt.Errorf("cutile: tensor of %v: %w", dtype.Of[E](), err)
	}
	if dev == nil || dev.core == nil {
		return nil, fmt.Errorf("cutile: tensor of %v: the device is nil", dtype.Of[E]())
	}
	if view.Len() != len(data) {
		return nil, fmt.Errorf("cutile: shape %v has %d elements, but the slice has %d", shape, view.Len(), len(data))
	}
	mem, err := dev.core.Wrap(bytesOf(data))
	if err != nil {
		return nil, dev.named(err)
	}
	return &Tensor[E]{dev: dev, arg: core.Tensor{Memory: mem, View: view, Elem: dtype.Of[E]()}}, nil
}

// Tensor returns the tensor itself, so that a Tensor is a [TensorOf].
func (t *Tensor[E]) Tensor() *Tensor[E] { return t }

// Untyped returns the tensor for the packages of this module; nil for a nil Tensor.
func (t *Tensor[E]) Untyped() *core.Tensor {
	switch {
	case t == nil:
		return nil
	case t.arg.Err == nil && t.arg.Memory == nil:
		return &core.Tensor{Err: errNoTensor}
	}
	return &t.arg
}

// Shape returns the extents.
func (t *Tensor[E]) Shape() []int { return slices.Clone(t.some().arg.View.Shape) }

// Strides returns, for each axis, the distance between neighbours along it, in elements.
func (t *Tensor[E]) Strides() []int { return slices.Clone(t.some().arg.View.Strides) }

// Rank returns the number of axes.
func (t *Tensor[E]) Rank() int { return len(t.some().arg.View.Shape) }

// Len returns the number of elements; 0 if Err is set.
func (t *Tensor[E]) Len() int {
	if t.some().arg.Memory == nil {
		return 0
	}
	return t.arg.View.Len()
}

// Device returns the device that holds the elements.
func (t *Tensor[E]) Device() *Device { return t.some().dev }

// DType returns the element type.
func (t *Tensor[E]) DType() dtype.Type { return dtype.Of[E]() }

// IsContiguous reports whether the elements lie in memory without gaps, in row-major order.
func (t *Tensor[E]) IsContiguous() bool {
	return t != nil && t.arg.Memory != nil && t.arg.View.IsRowMajor()
}

// Err returns the reason why the view could not be made; nil for a usable tensor.
func (t *Tensor[E]) Err() error { return t.some().arg.Err }

// Close frees the memory when the work that is queued on it has ended; it does not wait. All tensors that share the memory are
// closed with it. A tensor that is no longer reachable is closed some time later.
func (t *Tensor[E]) Close() error {
	if t == nil {
		return errNilTensor
	}
	if t.arg.Memory == nil {
		return nil
	}
	return t.named(t.arg.Memory.Close())
}

// String returns text such as "Tensor[float32] of shape [2 3] on cpu". It does not wait for the elements.
func (t *Tensor[E]) String() string {
	t = t.some()
	if t.arg.Err != nil {
		return fmt.Sprintf("Tensor[%v] with the error %q", dtype.Of[E](), t.arg.Err)
	}
	if t.arg.Memory == nil {
		return fmt.Sprintf("uninitialized Tensor[%v]", dtype.Of[E]())
	}
	return fmt.Sprintf("Tensor[%v] of shape %v on %s", dtype.Of[E](), t.arg.View.Shape, t.dev.Name())
}

// some is the tensor; for nil it is a tensor with an error.
func (t *Tensor[E]) some() *Tensor[E] {
	if t == nil {
		return &Tensor[E]{arg: core.Tensor{Elem: dtype.Of[E](), Err: errNilTensor}}
	}
	return t
}

// errNoTensor is the error of the zero Tensor.
var errNoTensor = errors.New("cutile: the tensor was not made by NewTensor or FromSlice")

func (t *Tensor[E]) named(err error) error {
	if err == nil {
		return nil
	}
	return named(t.String(), t.dev, err)
}

// usable gives the error of a tensor that was not made, or whose memory is closed.
func (t *Tensor[E]) usable() error {
	switch {
	case t == nil:
		return errNilTensor
	case t.arg.Err != nil:
		return t.arg.Err
	case t.arg.Memory == nil:
		return errNoTensor
	case t.arg.Memory.Closed():
		return t.named(ErrClosed)
	}
	return nil
}
