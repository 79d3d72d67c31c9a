package interop

import (
	"context"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
)

// CUDAArray holds the facts that the attribute __cuda_array_interface__ of arrays in Python has, with their names in JSON.
type CUDAArray struct {
	Shape   []int  `json:"shape"`
	Type    string `json:"typestr"` // as NumPy writes it, such as "<f4"
	Data    [2]any `json:"data"`    // the address, and whether the memory is read-only
	Strides []int  `json:"strides"` // in bytes
	Version int    `json:"version"` // 3
	Stream  *int   `json:"stream"`  // null: the work on the array has ended
}

// typeStrings are NumPy's names of the element types that it has.
var typeStrings = map[dtype.Type]string{
	dtype.Bool: "|b1", dtype.I8: "|i1", dtype.I16: "<i2", dtype.I32: "<i4", dtype.I64: "<i8",
	dtype.U8: "|u1", dtype.U16: "<u2", dtype.U32: "<u4", dtype.U64: "<u8", dtype.F16: "<f2", dtype.F32: "<f4", dtype.F64: "<f8",
}

// CUDAArrayOf waits for the work that is queued on a tensor of a GPU and gives its facts, for consumers in Python that take them as a dictionary.
// The tensor must not be closed before they are done.
func CUDAArrayOf(ctx context.Context, t device.AnyTensor) (*CUDAArray, error) {
	f, err := device.Share(ctx, t)
	if err != nil {
		return nil, err
	}
	name, ok := typeStrings[f.Type]
	if !ok {
		return nil, fmt.Errorf("interop: the CUDA array interface has no elements of %v: convert them, or use DLPack", f.Type)
	}
	if !strings.HasPrefix(t.Device().Name(), "cuda") {
		return nil, fmt.Errorf("interop: the tensor is on %s: the CUDA array interface is for tensors of GPUs of NVIDIA; use DLPack", t.Device().Name())
	}
	a := &CUDAArray{Shape: f.Shape, Type: name, Data: [2]any{f.Address, f.ReadOnly}, Version: 3}
	for _, s := range f.Strides {
		a.Strides = append(a.Strides, s*f.Type.Size())
	}
	return a, nil
}
