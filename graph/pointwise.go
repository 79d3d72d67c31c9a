package graph

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

func unary(name string, x *Value) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) { return g.Pointwise(name, in[0]) }, x)
}

// pointwise broadcasts operands to their common shape and applies a function to their elements.
func pointwise(name string, values ...*Value) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		if err := ir.FuncNamed(name).Check(in); err != nil {
			return nil, err
		}
		in, err := together(g, in)
		if err != nil {
			return nil, err
		}
		return g.Pointwise(name, in...)
	}, values...)
}

// together broadcasts arrays to their common shape.
func together(g *ir.Graph, in []*ir.Node) ([]*ir.Node, error) {
	shape, err := commonShape(in)
	if err != nil {
		return nil, err
	}
	out := make([]*ir.Node, len(in))
	for i, x := range in {
		if out[i], err = expanded(g, x, shape); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// commonShape gives the shape that arrays are broadcast to.
func commonShape(in []*ir.Node) ([]int, error) {
	var shape []int
	for _, x := range in {
		if n := x.Rank() - len(shape); n > 0 {
			shape = append(slices.Repeat([]int{1}, n), shape...)
		}
		for i, d := range x.Shape {
			at := i + len(shape) - x.Rank()
			switch {
			case shape[at] == 1:
				shape[at] = d
			case d != 1 && d != shape[at]:
				var types []string
				for _, y := range in {
					types = append(types, y.Type())
				}
				return nil, fmt.Errorf("the shapes of %v do not fit: axes, aligned at the last one, must have the same extent, or 1", types)
			}
		}
	}
	return shape, nil
}

// expanded broadcasts an array to a shape, with axes aligned at the last one.
func expanded(g *ir.Graph, x *ir.Node, shape []int) (*ir.Node, error) {
	if x.Rank() > len(shape) {
		return nil, fmt.Errorf("%s has more axes than the shape %v", x.Type(), shape)
	}
	axes := make([]int, x.Rank())
	for i := range axes {
		axes[i] = i + len(shape) - x.Rank()
	}
	return g.Broadcast(x, shape, axes)
}

// Broadcast repeats an array to a shape: axes are aligned at the last one, and an extent of 1 is repeated.
func Broadcast(x *Value, shape ...int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) { return expanded(g, in[0], shape) }, x)
}

// BroadcastInDim repeats an array to a shape: axis i of x is axis axes[i] of the result. (XLA, BroadcastInDim.)
func BroadcastInDim(x *Value, shape, axes []int) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) { return g.Broadcast(in[0], shape, axes) }, x)
}

// Where returns x where cond is true, else y.
func Where(cond, x, y *Value) *Value { return pointwise("select", cond, x, y) }

// Clamp returns x, but at least lo and at most hi.
func Clamp(lo, x, hi *Value) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) {
		if err := ir.FuncNamed("min").Check(in); err != nil {
			return nil, err
		}
		in, err := together(g, in)
		if err != nil {
			return nil, err
		}
		least, err := g.Pointwise("max", in[1], in[0])
		if err != nil {
			return nil, err
		}
		return g.Pointwise("min", least, in[2])
	}, lo, x, hi)
}

// Convert converts elements: floats are rounded to nearest, from floats to integers rounded to zero and saturated (a NaN is 0),
// and integers keep their low bits. What is not 0 is true.
func Convert(x *Value, to dtype.Type) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) { return g.Convert(in[0], to) }, x)
}

// Bitcast returns the bits of elements as another element type of the same size.
func Bitcast(x *Value, to dtype.Type) *Value {
	return build(func(g *ir.Graph, in []*ir.Node) (*ir.Node, error) { return g.Bitcast(in[0], to) }, x)
}

// like returns a number of the element type of x.
func like(x *Value, number float64) *Value {
	if x == nil || x.node == nil {
		return x
	}
	return Number(x.g, x.node.Elem, number)
}

// Square returns x².
func Square(x *Value) *Value {
	if bad := checkOne(x, ir.Numbers); bad != nil {
		return bad
	}
	return Mul(x, x)
}

// Reciprocal returns 1/x.
func Reciprocal(x *Value) *Value {
	if bad := checkOne(x, ir.Numbers); bad != nil {
		return bad
	}
	return Div(like(x, 1), x)
}

// Relu returns x, but at least 0.
func Relu(x *Value) *Value {
	if bad := checkOne(x, ir.Numbers); bad != nil {
		return bad
	}
	return Max(x, like(x, 0))
}

// Silu returns x/(1 + e^-x).
func Silu(x *Value) *Value {
	if bad := checkOne(x, ir.Floats); bad != nil {
		return bad
	}
	return Mul(x, Sigmoid(x))
}

// Gelu returns x·Φ(x), where Φ is the distribution function of the normal distribution, by the error function. (D. Hendrycks and
// K. Gimpel, Gaussian Error Linear Units, 2016.)
func Gelu(x *Value) *Value {
	if bad := checkOne(x, ir.Floats); bad != nil {
		return bad
	}
	return Mul(Mul(x, like(x, 0.5)), Add(Erf(Mul(x, like(x, 0.70710678118654752440))), like(x, 1)))
}

// GeluTanh returns the usual approximation of [Gelu] by the hyperbolic tangent.
func GeluTanh(x *Value) *Value {
	if bad := checkOne(x, ir.Floats); bad != nil {
		return bad
	}
	inner := Mul(like(x, 0.79788456080286535588), Add(x, Mul(like(x, 0.044715), Mul(x, Mul(x, x)))))
	return Mul(Mul(x, like(x, 0.5)), Add(Tanh(inner), like(x, 1)))
}
