package run

import (
	"reflect"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/layout"
)

// Values tells what the values of package cute are, which stands above this one.
type Values interface {
	// Look gives what a value is, one of the types below, and nil for values of other packages.
	Look(x any) any
	// Wrap makes a value of a type of package cute of another one, such as the *cutile.Tensor that an Executor is given.
	// It is false if x does not stand for a value of type t.
	Wrap(t reflect.Type, x any) (any, bool)
	// DefaultDevice gives the device of calls that name none.
	DefaultDevice() (*device.Device, error)
}

// What values of package cute are.
type (
	// Tensor is memory at a layout. For the zero Tensor[T] only Elem is set.
	Tensor struct {
		*device.Tensor
		Elem   reflect.Type
		Layout layout.Layout // symbolic where it may change between calls
		Values []uint64      // of the symbolic leaves, in order
		Align  int           // divides the address
		Err    error
	}
	// Tuple is a shape, stride or coordinate.
	Tuple struct {
		Tuple layout.Tuple
		Err   error
	}
	// Layout is a layout.
	Layout struct {
		Layout layout.Layout
		Outer  *layout.Composed
		Err    error
	}
	// TensorMap is the description of a tensor in a memory of its own.
	TensorMap struct {
		Memory *device.Memory
		Tensor *device.Tensor
		Err    error
	}
	// Stream is a queue: nil for the device's own.
	Stream struct {
		*device.Stream
		Err error
	}
	// Constexpr is what is static: V is a struct with the one field that holds it.
	Constexpr struct{}
	// Words is the interface of values that are static in it, such as Tiler.
	Words struct{}
)
