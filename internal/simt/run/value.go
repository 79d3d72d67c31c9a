package run

import (
	"reflect"

	"github.com/cutile-go/cutile/internal/host"
	"github.com/cutile-go/cutile/internal/launch"
	"github.com/cutile-go/cutile/internal/layout"
)

// Look gives what a value of package cute is to the run-time, one of the types below, and nil for other values. Package
// cute sets it.
var Look func(x any) any

// Wrap makes values of package cute of others: an *Executor argument that is a *cutile.Tensor, say. It gives a value of
// the type t, or false where x does not stand for one. Package cute sets it.
var Wrap func(t reflect.Type, x any) (any, bool)

// What values of package cute are.
type (
	// Tensor is memory at a layout. Of the zero Tensor[T] only Elem is set.
	Tensor struct {
		*launch.Tensor
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
		Memory *host.Memory
		Tensor *launch.Tensor
		Err    error
	}
	// Stream is a queue: nil for the device's own.
	Stream struct {
		*host.Stream
		Err error
	}
	// Constexpr is what is static: V is a struct with the one field that holds it.
	Constexpr struct{}
	// Words is the interface of values that are static in it, such as Tiler.
	Words struct{}
)
