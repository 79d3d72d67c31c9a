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
		return nil, fmt.Errorf("%s has %d elements, from which no extent for -1 in %v follows", x.Type(), x.Len(), shape)
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
		axis, err := ir.AxisOf(axis, in[0])
		if err != nil {
			return nil, err
		}
		return narrow(g, in[0], axis, start, limit)
	}, x)
}

func narrow(g *ir.Graph, x *ir.Node, axis, start, limit int) (*ir.Node, error) {
	from, to := make([]int, x.Rank()), slices.Clone(x.Shape)
	from[axis], to[axis] = start, limit
	return g.Slice(x, from, to, nil)
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
			return nil, fmt.Errorf("the mode is constant, expected another one: call Pad")
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
		shape, err := withAxes(in[0], axes)
		if err != nil {
			return nil, err
		}
		return g.Reshape(in[0], shape)
	}, x)
}

// withAxes gives the shape of an array with further axes of extent 1, which are the given ones of the result.
func withAxes(x *ir.Node, axes []int) ([]int, error) {
	axes, err := ir.AxesIn(axes, x.Rank()+len(axes), func() string { return fmt.Sprintf("%s with %d further axes", x.Type(), len(axes)) })
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(x.Shape)
	for _, a := range slices.Sorted(slices.Values(axes)) {
		shape = slices.Insert(shape, a, 1)
	}
	return shape, nil
}

// Squeeze drops axes of extent 1: all of them if none are given.
func Squeeze(x *Value, axes ...int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		drop := map[int]bool{}
		for _, a := range axes {
			i, err := ir.AxisOf(a, in[0])
			if err != nil {
				return nil, err
			}
			if in[0].Shape[i] != 1 {
				return nil, fmt.Errorf("axis %d of %s has extent %d, expected 1", a, in[0].Type(), in[0].Shape[i])
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
