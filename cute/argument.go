package cute

import (
	"fmt"
	"reflect"

	"github.com/cutile-go/cutile/internal/bind"
)

// JitArgument is a type that defines its own representation as an argument of a host function. CuteTypes lists types, and
// CuteArgs returns a value for each; both run in the calling program. The type, or that of an adapter, also has a method
//
//	CuteFromValues(values []any) T
//
// that is compiled and makes the argument from the compiled forms of these values, which have the types listed. Its receiver is
// the zero value.
//
// A type that is also an argument of kernels has two compiled methods: CuteValues() []any returns the values that stand for it,
// and CuteFromValues makes it from them in the kernel. Types without these methods are passed field by field. Methods are found
// by their names; each is used on one side only.
type JitArgument interface {
	CuteTypes() []reflect.Type
	CuteArgs() []any
}

// DynamicExpression is the part of the protocol that kernels use; see [JitArgument].
type DynamicExpression[T any] interface {
	CuteValues() []any
	CuteFromValues(values []any) T
}

// RegisterAdapter makes calls accept values of a type T that has no methods of this package: adapt returns the value to use
// instead, such as a tensor or number for a parameter of that type, or a [JitArgument] whose CuteFromValues returns a T for a
// parameter of type T. Launches of tile kernels use it too, and calls also use the adapters of cutile.RegisterAdapter. A second
// adapter for a type is an error.
func RegisterAdapter[T, A any](adapt func(T) A) error {
	t := reflect.TypeFor[T]()
	if adapt == nil {
		return fmt.Errorf("cute: the adapter for %v is nil", t)
	}
	if err := bind.RegisterAdapter(t, reflect.TypeFor[A](), func(x any) (any, error) { return adapt(x.(T)), nil }); err != nil {
		return fmt.Errorf("cute: %w", err)
	}
	return nil
}
