package onnx

import (
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/onnx/internal/wire"
)

// TensorOf gives tests the elements of a TensorProto.
func TensorOf(t *wire.Tensor) (dtype.Type, []int, []byte, error) {
	x, err := tensorOf(t, nil)
	if err != nil {
		return dtype.Invalid, nil, nil, err
	}
	return x.elem, x.shape, x.data, nil
}
