package gomlx

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/graph"
	"github.com/gomlx/gomlx/backends"
)

// product applies a product of two arrays, in which each element of the result is a sum of products of theirs.
func (b *Builder) product(t backends.OpType, x, y backends.Op, f binaryFunc) (backends.Op, error) {
	list, err := b.operands(t, x, y)
	if err != nil {
		return nil, err
	}
	if err := check(t, numbers, list...); err != nil {
		return nil, err
	}
	if _, _, err := parts(t, list); err != nil {
		return nil, err
	}
	if list[0].im != nil {
		return b.result(t, pairOf(list[0].complex().Bilinear(f, list[1].complex())))
	}
	return b.result(t, pair{re: f(list[0].re, list[1].re)})
}

// Dot multiplies matrices and vectors, each of rank 1 or 2.
func (b *Builder) Dot(x, y backends.Op) (backends.Op, error) {
	list, err := b.operands(backends.OpTypeDot, x, y)
	if err != nil {
		return nil, err
	}
	for i, v := range list {
		if r := v.shape.Rank(); r != 1 && r != 2 {
			return nil, fmt.Errorf("cutile: Dot: operand %d is %s, expected rank 1 or 2", i+1, v.shape)
		}
	}
	return b.product(backends.OpTypeDot, x, y, graph.MatMul)
}

// DotGeneral multiplies arrays: the result has the batch axes, the other axes of x, and the other axes of y.
func (b *Builder) DotGeneral(x backends.Op, xSum, xBatch []int, y backends.Op, ySum, yBatch []int) (backends.Op, error) {
	axes := graph.DotAxes{LeftBatch: xBatch, RightBatch: yBatch, LeftSum: xSum, RightSum: ySum}
	return b.product(backends.OpTypeDotGeneral, x, y, func(x, y *graph.Value) *graph.Value {
		return graph.DotGeneral(x, y, axes, x.DType())
	})
}

// ConvGeneral convolves x with a kernel, which is not reversed. strides, paddings and dilations are for the spatial axes, or nil.
func (b *Builder) ConvGeneral(x, kernel backends.Op, axes backends.ConvolveAxesConfig, strides []int, paddings [][2]int,
	inputDilations, kernelDilations []int, channelGroups, batchGroups int) (backends.Op, error) {
	list, err := b.operands(backends.OpTypeConvGeneral, x, kernel)
	if err != nil {
		return nil, err
	}
	in := slices.Concat([]int{axes.InputBatch, axes.InputChannels}, axes.InputSpatial)
	weights := slices.Concat([]int{axes.KernelOutputChannels, axes.KernelInputChannels}, axes.KernelSpatial)
	out := slices.Concat([]int{axes.OutputBatch, axes.OutputChannels}, axes.OutputSpatial)
	if err := checkConv(list[0], list[1], in, weights, out, axes, channelGroups, batchGroups); err != nil {
		return nil, err
	}
	options := graph.ConvOptions{Stride: orNil(strides), Dilation: orNil(kernelDilations), BaseDilation: orNil(inputDilations), Groups: max(channelGroups, batchGroups)}
	for _, p := range paddings {
		options.Low, options.High = append(options.Low, p[0]), append(options.High, p[1])
	}
	return b.product(backends.OpTypeConvGeneral, x, kernel, func(x, w *graph.Value) *graph.Value {
		x = graph.Transpose(x, in...)
		if batchGroups > 1 {
			x = batchGroupsAsChannels(x, batchGroups)
		}
		y := graph.Conv(x, graph.Transpose(w, weights...), options)
		return graph.Transpose(y, inverse(out)...)
	})
}

// batchGroupsAsChannels makes groups of channels of groups of a batch: each is convolved with the kernels of some channels of the
// result alone.
func batchGroupsAsChannels(x *graph.Value, groups int) *graph.Value {
	shape := x.Shape()
	batch, channels, spatial := shape[0]/groups, shape[1], shape[2:]
	x = graph.Reshape(x, slices.Concat([]int{groups, batch, channels}, spatial)...)
	order := []int{1, 0, 2}
	for i := range spatial {
		order = append(order, 3+i)
	}
	return graph.Reshape(graph.Transpose(x, order...), slices.Concat([]int{batch, groups * channels}, spatial)...)
}

// checkConv checks what package graph does not.
func checkConv(x, kernel *op, in, weights, out []int, axes backends.ConvolveAxesConfig, channelGroups, batchGroups int) error {
	rank := x.shape.Rank()
	for _, list := range [][]int{in, weights, out} {
		sorted := slices.Sorted(slices.Values(list))
		for i, a := range sorted {
			if a != i || len(sorted) != rank {
				return fmt.Errorf("cutile: ConvGeneral of %s with %s: the axes %+v do not name each of %d axes once", x.shape, kernel.shape, axes, rank)
			}
		}
	}
	switch {
	case rank < 2 || kernel.shape.Rank() != rank:
		return fmt.Errorf("cutile: ConvGeneral of %s with %s: expected the same rank, at least 2", x.shape, kernel.shape)
	case channelGroups < 1 || batchGroups < 1 || channelGroups > 1 && batchGroups > 1:
		return fmt.Errorf("cutile: ConvGeneral: %d groups of channels and %d of the batch, expected at least 1, and 1 of one of them", channelGroups, batchGroups)
	case x.shape.Dimensions[in[0]]%batchGroups != 0:
		return fmt.Errorf("cutile: ConvGeneral of %s: the batch of %d is no multiple of %d groups", x.shape, x.shape.Dimensions[in[0]], batchGroups)
	}
	return nil
}

// inverse gives the permutation that undoes another one.
func inverse(axes []int) []int {
	inv := make([]int, len(axes))
	for i, a := range axes {
		inv[a] = i
	}
	return inv
}

// orNil gives nil for a list without numbers, which stands for the usual ones.
func orNil(list []int) []int {
	if len(list) == 0 {
		return nil
	}
	return list
}
