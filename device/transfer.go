package device

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/device/strided"
	"github.com/cutile-go/cutile/internal/engine/cpu"
)

// Slice waits for the work on the tensor and returns a copy of its elements in row-major order.
func (t *Tensor[E]) Slice() ([]E, error) {
	if err := t.usable(); err == nil && t.Len() > 0 && t.arg.View.IsRowMajor() && t.arg.Memory.Mapped() {
		return t.cloned()
	}
	data, err := t.elements()
	if err != nil {
		return nil, err
	}
	if err := t.Read(context.Background(), data); err != nil {
		return nil, err
	}
	return data, nil
}

// cloned copies what lies in the program's memory already, to memory that need not be zero before.
func (t *Tensor[E]) cloned() (data []E, err error) {
	if err := t.room(); err != nil {
		return nil, err
	}
	at, n := t.arg.View.Offset, t.Len()
	err = t.arg.Memory.Map(context.Background(), false, n*dtype.Of[E]().Size(), func(b []byte) { data = slices.Clone(elemsOf[E](b)[at : at+n : at+n]) })
	return data, t.named(err)
}

// elements makes room for the elements. A view that repeats elements may have more than memory holds.
func (t *Tensor[E]) elements() ([]E, error) {
	if err := t.usable(); err != nil {
		return nil, err
	}
	if err := t.room(); err != nil {
		return nil, err
	}
	return make([]E, t.Len()), nil
}

// room reports whether there is memory for a copy of the elements.
func (t *Tensor[E]) room() error {
	size := dtype.Of[E]().Size()
	high, bytes := bits.Mul64(uint64(t.Len()), uint64(size))
	if high > 0 || bytes > math.MaxInt64 {
		bytes = math.MaxInt64
	}
	if err := cpu.Room(int64(bytes)); err != nil {
		return t.named(fmt.Errorf("there is no memory for a copy of its %d elements of %d bytes: %w", t.Len(), size, err))
	}
	return nil
}

// Item waits for the work on a tensor of one element, of any rank, and returns the element.
func (t *Tensor[E]) Item() (E, error) {
	var one [1]E
	if err := t.usable(); err != nil {
		return one[0], err
	}
	if t.Len() != 1 {
		return one[0], t.named(fmt.Errorf("Item needs one element, but it has %d: use Slice, or narrow it first", t.Len()))
	}
	err := t.Read(context.Background(), one[:])
	return one[0], err
}

// Read waits for the work on the tensor and copies its elements to dst in row-major order. dst must have the tensor's
// length. If ctx ends first, the work continues and the contents of dst are unspecified.
func (t *Tensor[E]) Read(ctx context.Context, dst []E) error {
	if err := errors.Join(CheckContext(ctx), t.fits(len(dst))); err != nil || len(dst) == 0 {
		return err
	}
	view, mem := t.arg.View, t.arg.Memory
	size := int64(dtype.Of[E]().Size())
	if view.IsRowMajor() {
		return t.named(mem.Read(ctx, bytesOf(dst), int64(view.Offset)*size))
	}
	if mem.Mapped() {
		return t.named(mem.Map(ctx, false, len(dst)*int(size), func(b []byte) { strided.Gather(dst, elemsOf[E](b), view) }))
	}
	from, to := view.Range()
	part := make([]E, to-from)
	if err := mem.Read(ctx, bytesOf(part), int64(from)*size); err != nil {
		return t.named(err)
	}
	view.Offset = 0
	strided.Gather(dst, part, view)
	return nil
}

// Write copies src, in row-major order, to the tensor, after the work that is queued on it. src must have the tensor's
// length; the caller may reuse it as soon as Write returns. A view that repeats elements, by
// broadcasting or by the strides of [Foreign], cannot be written.
func (t *Tensor[E]) Write(ctx context.Context, src []E) error {
	if err := errors.Join(CheckContext(ctx), t.fits(len(src))); err != nil || len(src) == 0 {
		return err
	}
	if t.arg.View.Repeats() {
		return t.named(errRepeats)
	}
	return t.write(ctx, src)
}

func (t *Tensor[E]) write(ctx context.Context, src []E) error {
	view, mem := t.arg.View, t.arg.Memory
	size := int64(dtype.Of[E]().Size())
	if view.IsRowMajor() {
		return t.named(mem.Write(bytesOf(src), int64(view.Offset)*size))
	}
	if mem.Mapped() {
		return t.named(mem.Map(ctx, true, len(src)*int(size), func(b []byte) { strided.Scatter(elemsOf[E](b), src, view) }))
	}
	from, to := view.Range()
	part := make([]E, to-from)
	if err := mem.Read(ctx, bytesOf(part), int64(from)*size); err != nil {
		return t.named(err)
	}
	view.Offset = 0
	strided.Scatter(part, src, view)
	return t.named(mem.Write(bytesOf(part), int64(from)*size))
}

