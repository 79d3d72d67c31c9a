package cutile

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/bind"
)

// adapters maps a type to a func(any) any.
var adapters sync.Map

// RegisterAdapter teaches [Launch] to take arguments of a type T that has no methods of this package: adapt gives the
// tensor, number, function or struct of such to take in its place. A second adapter for a type is an error.
func RegisterAdapter[T any](adapt func(T) (any, error)) error {
	if adapt == nil {
		return fmt.Errorf("cutile: the adapter for %v is nil", reflect.TypeFor[T]())
	}
	if _, taken := adapters.LoadOrStore(reflect.TypeFor[T](), func(x any) (any, error) { return adapt(x.(T)) }); taken {
		return fmt.Errorf("cutile: there is an adapter for %v already", reflect.TypeFor[T]())
	}
	return nil
}

// tensorOf holds, for each element type, how to find the tensor that a value stands for; nil where it stands for none.
var tensorOf = []func(any) *bind.Tensor{
	as[bool], as[int8], as[int16], as[int32], as[int64], as[uint8], as[uint16], as[uint32], as[uint64],
	as[dtype.Float16], as[dtype.BFloat16], as[float32], as[float64],
}

func as[E dtype.Elem](x any) *bind.Tensor {
	t, ok := x.(TensorOf[E])
	if !ok {
		return nil
	}
	if v := reflect.ValueOf(x); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	return t.Tensor().own()
}

// own is the tensor as a launch sees it; nil for nil.
func (t *Tensor[E]) own() *bind.Tensor {
	switch {
	case t == nil:
		return nil
	case t.arg.Err == nil && t.arg.Memory == nil:
		return &bind.Tensor{Err: errNoTensor}
	}
	return &t.arg
}

// unwrap implements bind.Unwrapper: tensors first, then what adapters make, until there is none.
func unwrap(x any) (*bind.Tensor, any, error) {
	if t, ok := x.(interface{ own() *bind.Tensor }); ok {
		return t.own(), x, nil
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
	for _, as := range tensorOf {
		if t := as(x); t != nil {
			return t, nil, nil
		}
	}
	return nil, x, nil
}
