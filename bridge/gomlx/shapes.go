package gomlx

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/graph"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/shapes"
)

// This file has the operations that move elements.

// move applies an operation on one array to the real and the imaginary part.
func (b *Builder) move(t backends.OpType, x backends.Op, f func(v *graph.Value) *graph.Value) (backends.Op, error) {
	return b.each(t, one(f), x)
}

// Reshape gives x another shape; the elements keep their order.
func (b *Builder) Reshape(x backends.Op, dims ...int) (backends.Op, error) {
	for _, d := range dims {
		if d < 0 {
			return nil, fmt.Errorf("cutile: Reshape to %v: expected extents of 0 or more", dims)
		}
	}
	return b.move(backends.OpTypeReshape, x, func(v *graph.Value) *graph.Value { return graph.Reshape(v, dims...) })
}

// Transpose permutes axes: axis i of the result is axis permutation[i] of x.
func (b *Builder) Transpose(x backends.Op, permutation ...int) (backends.Op, error) {
	list, err := b.operands(backends.OpTypeTranspose, x)
	if err != nil {
		return nil, err
	}
	if len(permutation) != list[0].shape.Rank() {
		return nil, fmt.Errorf("cutile: Transpose of %s by %v: expected each axis once", list[0].shape, permutation)
	}
	return b.move(backends.OpTypeTranspose, x, func(v *graph.Value) *graph.Value { return graph.Transpose(v, permutation...) })
}

// BroadcastInDim repeats x to a shape: axis i of x is axis axes[i] of the result.
func (b *Builder) BroadcastInDim(x backends.Op, shape shapes.Shape, axes []int) (backends.Op, error) {
	list, err := b.operands(backends.OpTypeBroadcastInDim, x)
	if err != nil {
		return nil, err
	}
	if !slices.IsSorted(axes) || list[0].shape.DType != shape.DType {
		return nil, fmt.Errorf("cutile: BroadcastInDim of %s to %s along %v: expected the same data type and ascending axes", list[0].shape, shape, axes)
	}
	return b.move(backends.OpTypeBroadcastInDim, x, func(v *graph.Value) *graph.Value { return graph.BroadcastInDim(v, shape.Dimensions, axes) })
}

// Slice takes the elements from starts up to limits, every strides[i]-th of them; strides may be nil.
func (b *Builder) Slice(x backends.Op, starts, limits, strides []int) (backends.Op, error) {
	return b.move(backends.OpTypeSlice, x, func(v *graph.Value) *graph.Value { return graph.Slice(v, starts, limits, strides) })
}

// Reverse turns the order of elements along axes around.
func (b *Builder) Reverse(x backends.Op, axes ...int) (backends.Op, error) {
	return b.move(backends.OpTypeReverse, x, func(v *graph.Value) *graph.Value { return graph.Reverse(v, axes...) })
}

// Concatenate joins arrays along an axis.
func (b *Builder) Concatenate(axis int, ops ...backends.Op) (backends.Op, error) {
	if len(ops) == 0 {
		return nil, fmt.Errorf("cutile: Concatenate of nothing: expected at least one operand")
	}
	return b.each(backends.OpTypeConcatenate, func(v []*graph.Value) *graph.Value { return graph.Concat(axis, v...) }, ops...)
}

// Pad surrounds x with elements of fill, a scalar, and puts some between any two. Axes without a configuration stay.
func (b *Builder) Pad(x, fill backends.Op, config ...backends.PadAxis) (backends.Op, error) {
	list, err := b.operands(backends.OpTypePad, x, fill)
	if err != nil {
		return nil, err
	}
	rank := list[0].shape.Rank()
	if len(config) > rank {
		return nil, fmt.Errorf("cutile: Pad of %s: %d axes are configured", list[0].shape, len(config))
	}
	low, high, interior := make([]int, rank), make([]int, rank), make([]int, rank)
	for i, c := range config {
		low[i], high[i], interior[i] = c.Start, c.End, c.Interior
	}
	return b.each(backends.OpTypePad, func(v []*graph.Value) *graph.Value { return graph.Pad(v[0], v[1], low, high, interior) }, x, fill)
}

// Gather takes slices of x from where vectors of integers say, clamped so that slices lie inside.
func (b *Builder) Gather(x, indices backends.Op, indexVectorAxis int, offsetOutputAxes, collapsedSliceAxes, startIndexMap, sliceSizes []int, _ bool) (backends.Op, error) {
	list, err := b.operands(backends.OpTypeGather, x, indices)
	if err != nil {
		return nil, err
	}
	axes := graph.GatherAxes{OffsetAxes: offsetOutputAxes, Collapsed: collapsedSliceAxes, StartMap: startIndexMap, IndexAxis: indexVectorAxis}
	return b.move(backends.OpTypeGather, x, func(v *graph.Value) *graph.Value {
		return graph.GatherSlices(v, list[1].re, axes, sliceSizes)
	})
}

