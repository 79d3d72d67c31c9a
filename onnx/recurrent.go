package onnx

import (
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// recurrentOperators are unrolled over time.
var recurrentOperators = map[string]operator{
	"LSTM": {7, 0, 3, 8, func(c *call) []*val { return recurrent(c, 4, []string{"Sigmoid", "Tanh", "Tanh"}, lstm) }, false},
	"GRU":  {7, 0, 3, 6, func(c *call) []*val { return recurrent(c, 3, []string{"Sigmoid", "Tanh"}, gru) }, false},
	"RNN":  {7, 0, 3, 6, func(c *call) []*val { return recurrent(c, 1, []string{"Tanh"}, rnn) }, false},
}

// cell is one direction of a recurrent network.
type cell struct {
	c      *call
	hidden int
	f      []func(x *value) *value // activations
	r      *value                  // weights of the state before, transposed: [hidden, gates·hidden]
	rb     *value                  // their bias [1, gates·hidden], or nil
	peep   *value                  // peepholes of an LSTM [3·hidden], or nil
	before bool                    // linear_before_reset of a GRU
	joined bool                    // input_forget of an LSTM
}

// step gives the next state and cell state from those before, and from what the input adds to the gates: [batch, gates·hidden].
type step func(l *cell, x, h, s *value) (*value, *value)

func recurrent(c *call, gates int, names []string, next step) []*val {
	if c.in[0].rank() != 3 || c.in[1].rank() != 3 || c.in[2].rank() != 3 {
		refuse("inputs have shapes %v, %v and %v, expected 3 axes each", c.in[0].shape, c.in[1].shape, c.in[2].shape)
	}
	x, last := c.x(0), c.in[0].shape[2]
	batchFirst := c.flag("layout")
	if batchFirst {
		x = graph.Transpose(x, 1, 0, 2)
	}
	steps, batch := x.Shape()[0], x.Shape()[1]
	dirs, hidden := c.in[1].shape[0], c.in[2].shape[2]
	if h := c.int("hidden_size", hidden); h != hidden || c.in[1].shape[1] != gates*hidden || c.in[1].shape[2] != last || c.in[2].shape[0] != dirs || c.in[2].shape[1] != gates*hidden {
		refuse("weights have shapes %v and %v for an input of shape %v and hidden_size %d", c.in[1].shape, c.in[2].shape, c.in[0].shape, h)
	}
	if steps > maxSteps || steps < 1 {
		refuse("%d steps, expected 1 to %d: they are unrolled", steps, maxSteps)
	}
	c.b.nodes += steps
	direction := c.text("direction", "forward")
	if (direction == "bidirectional") != (dirs == 2) || dirs > 2 || direction != "forward" && direction != "reverse" && direction != "bidirectional" {
		refuse("direction is %q for %d directions of weights", direction, dirs)
	}
	f := c.activations(names, dirs)
	before, joined := c.flag("linear_before_reset"), c.flag("input_forget")
	var all, final, cells []*value
	for d := range dirs {
		l := &cell{c: c, hidden: hidden, f: f[d*len(names) : (d+1)*len(names)], before: before, joined: joined, r: transposed(c.x(2), d)}
		w := transposed(c.x(1), d)
		var wb *value
		if b := c.opt(3); b != nil {
			row := part(b, d, 1, 2*gates*hidden)
			wb, l.rb = graph.Narrow(row, 1, 0, gates*hidden), graph.Narrow(row, 1, gates*hidden, 2*gates*hidden)
		}
		if p := c.opt(7); p != nil {
			l.peep = part(p, d, 1, 3*hidden)
		}
		h, s := c.initial(5, d, batch, hidden, batchFirst), c.initial(6, d, batch, hidden, batchFirst)
		in := graph.MatMul(x, w) // of all steps at once
		if wb != nil {
			in = graph.Add(in, wb)
		}
		out, h, s := unroll(l, in, h, s, next, direction == "reverse" || d == 1)
		all, final, cells = append(all, graph.Reshape(out, steps, 1, batch, hidden)), append(final, h), append(cells, s)
	}
	y, h, s := graph.Concat(1, all...), graph.Stack(0, final...), graph.Stack(0, cells...)
	if batchFirst {
		y, h, s = graph.Transpose(y, 2, 0, 1, 3), graph.Transpose(h, 1, 0, 2), graph.Transpose(s, 1, 0, 2)
	}
	if gates != 4 {
		s = nil
	}
	return c.out(y, h, s)
}

// part gives row d of an array of rank 2 as a matrix of rows rows.
func part(x *value, d, rows, columns int) *value {
	return graph.Reshape(graph.Narrow(x, 0, d, d+1), rows, columns)
}

// transposed gives matrix d of an array of rank 3, transposed.
func transposed(x *value, d int) *value {
	s := x.Shape()
	return graph.Transpose(graph.Reshape(graph.Narrow(x, 0, d, d+1), s[1], s[2]), 1, 0)
}

// initial gives the state before the first step: input i, or zeros.
func (c *call) initial(i, d, batch, hidden int, batchFirst bool) *value {
	if !c.has(i) {
		return graph.Broadcast(c.num(c.in[0].elem, 0), batch, hidden)
	}
	h := c.x(i)
	if batchFirst {
		h = graph.Transpose(h, 1, 0, 2)
	}
	return graph.Reshape(graph.Narrow(h, 0, d, d+1), batch, hidden)
}

// unroll makes the steps. Steps behind the length of a sequence leave the state as it is, and give zeros.
func unroll(l *cell, in, h, s *value, next step, reverse bool) (out, lastH, lastS *value) {
	c := l.c
	shape := in.Shape()
	outs := make([]*value, shape[0])
	for i := range outs {
		t := i
		if reverse {
			t = len(outs) - 1 - i
		}
		x := graph.Reshape(graph.Narrow(in, 0, t, t+1), shape[1], shape[2])
		newH, newS := next(l, x, h, s)
		outs[t] = newH
		if lens := c.opt(4); lens != nil {
			on := graph.Less(c.num(dtype.I32, float64(t)), graph.ExpandDims(graph.Convert(lens, dtype.I32), 1))
			outs[t] = graph.Where(on, newH, c.like(newH, 0))
			newH, newS = graph.Where(on, newH, h), graph.Where(on, newS, s)
		}
		h, s = newH, newS
	}
	return graph.Stack(0, outs...), h, s
}

// gate takes the columns of gate i, of the input and of the state.
func (l *cell) gate(x *value, i int) *value { return graph.Narrow(x, 1, i*l.hidden, (i+1)*l.hidden) }

func (l *cell) product(h *value) *value {
	y := graph.MatMul(h, l.r)
	if l.rb != nil {
		y = graph.Add(y, l.rb)
	}
	return y
}

// lstm has the gates input, output, forget and cell.
func lstm(l *cell, x, h, s *value) (*value, *value) {
	g := graph.Add(x, l.product(h))
	peep := func(gate *value, i int, s *value) *value {
		if l.peep == nil {
			return gate
		}
		return graph.Add(gate, graph.Mul(graph.Narrow(l.peep, 1, i*l.hidden, (i+1)*l.hidden), s))
	}
	in := l.f[0](peep(l.gate(g, 0), 0, s))
	forget := l.f[0](peep(l.gate(g, 2), 2, s))
	if l.joined {
		forget = graph.Sub(l.c.like(in, 1), in)
	}
	next := graph.Add(graph.Mul(forget, s), graph.Mul(in, l.f[1](l.gate(g, 3))))
	return graph.Mul(l.f[0](peep(l.gate(g, 1), 1, next)), l.f[2](next)), next
}

// gru has the gates update, reset and hidden.
func gru(l *cell, x, h, s *value) (*value, *value) {
	p := l.product(h)
	update := l.f[0](graph.Add(l.gate(x, 0), l.gate(p, 0)))
	reset := l.f[0](graph.Add(l.gate(x, 1), l.gate(p, 1)))
	var inner *value
	if l.before {
		inner = graph.Mul(reset, l.gate(p, 2))
	} else {
		inner = graph.MatMul(graph.Mul(reset, h), l.gate(l.r, 2))
		if l.rb != nil {
			inner = graph.Add(inner, l.gate(l.rb, 2))
		}
	}
	hidden := l.f[1](graph.Add(l.gate(x, 2), inner))
	return graph.Add(graph.Mul(graph.Sub(l.c.like(update, 1), update), hidden), graph.Mul(update, h)), s
}

func rnn(l *cell, x, h, s *value) (*value, *value) {
	return l.f[0](graph.Add(x, l.product(h))), s
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
