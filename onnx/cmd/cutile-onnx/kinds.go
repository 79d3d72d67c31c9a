package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
)

// kind makes tensors of an element type.
type kind struct {
	zeros func(dev *device.Device, shape []int) (device.AnyTensor, error)
	of    func(dev *device.Device, elements []string, shape []int) (device.AnyTensor, error)
}

var kinds = map[dtype.Type]kind{
	dtype.Bool: kindOf(strconv.ParseBool),
	dtype.I8:   kindOf(signed[int8]), dtype.I16: kindOf(signed[int16]), dtype.I32: kindOf(signed[int32]), dtype.I64: kindOf(signed[int64]),
	dtype.U8: kindOf(unsigned[uint8]), dtype.U16: kindOf(unsigned[uint16]), dtype.U32: kindOf(unsigned[uint32]), dtype.U64: kindOf(unsigned[uint64]),
	dtype.F32: kindOf(float[float32]), dtype.F64: kindOf(float[float64]),
	dtype.F16: kindOf(unread[dtype.Float16]), dtype.BF16: kindOf(unread[dtype.BFloat16]),
	dtype.F8E4M3FN: kindOf(unread[dtype.Float8E4M3FN]), dtype.F8E5M2: kindOf(unread[dtype.Float8E5M2]),
}

func kindOf[E dtype.Elem](parse func(string) (E, error)) kind {
	return kind{
		zeros: func(dev *device.Device, shape []int) (device.AnyTensor, error) {
			t, err := device.NewTensor[E](dev, shape...)
			if err != nil {
				return nil, err
			}
			return t, nil
		},
		of: func(dev *device.Device, elements []string, shape []int) (device.AnyTensor, error) {
			list := make([]E, len(elements))
			for i, text := range elements {
				var err error
				if list[i], err = parse(text); err != nil {
					return nil, fmt.Errorf("-known: element %d: %w", i+1, err)
				}
			}
			n := 1
			for _, d := range shape {
				n *= d
			}
			if n != len(list) {
				return nil, fmt.Errorf("-known gives %d elements, expected %d for the shape %v", len(list), n, shape)
			}
			t, err := device.FromSlice(dev, list)
			if err != nil {
				return nil, err
			}
			return t.Reshape(shape...), nil
		},
	}
}

func signed[E int8 | int16 | int32 | int64](text string) (E, error) {
	n, err := strconv.ParseInt(text, 0, 64)
	if e := E(n); err == nil && int64(e) == n {
		return e, nil
	}
	var e E
	return 0, fmt.Errorf("%q is no %T", text, e)
}

func unsigned[E uint8 | uint16 | uint32 | uint64](text string) (E, error) {
	n, err := strconv.ParseUint(text, 0, 64)
	if e := E(n); err == nil && uint64(e) == n {
		return e, nil
	}
	var e E
	return 0, fmt.Errorf("%q is no %T", text, e)
}

func float[E float32 | float64](text string) (E, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no number", text)
	}
	return E(x), nil
}

func unread[E dtype.Elem](string) (e E, err error) {
	return e, errors.New("elements of this type cannot be given")
}