// ScatterSum adds updates to the elements of x where vectors of integers say. Those outside of x are dropped.
func (b *Builder) ScatterSum(x, indices, updates backends.Op, indexVectorAxis int, windowAxes, insertedAxes, startMap []int, _, _ bool) (backends.Op, error) {
	return b.scatter(backends.OpTypeScatterSum, numbers, graph.FoldSum, x, indices, updates, indexVectorAxis, windowAxes, insertedAxes, startMap)
}

// ScatterMax replaces elements of x by the greatest of them and the updates for them.
func (b *Builder) ScatterMax(x, indices, updates backends.Op, indexVectorAxis int, windowAxes, insertedAxes, startMap []int, _, _ bool) (backends.Op, error) {
	return b.scatter(backends.OpTypeScatterMax, bools|reals, graph.FoldMax, x, indices, updates, indexVectorAxis, windowAxes, insertedAxes, startMap)
}

// ScatterMin replaces elements of x by the least of them and the updates for them.
func (b *Builder) ScatterMin(x, indices, updates backends.Op, indexVectorAxis int, windowAxes, insertedAxes, startMap []int, _, _ bool) (backends.Op, error) {
	return b.scatter(backends.OpTypeScatterMin, bools|reals, graph.FoldMin, x, indices, updates, indexVectorAxis, windowAxes, insertedAxes, startMap)
}

func (b *Builder) scatter(t backends.OpType, takes class, fold graph.Fold, x, indices, updates backends.Op, indexVectorAxis int, windowAxes, insertedAxes, startMap []int) (backends.Op, error) {
	list, err := b.operands(t, x, indices, updates)
	if err != nil {
		return nil, err
	}
	if err := check(t, takes, list[0], list[2]); err != nil {
		return nil, err
	}
	axes := graph.GatherAxes{OffsetAxes: windowAxes, Collapsed: insertedAxes, StartMap: startMap, IndexAxis: indexVectorAxis}
	return b.each(t, func(v []*graph.Value) *graph.Value { return graph.ScatterSlices(v[0], list[1].re, v[1], axes, fold) }, x, updates)
}

// DynamicSlice takes a slice that starts where scalars, or one array of them, say, clamped so that it lies inside.
func (b *Builder) DynamicSlice(x backends.Op, starts []backends.Op, sizes []int) (backends.Op, error) {
	at, err := b.starts(backends.OpTypeDynamicSlice, x, starts)
	if err != nil {
		return nil, err
	}
	return b.move(backends.OpTypeDynamicSlice, x, func(v *graph.Value) *graph.Value { return graph.DynamicSlice(v, at, sizes...) })
}

// DynamicUpdateSlice replaces the slice that starts where scalars, or one array of them, say by update.
func (b *Builder) DynamicUpdateSlice(x, update backends.Op, starts []backends.Op) (backends.Op, error) {
	at, err := b.starts(backends.OpTypeDynamicUpdateSlice, x, starts)
	if err != nil {
		return nil, err
	}
	return b.each(backends.OpTypeDynamicUpdateSlice, func(v []*graph.Value) *graph.Value { return graph.DynamicUpdate(v[0], v[1], at...) }, x, update)
}

// starts gives the starts of a slice: a scalar for each axis, or an array of rank 1 with a number for each.
func (b *Builder) starts(t backends.OpType, x backends.Op, ops []backends.Op) ([]*graph.Value, error) {
	list, err := b.operands(t, append([]backends.Op{x}, ops...)...)
	if err != nil {
		return nil, err
	}
	if err := check(t, ints, list[1:]...); err != nil {
		return nil, err
	}
	rank := list[0].shape.Rank()
	var at []*graph.Value
	if len(list) == 2 && list[1].shape.Rank() == 1 {
		if n := list[1].shape.Dimensions[0]; n != rank {
			return nil, fmt.Errorf("cutile: %s: %d starts for %s, expected one for each axis", t, n, list[0].shape)
		}
		for i := range rank {
			at = append(at, graph.Reshape(graph.Narrow(list[1].re, 0, i, i+1)))
		}
		return at, nil
	}
	for _, s := range list[1:] {
		at = append(at, s.re)
	}
	return at, nil
}
