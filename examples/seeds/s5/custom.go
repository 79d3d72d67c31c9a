package main

import (
	"fmt"
	"reflect"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// shifted is a tensor with an offset. It is an argument of kernels by the protocol of cute.DynamicExpression. Without
// the two methods it would be passed field by field, with the same result.
type shifted struct {
	tensor cute.Tensor[float32]
	offset int
}

// CuteValues returns the values that represent the argument in a launch.
func (s shifted) CuteValues() []any { return []any{s.tensor, s.offset} }

// CuteFromValues makes the argument from its values in the kernel.
func (s shifted) CuteFromValues(values []any) shifted {
	return shifted{values[0].(cute.Tensor[float32]), values[1].(int)}
}

func shift(s shifted) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	s.tensor.Set(float32(i+s.offset), i)
	return
}

func shiftAll(x cute.Tensor[float32], offset int) error {
	shift(shifted{x, offset}).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(4, 1, 1)})
	return nil
}

func byProtocol() error {
	return onCPU(func(dev *cutile.Device) error {
		x, err := cutile.NewTensor[float32](dev, 4)
		if err != nil {
			return err
		}
		if err := cute.Jit(shiftAll)(cute.Of[float32](x), 10); err != nil {
			return err
		}
		data, err := x.Slice()
		fmt.Println(data)
		return err
	})
}

// frameworkObject represents a type of another package, to which methods cannot be added.
type frameworkObject struct {
	owner map[string]string // not passed to compiled code
	data  cute.Tensor[float32]
}

// frameworkAdapter passes a frameworkObject to host functions, by the protocol of cute.JitArgument.
type frameworkAdapter struct{ of frameworkObject }

// CuteTypes returns the types of the values that represent the object in compiled code.
func (a frameworkAdapter) CuteTypes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[cute.Tensor[float32]]()}
}

// CuteArgs returns a value for each type, at every call.
func (a frameworkAdapter) CuteArgs() []any { return []any{a.of.data} }

// CuteFromValues makes the object for compiled code from the values.
func (a frameworkAdapter) CuteFromValues(values []any) frameworkObject {
	return frameworkObject{data: values[0].(cute.Tensor[float32])}
}

func adapt(o frameworkObject) frameworkAdapter { return frameworkAdapter{o} }

var registered = cute.RegisterAdapter(adapt)

func shiftObject(o frameworkObject) error { return shiftAll(o.data, 20) }

func byAdapter() error {
	if registered != nil {
		return registered
	}
	fmt.Println(cute.RegisterAdapter(adapt)) // a second adapter for the type
	return onCPU(func(dev *cutile.Device) error {
		x, err := cutile.NewTensor[float32](dev, 4)
		if err != nil {
			return err
		}
		object := frameworkObject{map[string]string{"name": "x"}, cute.Of[float32](x)}
		if err := cute.Jit(shiftObject)(object); err != nil {
			return err
		}
		data, err := x.Slice()
		fmt.Println(data)
		return err
	})
}
