package onnx

import (
	"math"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// randomOperators make other numbers in each run. The attribute seed makes them the same in the runs of another session.
var randomOperators = map[string]operator{
	"RandomNormal": {1, 0, 0, 0, randomNormal, false}, "RandomNormalLike": {1, 0, 1, 1, randomNormal, false},
	"RandomUniform": {1, 0, 0, 0, randomUniform, false}, "RandomUniformLike": {1, 0, 1, 1, randomUniform, false},
	"Bernoulli": {15, 0, 1, 1, bernoulli, false}, "Multinomial": {7, 0, 1, 1, multinomial, false},
}

// randomState is the name of the parameter that a graph with random numbers has beside the model's inputs: uint64[3], with a key of
// the session, 0, and the number of the run.
const randomState = "\x00 random state"

// random gives the state for a node: its key is the session's or the seed, the lower half of its counter begins with the number of
// the node, and the upper half is the number of the run. A node needs fewer than 2^32 steps of the counter.
func (c *call) random() *value {
	b := c.b
	if b.random == nil {
		for _, in := range b.m.inputs {
			if in.Name == randomState {
				refuse("the model has an input %q, a name that random numbers need", in.Name)
			}
		}
		b.random = b.g.Parameter(randomState, dtype.U64, 3)
		b.params = append(b.params, randomState)
	}
	key := graph.Narrow(b.random, 0, 0, 1)
	if seed := c.attr("seed", 1); seed != nil {
		key = graph.Constant(b.g, []uint64{uint64(math.Float32bits(seed.F))})
	}
	node := graph.Constant(b.g, []uint64{uint64(b.randoms) << 32})
	b.randoms++
	return graph.Concat(0, key, node, graph.Narrow(b.random, 0, 2, 3))
}

// drawn makes the result of a node with random numbers, which does not depend on constants alone.
func drawn(x *value) []*val {
	v := computed(x)
	v.fixed = false
	return []*val{v}
}

// kind gives the type that the attribute dtype names, or another one.
func (c *call) kind(otherwise dtype.Type) dtype.Type {
	code := c.int("dtype", 0)
	if code == 0 {
		return otherwise
	}
	t, err := typeOf(int64(code))
	if err != nil {
		refuse("dtype: %w", err)
	}
	return t
}

// wanted gives the shape and the type of random numbers: those of the input, or of attributes.
func (c *call) wanted() (shape []int, elem dtype.Type) {
	if c.has(0) {
		return c.in[0].shape, c.kind(c.in[0].elem)
	}
	shape, ok := c.ints("shape")
	if !ok {
		refuse("the attribute shape is missing")
	}
	for _, d := range shape {
		if d < 0 {
			refuse("the attribute shape is %v", shape)
		}
	}
	if float64Size(shape) > float64(c.b.limit) || len(shape) > maxRank {
		refuse("the attribute shape is %v: more than %d elements or %d axes", shape, c.b.limit, maxRank)
	}
	return shape, c.kind(dtype.F32)
}

// scaled makes a + b·x, in float32 for smaller floats.
func (c *call) scaled(x *value, a, b float64, elem dtype.Type) []*val {
	return drawn(graph.Convert(graph.Add(c.like(x, a), graph.Mul(x, c.like(x, b))), elem))
}

// wide is the type in which random numbers are computed.
func wide(elem dtype.Type) dtype.Type {
	if elem == dtype.F16 || elem == dtype.BF16 {
		return dtype.F32
	}
	return elem
}

func randomNormal(c *call) []*val {
	shape, elem := c.wanted()
	_, x := graph.Normal(c.random(), wide(elem), shape...)
	return c.scaled(x, c.float("mean", 0), c.float("scale", 1), elem)
}

func randomUniform(c *call) []*val {
	shape, elem := c.wanted()
	_, x := graph.Uniform(c.random(), wide(elem), shape...)
	low, high := c.float("low", 0), c.float("high", 1)
	return c.scaled(x, low, high-low, elem)
}

// bernoulli gives 1 with the probability that an element has, else 0.
func bernoulli(c *call) []*val {
	p := c.x(0)
	p = graph.Convert(p, wide(p.DType()))
	_, u := graph.Uniform(c.random(), p.DType(), c.in[0].shape...)
	return drawn(graph.Convert(graph.Less(u, p), c.kind(c.in[0].elem)))
}

// multinomial draws classes whose probabilities have the given logarithms, but for a factor: the first class at which the sum of
// probabilities is above a fraction of that of all. A class of probability 0 adds nothing and is never the first.
func multinomial(c *call) []*val {
	shape, n := c.in[0].shape, c.int("sample_size", 1)
	elem := c.kind(dtype.I32)
	if len(shape) != 2 || shape[1] < 1 || n < 1 || elem != dtype.I32 && elem != dtype.I64 {
		refuse("%d samples of %v for input 0 of shape %v, expected at least 1, int32 or int64, and shape [batch classes]", n, elem, shape)
	}
	if float64(shape[0])*float64(n)*float64(shape[1]) > float64(c.b.limit) {
		refuse("%d samples of %v are more than %d comparisons", n, shape, c.b.limit)
	}
	x := c.x(0)
	x = graph.Convert(x, wide(x.DType()))
	sums := graph.CumSum(graph.Exp(graph.Sub(x, graph.ExpandDims(graph.ReduceMax(x, 1), 1))), 1, false)
	total := graph.Narrow(sums, 1, shape[1]-1, shape[1])
	_, u := graph.Uniform(c.random(), x.DType(), shape[0], n)
	at := graph.ExpandDims(graph.Mul(u, total), 2)
	sums, total = graph.ExpandDims(sums, 1), graph.ExpandDims(total, 1)
	before := graph.And(graph.LessEqual(sums, at), graph.Less(sums, total)) // of the last one, rounding may make both equal
	return drawn(graph.ReduceSum(graph.Convert(before, elem), 2))
}
