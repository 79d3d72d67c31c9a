package cute

import (
	"fmt"
	"reflect"

	"github.com/cutile-go/cutile/internal/bind"
)

// JitArgument is a type that says itself what it is as an argument of a host function. CuteTypes lists types, and CuteArgs
// gives a value for each; both run in the calling program. The type, or an adapter's, has beside them a method
//
//	CuteFromValues(values []any) T
//
// that is compiled and makes the argument of what the values have become, which are of the types listed. Its receiver is
// the zero value.
//
// A type that is an argument of kernels as well has two methods that are compiled: CuteValues() []any gives the values that
// stand for it, and CuteFromValues makes it of them in the kernel. Types without these methods are taken field by field.
// Methods are found by their names; each serves its side alone.
type JitArgument interface {
	CuteTypes() []reflect.Type
	CuteArgs() []any
}

// DynamicExpression is the half of the protocol that kernels use, see [JitArgument].
type DynamicExpression[T any] interface {
	CuteValues() []any
	CuteFromValues(values []any) T
}

// RegisterAdapter teaches calls to take values of a type T that has no methods of this package: adapt gives what to take in
// their place, such as a tensor or number for a parameter of that type, or a [JitArgument] whose CuteFromValues gives a T for
// a parameter of type T. Launches of tile kernels take what it gives, too, and calls what cutile.RegisterAdapter knows. A second adapter for a type is an error.
func RegisterAdapter[T, A any](adapt func(T) A) error {
	t := reflect.TypeFor[T]()
	if adapt == nil {
		return fmt.Errorf("cute: the adapter for %v is nil", t)
	}
	if t.Kind() == reflect.Interface {
		return fmt.Errorf("cute: an adapter is for the type that values have, not for the interface %v", t)
	}
	if err := bind.RegisterAdapter(t, reflect.TypeFor[A](), func(x any) (any, error) { return adapt(x.(T)), nil }); err != nil {
		return fmt.Errorf("cute: %w", err)
	}
	return nil
}
