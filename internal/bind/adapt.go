package bind

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	api "github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/device"
)

// adapters holds the adapters for types that launches and calls do not know, by type.
var adapters sync.Map // of reflect.Type to adapter

type adapter struct {
	made reflect.Type // nil if only a call tells
	call func(any) (any, error)
}

// RegisterAdapter teaches launches and calls of compiled functions to take arguments of type t: call gives what to take in
// their place, which is of type made where that is known. A second adapter for a type is an error.
func RegisterAdapter(t, made reflect.Type, call func(any) (any, error)) error {
	if t.Kind() == reflect.Interface { // arguments are looked up by the type that they have
		return fmt.Errorf("an adapter must be for a concrete type, not for %s", TypeText(t))
	}
	old, taken := adapters.LoadOrStore(t, adapter{made, call})
	if !taken {
		return nil
	}
	if first := old.(adapter).made; first != nil && made != nil {
		return fmt.Errorf("there are two adapters for %s: the first gives %s, the second %s", TypeText(t), A(TypeText(first)), A(TypeText(made)))
	}
	return fmt.Errorf("there is an adapter for %s already", TypeText(t))
}

// maxAdapters bounds how often what an adapter gives is adapted itself.
const maxAdapters = 8

// Adapt gives what adapters make of a value; ok is false if there is none for its type. A panic of an adapter is an error.
func Adapt(x any) (made any, ok bool, err error) {
	for n := 0; x != nil; n++ {
		a, found := adapters.Load(reflect.TypeOf(x))
		if !found {
			break
		}
		if n == maxAdapters {
			return nil, false, errors.New("the adapters form a cycle")
		}
		if x, err = a.(adapter).run(x); err != nil {
			return nil, false, err
		}
		ok = true
	}
	return x, ok, nil
}

func (a adapter) run(x any) (made any, err error) {
	defer Guard(&err, "the adapter for ", x)
	return a.call(x)
}

// Guard is deferred by functions that call code of the user. It turns a panic into an error, in which what and, unless x is
// nil, the type of x name that code.
func Guard(err *error, what string, x any) {
	if r := recover(); r != nil {
		if x != nil {
			what += TypeText(reflect.TypeOf(x))
		}
		*err = fmt.Errorf("%s panicked: %v", what, r)
	}
}

// Unwrap finds the tensor that an argument stands for, else the value to take in its place, which may be x itself.
func Unwrap(x any) (*device.Tensor, any, error) {
	if t, ok := x.(interface{ Untyped() *device.Tensor }); ok {
		return t.Untyped(), x, nil
	}
	made, _, err := Adapt(x)
	if err != nil {
		return nil, nil, err
	}
	if t := TensorOf(made); t != nil {
		return t, nil, nil
	}
	return nil, made, nil
}

// TensorOf finds the tensor that a value is or stands for; nil if it stands for none.
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

// tensorOf holds, for each type that a tensor's elements may have, how to find the tensor that a value stands for; nil if it
// stands for none.
var tensorOf = []func(any) *device.Tensor{
	as[bool], as[int8], as[int16], as[int32], as[int64], as[uint8], as[uint16], as[uint32], as[uint64],
	as[dtype.Float16], as[dtype.BFloat16], as[float32], as[float64],
	as[dtype.Float8E4M3FN], as[dtype.Float8E5M2], as[dtype.Float8E8M0FNU], as[dtype.Float8E5M3FNU], as[dtype.TensorFloat32],
}

func as[E dtype.Elem](x any) *device.Tensor {
	t, ok := x.(api.TensorOf[E])
	if !ok {
		return nil
	}
	if v := reflect.ValueOf(x); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	return t.Tensor().Untyped()
}
