package onnx

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// readers read the elements of tensors as they lie in memory.
var readers = map[dtype.Type]func(context.Context, device.AnyTensor) ([]byte, error){
	dtype.Bool: reader[bool], dtype.I8: reader[int8], dtype.I16: reader[int16], dtype.I32: reader[int32], dtype.I64: reader[int64],
	dtype.U8: reader[uint8], dtype.U16: reader[uint16], dtype.U32: reader[uint32], dtype.F16: reader[dtype.Float16],
	dtype.BF16: reader[dtype.BFloat16], dtype.F32: reader[float32], dtype.F64: reader[float64],
}

func reader[E dtype.Elem](ctx context.Context, t device.AnyTensor) ([]byte, error) {
	elems := make([]E, t.Len())
	if len(elems) == 0 {
		return nil, nil
	}
	if err := t.(*device.Tensor[E]).Read(ctx, elems); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&elems[0])), len(elems)*int(unsafe.Sizeof(elems[0]))), nil
}

// read gives the elements of a tensor.
func read(ctx context.Context, t device.AnyTensor) (*known, error) {
	f := readers[t.DType()]
	switch {
	case f == nil:
		return nil, fmt.Errorf("elements of %v cannot be known", t.DType())
	case t.Len() > maxKnown:
		return nil, fmt.Errorf("it has %d elements, expected at most %d", t.Len(), maxKnown)
	}
	data, err := f(ctx, t)
	if err != nil {
		return nil, err
	}
	return fromBytes(t.DType(), t.Shape(), data), nil
}

// compute computes a value that depends on constants alone.
func (b *builder) compute(node *graph.Value) (*known, error) {
	p, err := b.g.Compile(b.ctx, b.dev, node)
	if err != nil {
		return nil, err
	}
	args := make([]device.AnyTensor, len(b.params))
	for i, name := range b.params {
		args[i] = b.given[name]
		if name == randomState { // what is computed now does not depend on it
			if args[i], err = device.FromSlice(b.dev, make([]uint64, 3)); err != nil {
				return nil, err
			}
		}
	}
	out, err := p.Run(b.ctx, b.dev, args...)
	if err != nil {
		return nil, err
	}
	return read(b.ctx, out[0])
}
