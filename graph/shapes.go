package graph

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

// Reshape gives an array another shape; the elements keep their row-major order. One extent may be -1: it follows from the others.
func Reshape(x *Value, shape ...int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		shape, err := completed(in[0], shape)
		if err != nil {
			return nil, err
		}
		return g.Reshape(in[0], shape)
	}, x)
}

// completed replaces an extent of -1.
func completed(x *ir.Node, shape []int) ([]int, error) {
	open := slices.Index(shape, -1)
	if open < 0 {
		return shape, nil
	}
	n := 1
	for i, d := range shape {
		if i != open {
			n *= d
		}
	}
	if n <= 0 || x.Len()%n != 0 {
		return nil, fmt.Errorf("reshape: %s has %d elements, from which no extent for -1 in %v follows", x.Type(), x.Len(), shape)
	}
	shape = slices.Clone(shape)
	shape[open] = x.Len() / n
	return shape, nil
}

// Transpose permutes axes: axis i of the result is axis axes[i] of x. Without axes their order is reversed.
func Transpose(x *Value, axes ...int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		if len(axes) == 0 {
			for i := in[0].Rank() - 1; i >= 0; i-- {
				axes = append(axes, i)
			}
		}
		return g.Transpose(in[0], axes)
	}, x)
}

// Slice takes the elements from start up to limit, not including limit, along each axis, every stride[i]-th of them; stride may be
// nil for all of them.
func Slice(x *Value, start, limit, stride []int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) { return g.Slice(in[0], start, limit, stride) }, x)
}

// Narrow takes the elements from start up to limit along one axis.
func Narrow(x *Value, axis, start, limit int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		n := in[0]
		axis, err := axisOf("narrow", axis, n.Rank())
		if err != nil {
			return nil, err
		}
		from, to := make([]int, n.Rank()), slices.Clone(n.Shape)
		from[axis], to[axis] = start, limit
		return g.Slice(n, from, to, nil)
	}, x)
}

// axisOf counts a negative axis from the end.
func axisOf(what string, axis, rank int) (int, error) {
	if rank == 0 {
		return 0, fmt.Errorf("%s: axis %d of an array of rank 0, which has no axes", what, axis)
	}
	if axis < -rank || axis >= rank {
		return 0, fmt.Errorf("%s: axis %d of an array of rank %d, expected %d to %d", what, axis, rank, -rank, rank-1)
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}

// Reverse turns the order of elements along axes around.
func Reverse(x *Value, axes ...int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) { return g.Reverse(in[0], axes) }, x)
}

// PadMode says what lies outside of an array.
type PadMode = ir.PadMode

// The modes of [PadWith].
const (
	PadEdge      = ir.PadEdge      // the nearest element
	PadReflect   = ir.PadReflect   // the elements mirrored at the outermost one, which is not repeated
	PadSymmetric = ir.PadSymmetric // the elements mirrored at the edge
	PadWrap      = ir.PadWrap      // the elements again from the other end
)

// Pad surrounds an array with low[i] elements of fill before and high[i] behind along axis i, and interior[i] between any two;
// negative numbers of low and high drop elements. fill has rank 0; interior may be nil.
func Pad(x, fill *Value, low, high, interior []int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		return g.Pad(in[0], in[1], low, high, interior, ir.PadConstant)
	}, x, fill)
}

// PadWith surrounds an array with some of its own elements.
func PadWith(x *Value, mode PadMode, low, high []int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		if mode == ir.PadConstant {
			return nil, fmt.Errorf("pad: PadWith takes no constant mode: call Pad")
		}
		return g.Pad(in[0], nil, low, high, nil, mode)
	}, x)
}

// Concat joins arrays along an axis.
func Concat(axis int, values ...*Value) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) { return g.Concat(axis, in...) }, values...)
}

// ExpandDims inserts axes of extent 1 so that they are the given axes of the result.
func ExpandDims(x *Value, axes ...int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		rank := in[0].Rank() + len(axes)
		shape := make([]int, rank)
		for _, a := range axes {
			i, err := axisOf("expand_dims", a, rank)
			if err != nil {
				return nil, err
			}
			shape[i]++
		}
		rest := in[0].Shape
		for i, n := range shape {
			switch {
			case n > 1:
				return nil, fmt.Errorf("expand_dims: axis %d is named twice in %v", i, axes)
			case n == 0:
				shape[i], rest = rest[0], rest[1:]
			}
		}
		return g.Reshape(in[0], shape)
	}, x)
}

// Squeeze drops axes of extent 1: all of them if none are given.
func Squeeze(x *Value, axes ...int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		drop := map[int]bool{}
		for _, a := range axes {
			i, err := axisOf("squeeze", a, in[0].Rank())
			if err != nil {
				return nil, err
			}
			if in[0].Shape[i] != 1 {
				return nil, fmt.Errorf("squeeze: axis %d of %s has extent %d, expected 1", a, in[0].Type(), in[0].Shape[i])
			}
			drop[i] = true
		}
		var shape []int
		for i, d := range in[0].Shape {
			if !drop[i] && (len(axes) > 0 || d != 1) {
				shape = append(shape, d)
			}
		}
		return g.Reshape(in[0], shape)
	}, x)
}

// Windows views an array of rank r as windows: axis i of the result counts the windows along axis i of x, which start stride[i]
// apart, and axis r+i the size[i] elements of a window, which lie dilation[i] apart. Windows lie inside of x.
func Windows(x *Value, size, stride, dilation []int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) { return g.Window(in[0], size, stride, dilation) }, x)
}
