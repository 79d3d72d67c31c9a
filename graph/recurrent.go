package graph

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// RecurrentOptions are the options of [RNN], [LSTM] and [GRU]. What is nil or false is left out.
type RecurrentOptions struct {
	Bias        *Value // [2·gates·hidden]: that of the input, then that of the state; nil for zeros
	Initial     *Value // the state before the first step, [batch, hidden]; nil for zeros
	InitialCell *Value // of an LSTM: the cell before the first step, [batch, hidden]; nil for zeros
	Lengths     *Value // [batch], of integers: the steps of each sequence, clamped to 0 and the number of steps; nil if all have all
	Reverse     bool   // the last step first

	// Activations are functions of elements, which return an array of the shape that they are given. Nil stands for: of an RNN
	// [Tanh]; of a GRU [Sigmoid] for the gates, and [Tanh]; of an LSTM [Sigmoid] for the gates, [Tanh] for what is added to the cell,
	// and [Tanh] for the cell.
	Activations []func(x *Value) *Value

	Peepholes   *Value // of an LSTM: what the gates input, output and forget take of the cell, [3·hidden]
	InputForget bool   // of an LSTM: the gate forget is 1 less the gate input
	ResetAfter  bool   // of a GRU: the gate reset applies to the state's product with r (and its bias), not to the state before (ONNX's linear_before_reset)
}

// maxSteps is the greatest number of steps of a recurrent network.
const maxSteps = 1 << 12

// RNN runs a network over x [steps, batch, input]: the state after a step is f(x·wᵀ + h·rᵀ + bias) of the state h before. w is [hidden,
// input], r [hidden, hidden]. y [steps, batch, hidden] has the states after each step, last [batch, hidden] that after the last one.
// Behind the length of a sequence, y is 0 and the state stays as it is; a sequence that is reversed starts at its last step.
//
// The weights of RNN, [LSTM] and [GRU] lie as in ONNX's operators. The steps are unrolled: there may be 1 to 4096. For both
// directions, use two networks, and [Stack] or [Concat] their results.
func RNN(x, w, r *Value, options RecurrentOptions) (y, last *Value) {
	y, last, _ = recurrent(cellOf{"rnn", 1, 1}, x, w, r, options, (*cell).rnn)
	return y, last
}

// LSTM runs a network as [RNN] does, whose gates decide what its cell, and the state, take over. w is [4·hidden, input] and r
// [4·hidden, hidden]: for the gates input, output and forget, and for what is added to the cell. With the activations f, g and h, a step
// gives the cell c' = forget·c + input·g(…) and the state output·h(c'), where a gate is f(x·wᵀ + h·rᵀ + bias), with peepholes plus
// p·c, of the gate output p·c'. lastCell is [batch, hidden]. (S. Hochreiter and J. Schmidhuber, Long short-term memory, 1997; F. A. Gers
// and J. Schmidhuber, Recurrent nets that time and count, 2000.)
func LSTM(x, w, r *Value, options RecurrentOptions) (y, last, lastCell *Value) {
	return recurrent(cellOf{"lstm", 4, 3}, x, w, r, options, (*cell).lstm)
}

// GRU runs a network as [RNN] does, with gates that decide what the state takes over. w is [3·hidden, input] and r [3·hidden, hidden]:
// for the gates update and reset, and for the new state. With the activations f and g, a step gives (1 - update)·g(…) + update·h,
// where a gate is f(x·wᵀ + h·rᵀ + bias), and … is x·wᵀ + (reset·h)·rᵀ + bias, or x·wᵀ + bias + reset·(h·rᵀ + bias) with ResetAfter.
// (K. Cho and others, Learning phrase representations using RNN encoder-decoder for statistical machine translation, 2014.)
func GRU(x, w, r *Value, options RecurrentOptions) (y, last *Value) {
	y, last, _ = recurrent(cellOf{"gru", 3, 2}, x, w, r, options, (*cell).gru)
	return y, last
}

// cellOf is a kind of network.
type cellOf struct {
	name               string
	gates, activations int
}

// step gives the next state and cell from those before, and from what the input adds to the gates: [batch, gates·hidden].
type step func(l *cell, x, h, c *Value) (*Value, *Value)

