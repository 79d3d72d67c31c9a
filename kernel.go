package cutile

import (
	"fmt"
	"reflect"

	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/failure"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// Kernel is a kernel chosen at run time. It is accepted wherever a kernel function is.
type Kernel struct {
	kernel *compile.Kernel
	err    error
}

// Sized returns a generic kernel with other extents: one for each of its type parameters of constraint tile.Dim, in order, each
// a power of two. A program can thus fit the tiles to its data, or try several sizes, without naming every instance:
//
//	cutile.Launch(ctx, dev, cutile.Sized(softmax[tile.D1], n), x, y)
//
// Other type arguments stay. A generic function passed as an argument, whatever its extents, gets those that the kernel needs.
// The launch reports mistakes as errors.
func Sized(kernel any, extents ...int) *Kernel {
	k, _, err := resolveBy(compile.ResolveFunc, kernel) // extents that follow from those of the instance may be none
	if err != nil {
		return &Kernel{err: err}
	}
	if k, err = k.Resize(extents); err != nil {
		return &Kernel{err: failure.Explain("kernel", "", err)}
	}
	return &Kernel{kernel: k}
}

// String returns the kernel's name with its type arguments, such as main.softmax[D1024].
func (k *Kernel) String() string {
	if k == nil {
		return "no kernel"
	}
	if k.err != nil {
		return k.err.Error()
	}
	return k.kernel.Name()
}

// newCall prepares a call of what a user gave as a kernel.
func newCall(kernel any, on *device.Device) (*compile.Kernel, *bind.Call, error) {
	k, typ, err := resolve(kernel)
	if err != nil {
		return nil, nil, err
	}
	call := bind.New(k.Params(), typ, on, bind.Unwrap)
	if typ == nil {
		call.Infer = k.FuncFor
	}
	return k, call, nil
}

// resolve finds the source of a kernel, and its type where it is that of a value.
func resolve(kernel any) (*compile.Kernel, reflect.Type, error) {
	return resolveBy(compile.Resolve, kernel)
}

func resolveBy(find func(any) (*compile.Kernel, error), kernel any) (*compile.Kernel, reflect.Type, error) {
	switch k, sized := kernel.(*Kernel); {
	case sized && k == nil:
		return nil, nil, fmt.Errorf("cutile: the kernel is a nil *cutile.Kernel: %w", ErrMismatch)
	case sized:
		return k.kernel, nil, k.err
	}
	if v := reflect.ValueOf(kernel); v.Kind() != reflect.Func || v.IsNil() {
		return nil, nil, fmt.Errorf("cutile: a kernel is a Go function, not %s: %w", bind.Describe(kernel), ErrMismatch)
	}
	k, err := find(kernel)
	if err != nil {
		return nil, nil, failure.Explain("kernel", "", err)
	}
	return k, reflect.TypeOf(kernel), nil
}

// RegisterAdapter makes [Launch] accept arguments of a type T that has no methods of this package: adapt returns the tensor,
// number, function or struct of these to use instead. A second adapter for a type is an error. Calls of functions of package
// cute use it too.
func RegisterAdapter[T any](adapt func(T) (any, error)) error {
	t := reflect.TypeFor[T]()
	if adapt == nil {
		return fmt.Errorf("cutile: the adapter for %v is nil", t)
	}
	if err := bind.RegisterAdapter(t, nil, func(x any) (any, error) { return adapt(x.(T)) }); err != nil {
		return fmt.Errorf("cutile: %w", err)
	}
	return nil
}
