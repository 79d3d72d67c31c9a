package onnx

import (
	"context"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
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

// Build builds the graph of a model, without compiling it, for inputs whose unknown extents are 2 and ranks 2.
func Build(ctx context.Context, m *Model, dev *device.Device, limit int) error {
	b := &builder{m: m, ctx: ctx, dev: dev, g: graph.New(), limit: limit, dry: true}
	shapes := map[string][]int{}
	var outputs []string
	for _, in := range m.inputs {
		shape := []int{2, 2}
		if in.Rank >= 0 {
			shape = make([]int, in.Rank)
		}
		for i := range in.Dims {
			if shape[i] = 2; in.Dims[i].N >= 0 {
				shape[i] = in.Dims[i].N
			}
		}
		shapes[in.Name] = shape
	}
	for _, o := range m.outputs {
		outputs = append(outputs, o.Name)
	}
	_, _, err := b.model(shapes, nil, outputs)
	return err
}
