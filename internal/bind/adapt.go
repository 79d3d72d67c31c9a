package bind

import (
	"fmt"
	"reflect"
	"sync"

	pub "github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/device"
)

// adapters maps a type to a func(any) any.
var adapters sync.Map

// RegisterAdapter teaches launches to take arguments of a type T: adapt gives the tensor, number, function or struct of such
// to take in its place. A second adapter for a type is an error.
func RegisterAdapter[T any](adapt func(T) (any, error)) error {
	if adapt == nil {
		return fmt.Errorf("cutile: the adapter for %v is nil", reflect.TypeFor[T]())
	}
	if _, taken := adapters.LoadOrStore(reflect.TypeFor[T](), func(x any) (any, error) { return adapt(x.(T)) }); taken {
		return fmt.Errorf("cutile: there is an adapter for %v already", reflect.TypeFor[T]())
	}
	return nil
}

// TensorOf finds the tensor that a value is or stands for; nil where it stands for none.
func TensorOf(x any) *device.Tensor {
	if t, ok := x.(interface{ Untyped() *device.Tensor }); ok {
		return t.Untyped()
	}
	for _, as := range tensorOf {
		if t := as(x); t != nil {
			return t
		}
	}
	return nil
}

// tensorOf holds, for each element type, how to find the tensor that a value stands for; nil where it stands for none.
var tensorOf = []func(any) *device.Tensor{
	as[bool], as[int8], as[int16], as[int32], as[int64], as[uint8], as[uint16], as[uint32], as[uint64],
	as[dtype.Float16], as[dtype.BFloat16], as[float32], as[float64],
}

func as[E dtype.Elem](x any) *device.Tensor {
	t, ok := x.(pub.TensorOf[E])
	if !ok {
		return nil
	}
	if v := reflect.ValueOf(x); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	return t.Tensor().Untyped()
}

// Unwrap finds the tensor that an argument stands for, else the value to take in its place, which may be x itself: tensors
// first, then what adapters make, until there is none.
func Unwrap(x any) (*device.Tensor, any, error) {
	if t, ok := x.(interface{ Untyped() *device.Tensor }); ok {
		return t.Untyped(), x, nil
	}
	for range 8 { // an adapter may give a type that is adapted itself, but not for ever
		adapt, ok := adapters.Load(reflect.TypeOf(x))
		if !ok || x == nil {
			break
		}
		var err error
		if x, err = adapt.(func(any) (any, error))(x); err != nil {
			return nil, nil, err
		}
	}
	if t := TensorOf(x); t != nil {
		return t, nil, nil
	}
	return nil, x, nil
}
