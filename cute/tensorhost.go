package cute

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simtc/run"
)

// Of returns a tensor of a device as an argument of compiled functions. T is the type of package cute for the same memory:
// float32 for float32, [Float16] for dtype.Float16. Its extents and strides are dynamic, except for the last stride that is 1,
// unless marks change that. Modes are in the order of the tensor's axes, so that usually the last mode is contiguous. A mistake
// is reported by the call that the tensor is passed to.
func Of[T Elem, E dtype.Elem](t *device.Tensor[E], marks ...Mark) Tensor[T] { return of[T](t, marks) }

// Err returns the reason why the tensor could not be made, or nil.
func (t Tensor[T]) Err() error { return t.err }

// String returns text such as "tensor of float32, (?,?):(?,1), 16 bytes aligned".
func (t Tensor[T]) String() string {
	m, ok := t.memory.(*hostMemory)
	if t.err != nil || !ok {
		return fmt.Sprintf("uninitialized tensor of %v", run.ElemOf(reflect.TypeFor[T]()))
	}
	return fmt.Sprintf("tensor of %v, %v, %d bytes aligned", m.arg.Tensor.Elem, m.arg.Layout, m.arg.Align)
}

// hostMemory is what a tensor in the calling program is made of.
type hostMemory struct{ arg run.Tensor }

func (t Tensor[T]) hostLayout() Layout {
	if t.err != nil {
		return Layout{err: t.err}
	}
	return t.layout
}

// of makes a tensor of anything that stands for a tensor of package cutile.
func of[T Elem](x any, marks []Mark) (out Tensor[T]) {
	want := run.ElemOf(reflect.TypeFor[T]())
	t := bind.TensorOf(x)
	switch {
	case t == nil && reflect.ValueOf(x).Kind() == reflect.Pointer && reflect.ValueOf(x).IsNil():
		return Tensor[T]{err: fmt.Errorf("cute: Of takes a tensor, but this %T is nil", x)}
	case t == nil:
		return Tensor[T]{err: fmt.Errorf("cute: Of takes a tensor, not %T", x)}
	case t.Err != nil:
		return Tensor[T]{err: t.Err}
	case t.Elem != want:
		return Tensor[T]{err: fmt.Errorf("expected memory of %v for a cute.Tensor[%v], but got *cutile.Tensor[%v]", want, reflect.TypeFor[T](), t.Elem)}
	}
	p := plan{view: t.View, align: 16}
	address := t.Memory.Address() + uint64(t.View.Offset*t.Elem.Size())
	p.align = 1 << min(4, bits.TrailingZeros64(address|16))
	p.dynamic(p.leading())
	for i, m := range marks {
		if m == nil {
			return Tensor[T]{err: fmt.Errorf("cute: Of: mark %d of the tensor is nil: leave it out", i+1)}
		}
		if err := m(&p); err != nil {
			return Tensor[T]{err: err}
		}
	}
	if address%uint64(p.align) != 0 {
		return Tensor[T]{err: fmt.Errorf("the tensor's address %#x is not a multiple of %d bytes, which Align promises", address, p.align)}
	}
	arg := run.Tensor{Tensor: t, Elem: reflect.TypeFor[T](), Align: p.align}
	var err error
	if arg.Layout, arg.Values, err = p.layout(); err != nil {
		return Tensor[T]{err: err}
	}
	exact, err := layout.New(layout.Of(p.extents()...), layout.Of(p.strides()...))
	return Tensor[T]{layout: Layout{l: exact, err: err}, memory: &hostMemory{arg}, err: err}
}

// look describes the tensor to package run.
func (t Tensor[T]) look() any {
	if m, ok := t.memory.(*hostMemory); ok && t.err == nil {
		return m.arg
	}
	return run.Tensor{Elem: reflect.TypeFor[T](), Err: t.err}
}

// wrap makes a tensor of this type from one of package cutile.
func (t Tensor[T]) wrap(x any) (any, bool) {
	if h := bind.TensorOf(x); h == nil || h.Err == nil && h.Elem != run.ElemOf(reflect.TypeFor[T]()) {
		return nil, false
	}
	return of[T](x, nil), true
}

// fits32 reports whether 32 bits hold every extent, stride and offset.
func (p *plan) fits32() bool {
	end := 0
	for i, n := range p.extents() {
		s := p.strides()[i]
		if n > math.MaxInt32 || s > math.MaxInt32 {
			return false
		}
		if n > 0 {
			end += (n - 1) * s
		}
	}
	return end < math.MaxInt32
}
