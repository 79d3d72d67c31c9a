package parallel

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dtype"
)

// mistake is an error in a function's arguments: a [cutile.ErrMismatch].
type mistake struct {
	text  string
	cause error // or nil
}

func (m *mistake) Error() string { return m.text }

func (m *mistake) Unwrap() []error {
	if m.cause == nil {
		return []error{cutile.ErrMismatch}
	}
	return []error{cutile.ErrMismatch, m.cause}
}

func wrong(function, format string, args ...any) error {
	err := fmt.Errorf("parallel: "+function+": "+format, args...)
	return &mistake{err.Error(), errors.Unwrap(err)}
}

// argument is a tensor with the shape that it must have, and what the extents are.
type argument struct {
	name   string
	tensor device.AnyTensor // nil for a nil pointer
	shape  []int
	axes   string // such as "tokens, in"
}

// arg makes an argument. A shape that is nil is any of the rank that axes has.
func arg[E dtype.Elem](name string, t *device.Tensor[E], axes string, shape ...int) argument {
	a := argument{name: name, shape: shape, axes: axes}
	if t != nil {
		a.tensor = t
	}
	return a
}

// check gives the first mistake of arguments: that they are not there, on another device than the group, or have another shape.
func check(ctx context.Context, function string, g *dist.Group, args ...argument) error {
	if err := device.CheckContext(ctx); err != nil {
		return err
	}
	if g.Device() == nil {
		return wrong(function, "the group is nil: use the one that dist.Join returns")
	}
	for _, a := range args {
		switch {
		case a.tensor == nil:
			return wrong(function, "%s is nil, expected a tensor [%s]", a.name, a.axes)
		case a.tensor.Err() != nil:
			return wrong(function, "%s: %w", a.name, a.tensor.Err())
		case a.tensor.Device() != g.Device():
			return wrong(function, "%s is on another device, and the group works on %s: move it there, or join with its device", a.name, g.Device().Name())
		case !slices.Equal(a.tensor.Shape(), a.shape):
			return wrong(function, "%s has shape %v, expected %v: [%s], in process %d of %d", a.name, a.tensor.Shape(), a.shape, a.axes, g.Rank(), g.Size())
		}
	}
	return nil
}

// ranked checks that a tensor has a rank, and gives its shape.
func ranked[E dtype.Elem](ctx context.Context, function string, g *dist.Group, name string, t *device.Tensor[E], rank int, axes string) ([]int, error) {
	a := arg(name, t, axes)
	if a.tensor != nil {
		a.shape = t.Shape()
	}
	if err := check(ctx, function, g, a); err != nil {
		return nil, err
	}
	if len(a.shape) != rank {
		return nil, wrong(function, "%s has shape %v of rank %d, expected rank %d: [%s]", name, a.shape, len(a.shape), rank, axes)
	}
	return a.shape, nil
}

// workspace is memory of one call.
type workspace struct {
	tensors []device.AnyTensor
	err     error // the first
}

// room makes a tensor. Its elements are undefined to who uses it.
func room[E dtype.Elem](w *workspace, dev *device.Device, shape ...int) *device.Tensor[E] {
	if w.err != nil {
		return nil
	}
	t, err := device.NewTensor[E](dev, shape...)
	if err != nil {
		w.err = err
		return nil
	}
	w.tensors = append(w.tensors, t)
	return t
}

// close frees the memory behind the work that is queued.
func (w *workspace) close() {
	for _, t := range w.tensors {
		t.Close()
	}
}

// fit is the extent of a tile that holds n elements: the least power of two that does, but from least to most.
func fit(n, least, most int) int {
	for least < n && least < most {
		least *= 2
	}
	return least
}