func recurrent(kind cellOf, x, w, r *Value, o RecurrentOptions, next step) (y, last, lastCell *Value) {
	g, hidden, err := kind.check(x, w, r, o)
	if hidden == 0 {
		bad := &Value{g: g}
		if err != nil {
			bad = g.fail(err)
		}
		return bad, bad, bad
	}
	steps, batch := x.Shape()[0], x.Shape()[1]
	l := &cell{RecurrentOptions: o, hidden: hidden, f: o.Activations, r: Transpose(r)}
	if l.f == nil {
		l.f = []func(*Value) *Value{Sigmoid, Tanh, Tanh}
		if kind.activations == 1 {
			l.f = l.f[1:]
		}
	}
	in := MatMul(x, Transpose(w)) // of all steps at once
	if o.Bias != nil {
		n := kind.gates * hidden
		in, l.bias = Add(in, Narrow(o.Bias, 0, 0, n)), Narrow(o.Bias, 0, n, 2*n)
	}
	var lengths *Value
	if o.Lengths != nil {
		lengths = ExpandDims(Convert(o.Lengths, dtype.I64), 1)
	}
	zero := Broadcast(like(x, 0), batch, hidden)
	h, c := zero, zero
	if o.Initial != nil {
		h = o.Initial
	}
	if o.InitialCell != nil {
		c = o.InitialCell
	}
	ys := make([]*Value, steps)
	for i := range ys {
		t := i
		if o.Reverse {
			t = steps - 1 - i
		}
		newH, newC := next(l, Squeeze(Narrow(in, 0, t, t+1), 0), h, c)
		ys[t] = newH
		if lengths != nil {
			on := Less(like(lengths, float64(t)), lengths)
			ys[t] = Where(on, newH, zero)
			newH, newC = Where(on, newH, h), Where(on, newC, c)
		}
		h, c = newH, newC
	}
	return Stack(0, ys...), h, c
}

// check checks the operands and gives the extent of the state, which is 0 after a mistake, also one that was noted before.
func (k cellOf) check(x, w, r *Value, o RecurrentOptions) (*Graph, int, error) {
	given := []operand{{"x", x}, {"w", w}, {"r", r}}
	for _, v := range []operand{{"Bias", o.Bias}, {"Initial", o.Initial}, {"InitialCell", o.InitialCell}, {"Lengths", o.Lengths}, {"Peepholes", o.Peepholes}} {
		if v.Value != nil {
			given = append(given, v)
		}
	}
	g, in, ok := named(given...)
	if !ok {
		return g, 0, nil
	}
	if in[0].Rank() != 3 || in[1].Rank() != 2 || in[2].Rank() != 2 {
		return g, 0, fmt.Errorf("x, w and r are %s, %s and %s, expected 3, 2 and 2 axes", in[0].Type(), in[1].Type(), in[2].Type())
	}
	steps, batch, input, hidden := in[0].Shape[0], in[0].Shape[1], in[0].Shape[2], in[2].Shape[1]
	type want struct {
		name   string
		v      *Value
		shape  []int
		others bool // networks of this kind do not have it
	}
	for _, a := range []want{
		{"w", w, []int{k.gates * hidden, input}, false}, {"r", r, []int{k.gates * hidden, hidden}, false},
		{"Bias", o.Bias, []int{2 * k.gates * hidden}, false}, {"Initial", o.Initial, []int{batch, hidden}, false},
		{"InitialCell", o.InitialCell, []int{batch, hidden}, k.gates != 4}, {"Peepholes", o.Peepholes, []int{3 * hidden}, k.gates != 4},
	} {
		switch {
		case a.v == nil:
		case a.others:
			return g, 0, fmt.Errorf("the option %s is for an LSTM", a.name)
		case a.v.node.Elem != in[0].Elem || !slices.Equal(a.v.node.Shape, a.shape):
			return g, 0, fmt.Errorf("%s is %v, expected %s: elements of x, %s, and a state of %d elements", a.name, a.v, (&ir.Node{Elem: in[0].Elem, Shape: a.shape}).Type(), in[0].Type(), hidden)
		}
	}
	switch {
	case !in[0].Elem.IsFloat():
		return g, 0, fmt.Errorf("x is %s, expected floats", in[0].Type())
	case hidden == 0:
		return g, 0, fmt.Errorf("r is %v: a state without elements", r)
	case steps < 1 || steps > maxSteps:
		return g, 0, fmt.Errorf("x is %v: %d steps, expected 1 to %d: divide the sequence, and give each part the last state of the one before", x, steps, maxSteps)
	case o.Lengths != nil && (!o.Lengths.node.Elem.IsInt() || !slices.Equal(o.Lengths.node.Shape, []int{batch})):
		return g, 0, fmt.Errorf("Lengths is %v, expected one integer for each of %d sequences", o.Lengths, batch)
	case o.Activations != nil && (len(o.Activations) != k.activations || slices.ContainsFunc(o.Activations, func(f func(*Value) *Value) bool { return f == nil })):
		return g, 0, fmt.Errorf("%d activations, expected %d that are not nil", len(o.Activations), k.activations)
	case o.InputForget && k.gates != 4:
		return g, 0, fmt.Errorf("the option InputForget is for an LSTM")
	case o.ResetAfter && k.gates != 3:
		return g, 0, fmt.Errorf("the option ResetAfter is for a GRU")
	}
	return g, hidden, nil
}
