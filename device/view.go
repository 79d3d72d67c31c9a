package device

import (
	"fmt"

	"github.com/cutile-go/cutile/dtype"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/device/strided"
)

// Narrow returns the part of the tensor whose index along an axis is at least from and less than to.
func (t *Tensor[E]) Narrow(axis, from, to int) *Tensor[E] {
	return t.see("Narrow", func(v strided.View) (strided.View, error) { return v.Narrow(axis, from, to) })
}

// Select returns the part of the tensor at an index along an axis, without that axis.
func (t *Tensor[E]) Select(axis, index int) *Tensor[E] {
	return t.see("Select", func(v strided.View) (strided.View, error) { return v.Select(axis, index) })
}

// T returns the tensor with its last two axes swapped.
func (t *Tensor[E]) T() *Tensor[E] { return t.see("T", strided.View.Transpose) }

// Permute returns the tensor with its axes in another order: axis i of the result is axis axes[i] of t.
func (t *Tensor[E]) Permute(axes ...int) *Tensor[E] {
	return t.see("Permute", func(v strided.View) (strided.View, error) { return v.Permute(axes) })
}

// Reshape returns the same elements, in row-major order, with another shape. If a view cannot do that, as for a transposed
// matrix, Err is set: call Contiguous first.
func (t *Tensor[E]) Reshape(shape ...int) *Tensor[E] {
	return t.see("Reshape", func(v strided.View) (strided.View, error) { return v.Reshape(shape) })
}

// Flatten returns the same elements, in row-major order, along one axis; Err is set if a view cannot do that.
func (t *Tensor[E]) Flatten() *Tensor[E] {
	return t.see("Flatten", func(v strided.View) (strided.View, error) { return v.Reshape([]int{v.Len()}) })
}

// Broadcast repeats elements without copying: extents of 1 grow to those of shape, and axes are added in front. The result can
// be read but not written.
func (t *Tensor[E]) Broadcast(shape ...int) *Tensor[E] {
	return t.see("Broadcast", func(v strided.View) (strided.View, error) { return v.Broadcast(shape) })
}

// Span returns the memory from the tensor's first element to its last, including everything between them, in memory order along
// one axis. A tile.Ptr takes it in place of a transposed or narrowed tensor, for a kernel that is given the strides and
// computes offsets itself.
func (t *Tensor[E]) Span() *Tensor[E] {
	return t.see("Span", func(v strided.View) (strided.View, error) { return v.Span(), nil })
}

// see makes a view of the same memory.
func (t *Tensor[E]) see(what string, change func(strided.View) (strided.View, error)) *Tensor[E] {
	if t = t.some(); t.arg.Memory == nil {
		return t
	}
	view, err := change(t.arg.View)
	if err != nil {
		err = fmt.Errorf("cutile: %s of Tensor[%v]: %w", what, dtype.Of[E](), err)
		return &Tensor[E]{dev: t.dev, arg: core.Tensor{Elem: t.arg.Elem, Err: err}}
	}
	return &Tensor[E]{dev: t.dev, arg: core.Tensor{Memory: t.arg.Memory, View: view, Elem: t.arg.Elem}}
}
