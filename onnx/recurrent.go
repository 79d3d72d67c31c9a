package onnx

import (
	"github.com/cutile-go/cutile/graph"
)

// recurrentOperators are unrolled over time.
var recurrentOperators = map[string]operator{
	"LSTM": {7, 0, 3, 8, func(c *call) []*val { return recurrent(c, 4, []string{"Sigmoid", "Tanh", "Tanh"}, graph.LSTM) }, false},
	"GRU":  {7, 0, 3, 6, func(c *call) []*val { return recurrent(c, 3, []string{"Sigmoid", "Tanh"}, stateOnly(graph.GRU)) }, false},
	"RNN":  {7, 0, 3, 6, func(c *call) []*val { return recurrent(c, 1, []string{"Tanh"}, stateOnly(graph.RNN)) }, false},
}

// network is a recurrent network in one direction.
type network func(x, w, r *value, o graph.RecurrentOptions) (y, last, lastCell *value)

// stateOnly is a network without a cell.
func stateOnly(f func(x, w, r *value, o graph.RecurrentOptions) (y, last *value)) network {
	return func(x, w, r *value, o graph.RecurrentOptions) (y, last, lastCell *value) {
		y, last = f(x, w, r, o)
		return y, last, nil
	}
}

func recurrent(c *call, gates int, names []string, run network) []*val {
	for i := range 3 {
		if c.in[i].rank() != 3 {
			refuse("inputs have shapes %v, %v and %v, expected 3 axes each", c.in[0].shape, c.in[1].shape, c.in[2].shape)
		}
	}
	x := c.x(0)
	batchFirst := c.flag("layout")
	if batchFirst {
		x = graph.Transpose(x, 1, 0, 2)
	}
	dirs, hidden := c.in[1].shape[0], c.in[2].shape[2]
	if h := c.int("hidden_size", hidden); h != hidden || c.in[2].shape[0] != dirs {
		refuse("weights have shapes %v and %v for hidden_size %d", c.in[1].shape, c.in[2].shape, h)
	}
	direction := c.text("direction", "forward")
	if (direction == "bidirectional") != (dirs == 2) || dirs < 1 || dirs > 2 || direction != "forward" && direction != "reverse" && direction != "bidirectional" {
		refuse("direction is %q for %d directions of weights", direction, dirs)
	}
	c.b.nodes += x.Shape()[0]
	f := c.activations(names, dirs)
	o := graph.RecurrentOptions{Lengths: c.opt(4)}
	if gates == 3 {
		o.ResetAfter = c.flag("linear_before_reset")
	}
	if gates == 4 {
		o.InputForget = c.flag("input_forget")
	}
	var all, final, cells []*value
	for d := range dirs {
		o.Reverse = direction == "reverse" || d == 1
		o.Activations = f[d*len(names) : (d+1)*len(names)]
		o.Bias, o.Initial, o.InitialCell, o.Peepholes = c.part(3, 2, d, false), c.part(5, 3, d, batchFirst), c.part(6, 3, d, batchFirst), c.part(7, 2, d, false)
		y, h, cell := run(x, c.part(1, 3, d, false), c.part(2, 3, d, false), o)
		all, final, cells = append(all, y), append(final, h), append(cells, cell)
	}
	outs := []*value{graph.Stack(1, all...), graph.Stack(0, final...)}
	if gates == 4 {
		outs = append(outs, graph.Stack(0, cells...))
	}
	if batchFirst {
		outs[0] = graph.Transpose(outs[0], 2, 0, 1, 3)
		for i := range outs[1:] {
			outs[1+i] = graph.Transpose(outs[1+i], 1, 0, 2)
		}
	}
	return c.out(outs...)
}

// part gives what an input with rank axes has for direction d, nil if the input is missing. With batchFirst the axis of the directions
// is the second.
func (c *call) part(i, rank, d int, batchFirst bool) *value {
	x := c.opt(i)
	if x == nil {
		return nil
	}
	if c.in[i].rank() != rank {
		refuse("input %d has shape %v, expected %d axes", i, c.in[i].shape, rank)
	}
	axis := 0
	if batchFirst {
		axis = 1
	}
	return graph.Squeeze(graph.Narrow(x, axis, d, d+1), axis)
}

// activation is a function that a recurrent network may name, with the default values of its parameters.
type activation struct {
	alpha, beta float64
	f           func(c *call, x *value, alpha, beta float64) *value
}

var activations = map[string]activation{
	"Sigmoid":  {0, 0, func(_ *call, x *value, _, _ float64) *value { return graph.Sigmoid(x) }},
	"Tanh":     {0, 0, func(_ *call, x *value, _, _ float64) *value { return graph.Tanh(x) }},
	"Relu":     {0, 0, func(_ *call, x *value, _, _ float64) *value { return graph.Relu(x) }},
	"Softplus": {0, 0, func(c *call, x *value, _, _ float64) *value { return softplus(c, x) }},
	"Softsign": {0, 0, func(c *call, x *value, _, _ float64) *value {
		return graph.Div(x, graph.Add(graph.Abs(x), c.like(x, 1)))
	}},
	"Elu": {1, 0, func(c *call, x *value, a, _ float64) *value { return elu(c, x, a, 1) }},
	"Affine": {1, 0, func(c *call, x *value, a, b float64) *value {
		return graph.Add(graph.Mul(x, c.like(x, a)), c.like(x, b))
	}},
	"ScaledTanh": {1, 1, func(c *call, x *value, a, b float64) *value {
		return graph.Mul(graph.Tanh(graph.Mul(x, c.like(x, b))), c.like(x, a))
	}},
	"HardSigmoid": {0.2, 0.5, func(c *call, x *value, a, b float64) *value {
		return unit(c, graph.Add(graph.Mul(x, c.like(x, a)), c.like(x, b)))
	}},
	"LeakyRelu": {0.01, 0, func(c *call, x *value, a, _ float64) *value {
		return graph.Where(graph.Less(x, c.like(x, 0)), graph.Mul(x, c.like(x, a)), x)
	}},
	"ThresholdedRelu": {1, 0, func(c *call, x *value, a, _ float64) *value {
		return graph.Where(graph.Greater(x, c.like(x, a)), x, c.like(x, 0))
	}},
}

// activations gives the functions for all directions: those that attributes name, or the usual ones.
func (c *call) activations(usual []string, dirs int) []func(x *value) *value {
	names := c.texts("activations")
	if names == nil {
		for range dirs {
			names = append(names, usual...)
		}
	}
	if len(names) != len(usual)*dirs {
		refuse("activations are %q, expected %d", names, len(usual)*dirs)
	}
	alphas, betas := c.floats("activation_alpha"), c.floats("activation_beta")
	clip := c.float("clip", 0)
	var out []func(x *value) *value
	for _, name := range names {
		a, ok := activations[name]
		if !ok {
			refuse("the activation %q is not supported", name)
		}
		alpha, beta := a.alpha, a.beta
		if alpha != 0 && len(alphas) > 0 { // values are for the functions that take one, in order
			alpha, alphas = alphas[0], alphas[1:]
		}
		if (beta != 0 || name == "Affine") && len(betas) > 0 {
			beta, betas = betas[0], betas[1:]
		}
		out = append(out, func(x *value) *value {
			if clip > 0 {
				x = graph.Clamp(c.like(x, -clip), x, c.like(x, clip))
			}
			return a.f(c, x, alpha, beta)
		})
	}
	return out
}