// Fill sets every element to a value, after the work that is queued on the tensor.
func (t *Tensor[E]) Fill(ctx context.Context, value E) error {
	if err := CheckContext(ctx); err != nil {
		return err
	}
	if err := t.usable(); err == nil && t.arg.View.Repeats() {
		return t.named(errRepeats)
	}
	data, err := t.elements()
	if err != nil {
		return err
	}
	for i := range data {
		data[i] = value
	}
	return t.Write(ctx, data)
}

// Copy copies the elements of another tensor of the same shape, on any device, after the work that is queued on both. A copy
// between contiguous tensors of one device, or of two GPUs, is queued; any other goes through the host and waits. [Stream.Capture] says when a
// copy becomes part of a capture.
func (t *Tensor[E]) Copy(ctx context.Context, from *Tensor[E]) error {
	if err := errors.Join(CheckContext(ctx), from.usable()); err != nil {
		return err
	}
	if err := t.usable(); err != nil {
		return err
	}
	if shape := from.arg.View.Shape; !slices.Equal(t.arg.View.Shape, shape) {
		return t.named(fmt.Errorf("it cannot take a copy of a tensor of shape %v: give both the same shape, for example with Narrow or Reshape", shape))
	}
	if t.Len() == 0 {
		return nil
	}
	if t.IsContiguous() && from.IsContiguous() {
		if done, err := t.copyQueued(from); done || err != nil {
			return t.named(err)
		}
	}
	data, err := t.elements()
	if err != nil {
		return err
	}
	if err := from.Read(ctx, data); err != nil {
		return err
	}
	return t.Write(ctx, data)
}

// copyQueued queues a copy between contiguous tensors, where the devices can do it by themselves.
func (t *Tensor[E]) copyQueued(from *Tensor[E]) (done bool, err error) {
	size := int64(dtype.Of[E]().Size())
	to, at, n := int64(t.arg.View.Offset)*size, int64(from.arg.View.Offset)*size, int64(t.Len())*size
	switch {
	case t.dev != from.dev:
		return t.arg.Memory.CopyPeer(to, from.arg.Memory, at, n)
	case t.arg.Memory == from.arg.Memory && strided.Overlap(t.arg.View, from.arg.View):
		return false, nil
	}
	return true, t.arg.Memory.Copy(to, from.arg.Memory, at, n)
}

// Freeze promises that the elements do not change any more, as those of a model's weights, and waits for the writes that are queued on
// the tensor's memory. From then on, writes to that memory are errors ([ErrFrozen]): transfers to the tensor and to others that share the
// memory, launches of kernels that write it, and those of package cute, of which it is not known whether they write. There is no way
// back but a copy. If Freeze returns an error, such as that of ctx, the tensor is as it was.
//
// A device may keep what it makes of the elements: the CPU engine packs the factors of matrix products once, and not for each launch.
// It spends at most twice the memory of the tensors on that, and 1 GiB for
// a device. Memory of [Wrap] is frozen like any other, but nothing is kept of it, since the program itself may write there.
func (t *Tensor[E]) Freeze(ctx context.Context) error {
	if err := errors.Join(CheckContext(ctx), t.usable()); err != nil {
		return err
	}
	return t.named(t.arg.Memory.Freeze(ctx))
}

// Contiguous returns the tensor itself if it [Tensor.IsContiguous], else a contiguous copy.
func (t *Tensor[E]) Contiguous() (*Tensor[E], error) {
	if err := t.usable(); err != nil {
		return nil, err
	}
	if t.IsContiguous() {
		return t, nil
	}
	c, err := NewTensor[E](t.dev, t.arg.View.Shape...)
	if err != nil {
		return nil, err
	}
	if err := c.Copy(context.Background(), t); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// errRepeats is the error of a write through a view that repeats elements.
var errRepeats = errors.New("two of its indices are one element, as in a broadcast view, so that it cannot be written")

func (t *Tensor[E]) fits(n int) error {
	if err := t.usable(); err != nil {
		return err
	}
	if n != t.Len() {
		return t.named(fmt.Errorf("it has %d elements, but the slice has %d", t.Len(), n))
	}
	return nil
}

// bytesOf is the memory of a slice.
func bytesOf[E dtype.Elem](s []E) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*dtype.Of[E]().Size())
}

// elemsOf is the inverse of bytesOf; the memory of a device is aligned for any element.
func elemsOf[E dtype.Elem](b []byte) []E {
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/dtype.Of[E]().Size())
}
