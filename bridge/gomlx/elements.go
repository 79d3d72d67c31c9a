package gomlx

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unsafe"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// storage says how elements of one of GoMLX's data types lie in a tensor.
type storage struct {
	dtype    dtypes.DType
	elem     dtype.Type // of the tensor
	complex  bool       // the tensor has one more axis, the last, of the real and the imaginary part
	upload   func(dev *device.Device, at unsafe.Pointer, shape []int) (device.AnyTensor, error)
	wrap     func(dev *device.Device, at unsafe.Pointer, shape []int) (device.AnyTensor, error) // of the memory itself
	download func(ctx context.Context, t device.AnyTensor, at unsafe.Pointer) error
	view     func(t device.AnyTensor) device.AnyTensor
}

// storages are those of all data types that have a Go type.
var storages = []*storage{
	stored[bool](dtypes.Bool, false),
	stored[int8](dtypes.Int8, false), stored[int16](dtypes.Int16, false), stored[int32](dtypes.Int32, false), stored[int64](dtypes.Int64, false),
	stored[uint8](dtypes.Uint8, false), stored[uint16](dtypes.Uint16, false), stored[uint32](dtypes.Uint32, false), stored[uint64](dtypes.Uint64, false),
	stored[dtype.Float16](dtypes.Float16, false), stored[dtype.BFloat16](dtypes.BFloat16, false),
	stored[float32](dtypes.Float32, false), stored[float64](dtypes.Float64, false),
	stored[float32](dtypes.Complex64, true), stored[float64](dtypes.Complex128, true),
}

func stored[E dtype.Elem](of dtypes.DType, complex bool) *storage {
	from := func(make func(*device.Device, []E, ...int) (*device.Tensor[E], error)) func(*device.Device, unsafe.Pointer, []int) (device.AnyTensor, error) {
		return func(dev *device.Device, at unsafe.Pointer, shape []int) (device.AnyTensor, error) {
			n := product(shape)
			t, err := make(dev, unsafe.Slice((*E)(at), n), n)
			if err != nil {
				return nil, err
			}
			return t.Reshape(shape...), nil
		}
	}
	return &storage{
		dtype: of, elem: dtype.Of[E](), complex: complex,
		upload: from(device.FromSlice[E]),
		wrap:   from(device.Wrap[E]),
		download: func(ctx context.Context, t device.AnyTensor, at unsafe.Pointer) error {
			return t.(*device.Tensor[E]).Read(ctx, unsafe.Slice((*E)(at), t.Len()))
		},
		view: func(t device.AnyTensor) device.AnyTensor { return t.(*device.Tensor[E]).Reshape(t.Shape()...) },
	}
}

// storageOf finds the storage of a data type.
func storageOf(d dtypes.DType) (*storage, error) {
	for _, s := range storages {
		if s.dtype == d {
			return s, nil
		}
	}
	return nil, fmt.Errorf("cutile: no arrays of %s: Go has no type for its elements; the data types are %v", d, dataTypes())
}

// dtypeOf gives the data type of arrays of elements, or of pairs of them.
func dtypeOf(elem dtype.Type, complex bool) dtypes.DType {
	for _, s := range storages {
		if s.elem == elem && s.complex == complex {
			return s.dtype
		}
	}
	panic(fmt.Sprintf("BUG: cutile: no data type of elements %v, complex %v", elem, complex))
}

func dataTypes() []dtypes.DType {
	all := make([]dtypes.DType, len(storages))
	for i, s := range storages {
		all[i] = s.dtype
	}
	return all
}

// slice makes a slice of elements that are zero.
func (s *storage) slice(n int) reflect.Value {
	return reflect.MakeSlice(reflect.SliceOf(s.dtype.GoType()), n, n)
}

// tensorShape gives the shape of the tensor for an array of a shape.
func (s *storage) tensorShape(dims []int) []int {
	if s.complex {
		return append(slices.Clone(dims), 2)
	}
	return dims
}

// memoryOf checks that flat is a slice with the elements of an array of a shape, and gives where they lie.
func memoryOf(flat any, shape shapes.Shape) (unsafe.Pointer, error) {
	v := reflect.ValueOf(flat)
	if v.Kind() != reflect.Slice {
		return nil, fmt.Errorf("cutile: the elements of %s are a %T, expected a slice", shape, flat)
	}
	d, err := dtypeOfSlice(v)
	switch {
	case err != nil:
		return nil, err
	case d != shape.DType:
		return nil, fmt.Errorf("cutile: %T has elements of %s, expected those of %s", flat, d, shape)
	case v.Len() != product(shape.Dimensions):
		return nil, fmt.Errorf("cutile: %T of %d elements, expected %d for %s", flat, v.Len(), product(shape.Dimensions), shape)
	}
	return v.UnsafePointer(), nil
}

// dtypeOfSlice gives the data type of the elements of a slice.
func dtypeOfSlice(v reflect.Value) (dtypes.DType, error) {
	if v.Kind() == reflect.Slice {
		t := v.Type().Elem()
		if t.Kind() == reflect.Int && strconv.IntSize == 64 {
			return dtypes.Int64, nil
		}
		for _, s := range storages {
			if s.dtype.GoType() == t {
				return s.dtype, nil
			}
		}
	}
	return dtypes.InvalidDType, fmt.Errorf("cutile: no array has the elements of a %v, expected a slice of elements of %v", v.Type(), dataTypes())
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
