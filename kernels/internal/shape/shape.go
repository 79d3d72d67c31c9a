// Package shape provides what the functions that launch the kernels share. It checks shapes against each other, and
// computes extents of tiles that fit them, and grids.
package shape

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile"
)

// Array is a tensor of any element type.
type Array interface {
	Shape() []int
	Err() error
}

// Arg is an argument with a name for each of its extents: "batch m k". Equal names stand for equal extents, in all
// arguments; a number stands for itself.
type Arg struct {
	Name   string
	Tensor Array
	Axes   string
}

// Of makes an [Arg].
func Of(name string, t Array, axes string) Arg { return Arg{Name: name, Tensor: t, Axes: axes} }

// Extents holds extents by name.
type Extents map[string]int

// bound is an extent with the argument and axis that it comes from.
type bound struct {
	n    int
	name string
	axis int
}

// Check checks the arguments of a function against their axes and gives the extents. It reports all mistakes at once; each is a
// [cutile.ErrMismatch].
func Check(function string, args ...Arg) (Extents, error) {
	seen := map[string]bound{}
	var errs []error
	for _, a := range args {
		if err := a.check(seen); err != nil {
			errs = append(errs, &mistake{function + ": " + err.Error(), err})
		}
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	out := Extents{}
	for name, b := range seen {
		out[name] = b.n
	}
	return out, nil
}

// Same checks that tensors have the same shape, of any rank; their axes have no names.
func Same(function string, args ...Arg) error {
	var errs []error
	for _, a := range args {
		err := a.there()
		if first := args[0]; err == nil && first.there() == nil && !slices.Equal(a.Tensor.Shape(), first.Tensor.Shape()) {
			err = fmt.Errorf("%s has shape %v, expected %v, that of %s", a.Name, a.Tensor.Shape(), first.Tensor.Shape(), first.Name)
		}
		if err != nil {
			errs = append(errs, &mistake{function + ": " + err.Error(), err})
		}
	}
	return errors.Join(errs...)
}

// there gives the error of a tensor that is missing.
func (a Arg) there() error {
	if v := reflect.ValueOf(a.Tensor); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("%s is nil, expected a tensor", a.Name)
	}
	if err := a.Tensor.Err(); err != nil {
		return fmt.Errorf("%s: %w", a.Name, err)
	}
	return nil
}

func (a Arg) check(seen map[string]bound) error {
	if err := a.there(); err != nil {
		return err
	}
	shape, axes := a.Tensor.Shape(), strings.Fields(a.Axes)
	if len(shape) != len(axes) {
		return fmt.Errorf("%s has shape %v of rank %d, expected rank %d: [%s]", a.Name, shape, len(shape), len(axes), a.Axes)
	}
	for i, axis := range axes {
		want, known := seen[axis]
		if n, err := strconv.Atoi(axis); err == nil {
			want, known = bound{n: n}, true
		}
		switch {
		case !known:
			seen[axis] = bound{shape[i], a.Name, i}
		case want.n != shape[i] && want.name == "":
			return fmt.Errorf("%s has shape %v, expected [%s]: axis %d is %d", a.Name, shape, a.Axes, i, shape[i])
		case want.n != shape[i]:
			return fmt.Errorf("%s has shape %v, expected [%s]: axis %d is %d, but %s is %d along axis %d of %s",
				a.Name, shape, a.Axes, i, shape[i], axis, want.n, want.axis, want.name)
		}
	}
	return nil
}

// Wrong is a mistake in a function's arguments: a [cutile.ErrMismatch].
func Wrong(function, format string, args ...any) error {
	return &mistake{function + ": " + fmt.Sprintf(format, args...), nil}
}

type mistake struct {
	text  string
	cause error
}

func (m *mistake) Error() string { return m.text }

func (m *mistake) Unwrap() []error {
	if m.cause == nil {
		return []error{cutile.ErrMismatch}
	}
	return []error{cutile.ErrMismatch, m.cause}
}
