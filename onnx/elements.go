package onnx

import (
	"math"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

type value = graph.Value

// elementOperators apply to each element.
var elementOperators = map[string]operator{
	"Add": pairwise(graph.Add), "Sub": pairwise(graph.Sub), "Mul": pairwise(graph.Mul), "Div": pairwise(graph.Div), "Pow": {1, 0, 2, 2, pow, false},
	"Mod": {10, 0, 2, 2, mod, false}, "BitShift": {11, 0, 2, 2, bitShift, false},
	"And": pairwise(graph.And), "Or": pairwise(graph.Or), "Xor": pairwise(graph.Xor),
	"BitwiseAnd": pairwise(graph.And), "BitwiseOr": pairwise(graph.Or), "BitwiseXor": pairwise(graph.Xor), "BitwiseNot": unary(graph.Not),
	"Equal": pairwise(graph.Equal), "Less": pairwise(graph.Less), "LessOrEqual": pairwise(graph.LessEqual),
	"Greater": pairwise(graph.Greater), "GreaterOrEqual": pairwise(graph.GreaterEqual),
	"Max": variadic(graph.Max), "Min": variadic(graph.Min), "Sum": variadic(graph.Add), "Mean": {1, 0, 1, -1, mean, false},
	"Neg": unary(graph.Neg), "Abs": unary(graph.Abs), "Sign": unary(graph.Sign), "Exp": unary(graph.Exp), "Log": unary(graph.Log),
	"Sqrt": unary(graph.Sqrt), "Sin": unary(graph.Sin), "Cos": unary(graph.Cos), "Tan": unary(graph.Tan), "Asin": unary(graph.Asin),
	"Acos": unary(graph.Acos), "Atan": unary(graph.Atan), "Sinh": unary(graph.Sinh), "Cosh": unary(graph.Cosh), "Tanh": unary(graph.Tanh),
	"Asinh": unary(graph.Asinh), "Acosh": unary(graph.Acosh), "Atanh": unary(graph.Atanh), "Erf": unary(graph.Erf),
	"Sigmoid": unary(graph.Sigmoid), "Floor": unary(graph.Floor), "Ceil": unary(graph.Ceil), "Round": unary(graph.RoundToEven),
	"Reciprocal": unary(graph.Reciprocal), "Not": unary(graph.Not), "IsNaN": unary(graph.IsNaN), "Relu": unary(graph.Relu),
	"IsInf": element(func(c *call, x *value) *value { return isInf(c, x) }), "Clip": {1, 0, 1, 3, clip, false},
	"Where": {9, 0, 3, 3, where, false}, "Cast": {6, 0, 1, 1, cast, false}, "CastLike": {15, 0, 2, 2, cast, false},
	"BitCast": {26, 0, 1, 1, bitCast, false}, "Identity": {1, 0, 1, 1, func(c *call) []*val { return c.in[:1] }, true},
	"Dropout": {1, 0, 1, 3, dropout, false}, "PRelu": {1, 0, 2, 2, prelu, false},
	"LeakyRelu": element(func(c *call, x *value) *value {
		return graph.Where(graph.Less(x, c.like(x, 0)), graph.Mul(x, c.like(x, c.float("alpha", 0.01))), x)
	}),
	"Elu": element(func(c *call, x *value) *value { return elu(c, x, c.float("alpha", 1), 1) }),
	"Selu": element(func(c *call, x *value) *value {
		gamma := c.float("gamma", 1.05070102214813232421875)
		return graph.Mul(c.like(x, gamma), elu(c, x, c.float("alpha", 1.67326319217681884765625), 1))
	}),
	"Celu": element(func(c *call, x *value) *value { a := c.float("alpha", 1); return elu(c, x, a, a) }),
	"HardSigmoid": element(func(c *call, x *value) *value {
		return unit(c, graph.Add(graph.Mul(x, c.like(x, c.float("alpha", 0.2))), c.like(x, c.float("beta", 0.5))))
	}),
	"HardSwish": element(func(c *call, x *value) *value {
		return graph.Mul(x, unit(c, graph.Add(graph.Mul(x, c.like(x, 1.0/6)), c.like(x, 0.5))))
	}),
	"Softplus": element(softplus),
	"Softsign": element(func(c *call, x *value) *value { return graph.Div(x, graph.Add(graph.Abs(x), c.like(x, 1))) }),
	"Mish":     element(func(c *call, x *value) *value { return graph.Mul(x, graph.Tanh(softplus(c, x))) }),
	"ThresholdedRelu": element(func(c *call, x *value) *value {
		return graph.Where(graph.Greater(x, c.like(x, c.float("alpha", 1))), x, c.like(x, 0))
	}),
	"Shrink": element(shrink), "Gelu": element(gelu), "com.microsoft.Gelu": element(gelu),
	"Swish": element(func(c *call, x *value) *value {
		return graph.Mul(x, graph.Sigmoid(graph.Mul(x, c.like(x, c.float("alpha", 1)))))
	}),
}

// unary is an operator for each element of its input.
func unary(f func(x *value) *value) operator {
	return operator{1, 0, 1, 1, func(c *call) []*val {
		if k := c.host(c.in[:1]); k != nil {
			return []*val{k}
		}
		return c.one(f(c.x(0)))
	}, false}
}

// element is one with attributes.
func element(f func(c *call, x *value) *value) operator {
	return operator{1, 0, 1, 1, func(c *call) []*val { return c.one(f(c, c.x(0))) }, false}
}

// pairwise is an operator for the elements of two inputs.
func pairwise(f func(x, y *value) *value) operator {
	return operator{7, 0, 2, 2, func(c *call) []*val { c.same(0, 1); return []*val{c.pair(c.in[0], c.in[1], f)} }, false}
}

// variadic joins any number of inputs.
func variadic(f func(x, y *value) *value) operator {
	return operator{6, 0, 1, -1, func(c *call) []*val {
		out := c.in[0]
		for i := 1; i < len(c.in); i++ {
			c.x(i)
			c.same(0, i)
			out = c.pair(out, c.in[i], f)
		}
		return []*val{out}
	}, false}
}

// pair applies a function to two values.
func (c *call) pair(x, y *val, f func(x, y *value) *value) *val {
	if k := c.host([]*val{x, y}); k != nil {
		return k
	}
	return computed(f(c.b.of(x), c.b.of(y)), x, y)
}

// host computes the operator for known arrays, if it can.
func (c *call) host(in []*val) *val {
	args := make([]*known, len(in))
	var shapes [][]int
	for _, v := range in {
		if v == nil || v.k == nil {
			return nil
		}
		shapes = append(shapes, v.shape)
	}
	shape, ok := commonShape(shapes...)
	if !ok || size(shape) > maxKnown {
		return nil
	}
	for i, v := range in {
		args[i] = c.b.broadcast(v, shape).k
	}
	if k := apply(c.node.Op, args...); k != nil {
		return constant(k)
	}
	return nil
}

func mean(c *call) []*val {
	sum := c.x(0)
	for i := 1; i < len(c.in); i++ {
		sum = graph.Add(sum, c.x(i))
	}
	return c.one(graph.Div(sum, c.like(sum, float64(len(c.in)))))
}

// pow computes in the type of the base, but for a base of integers with an exponent of floats, in that of the exponent.
func pow(c *call) []*val {
	x, y := c.x(0), c.x(1)
	to := x.DType()
	if !to.IsFloat() && y.DType().IsFloat() {
		x = graph.Convert(x, y.DType())
	}
	return c.one(graph.Convert(graph.Pow(x, graph.Convert(y, x.DType())), to))
}

func mod(c *call) []*val {
	c.same(0, 1)
	if c.flag("fmod") {
		return c.one(graph.Rem(c.x(0), c.x(1)))
	}
	if c.in[0].elem.IsFloat() {
		refuse("inputs have elements of %v, which need the attribute fmod = 1", c.in[0].elem)
	}
	return []*val{c.pair(c.in[0], c.in[1], graph.Mod)}
}

func bitShift(c *call) []*val {
	switch d := c.text("direction", ""); d {
	case "LEFT":
		return c.one(graph.ShiftLeft(c.x(0), c.x(1)))
	case "RIGHT":
		return c.one(graph.ShiftRight(c.x(0), c.x(1)))
	default:
		refuse("direction is %q, expected LEFT or RIGHT", d)
		return nil
	}
}

func isInf(c *call, x *value) *value {
	positive, negative := c.int("detect_positive", 1) != 0, c.int("detect_negative", 1) != 0
	y := graph.IsInf(x)
	if !positive {
		y = graph.And(y, graph.Less(x, c.like(x, 0)))
	}
	if !negative {
		y = graph.And(y, graph.Greater(x, c.like(x, 0)))
	}
	return y
}

// clip has its limits as attributes before version 11.
func clip(c *call) []*val {
	x := c.x(0)
	lo, hi := c.opt(1), c.opt(2)
	if c.opset < 11 {
		lo, hi = c.like(x, c.float("min", -math.MaxFloat32)), c.like(x, c.float("max", math.MaxFloat32))
	}
	if lo != nil {
		x = graph.Max(x, graph.Reshape(lo))
	}
	if hi != nil {
		x = graph.Min(x, graph.Reshape(hi))
	}
	return c.one(x)
}

func where(c *call) []*val {
	c.same(1, 2)
	if c.in[0].k != nil && c.in[1].k != nil && c.in[2].k != nil {
		if shape, ok := commonShape(c.in[0].shape, c.in[1].shape, c.in[2].shape); ok && size(shape) <= maxKnown {
			cond, x, y := c.b.broadcast(c.in[0], shape).k, c.b.broadcast(c.in[1], shape).k, c.b.broadcast(c.in[2], shape).k
			out := newKnown(x.elem, shape)
			for i := range out.len() {
				from := y
				if cond.ints[i] != 0 {
					from = x
				}
				if x.elem.IsFloat() {
					out.floats[i] = from.floats[i]
				} else {
					out.ints[i] = from.ints[i]
				}
			}
			return []*val{constant(out)}
		}
	}
	return c.one(graph.Where(c.x(0), c.x(1), c.x(2)))
}

// cast converts to the type that an attribute names, or to that of the second input.
func cast(c *call) []*val {
	saturate := c.int("saturate", 1) != 0
	c.text("round_mode", "up") // for a type that is not supported
	var to dtype.Type
	if c.node.Op == "Cast" {
		var err error
		if to, err = typeOf(int64(c.int("to", 0))); err != nil {
			refuse("attribute to: %w", err)
		}
	} else {
		to = c.in[1].elem
	}
	if small(to) && !saturate {
		refuse("saturate = 0 is not supported")
	}
	if k := c.in[0].k; k != nil && knowable(to) {
		return []*val{constant(k.convert(to))}
	}
	return []*val{computed(graph.Convert(c.x(0), to), c.in[0])}
}

// small reports whether floats have 8 bits.
func small(t dtype.Type) bool { return t.IsFloat() && t.Size() == 1 }

func bitCast(c *call) []*val {
	to, err := typeOf(int64(c.int("to", 0)))
	if err != nil {
		refuse("attribute to: %w", err)
	}
	return c.one(graph.Bitcast(c.x(0), to))
}

// dropout passes its input on: that is what it does outside of training.
func dropout(c *call) []*val {
	c.float("ratio", 0.5)
	c.int("seed", 0)
	if c.has(2) && c.number(2) != 0 && !(c.has(1) && c.number(1) == 0) {
		refuse("training_mode = true is not supported")
	}
	mask := graph.Full(c.b.g, true, c.in[0].shape...)
	return []*val{c.in[0], {elem: dtype.Bool, shape: c.in[0].shape, node: mask, fixed: true}}
}

func prelu(c *call) []*val {
	x := c.x(0)
	return c.one(graph.Where(graph.Less(x, c.like(x, 0)), graph.Mul(x, c.x(1)), x))
}

// elu is alpha·(e^(x/by) - 1) for negative x.
func elu(c *call, x *value, alpha, by float64) *value {
	inner := x
	if by != 1 {
		inner = graph.Div(x, c.like(x, by))
	}
	return graph.Where(graph.Less(x, c.like(x, 0)), graph.Mul(c.like(x, alpha), graph.Expm1(inner)), x)
}

// unit clamps to the interval from 0 to 1.
func unit(c *call, x *value) *value { return graph.Clamp(c.like(x, 0), x, c.like(x, 1)) }

// softplus is log(e^x + 1), computed so that it does not overflow.
func softplus(c *call, x *value) *value {
	return graph.Add(graph.Max(x, c.like(x, 0)), graph.Log1p(graph.Exp(graph.Neg(graph.Abs(x)))))
}

func shrink(c *call, x *value) *value {
	lambda, bias := c.like(x, c.float("lambd", 0.5)), c.like(x, c.float("bias", 0))
	inside := graph.Where(graph.Greater(x, lambda), graph.Sub(x, bias), c.like(x, 0))
	return graph.Where(graph.Less(x, graph.Neg(lambda)), graph.Add(x, bias), inside)
}

func gelu(c *call, x *value) *value {
	switch a := c.text("approximate", "none"); a {
	case "none":
		return graph.Gelu(x)
	case "tanh":
		return graph.GeluTanh(x)
	default:
		refuse("approximate is %q, expected none or tanh", a)
		return nil
	}
}
