package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// network is a recurrent network in float64, a number at a time.
type network struct {
	kind                        string // rnn, lstm or gru
	steps, batch, input, hidden int
	x, w, r, bias, h, c, peep   []float64
	lengths                     []int32
	reverse, joined, after      bool
	f                           []func(float64) float64
}

// gate is row q·hidden+j of w times x, and of r times the state.
func (n *network) gate(q, j int, x, h []float64) (fromX, fromH float64) {
	row, gates := q*n.hidden+j, len(n.w)/(n.hidden*n.input)
	for i, x := range x {
		fromX += n.w[row*n.input+i] * x
	}
	for i, h := range h {
		fromH += n.r[row*n.hidden+i] * h
	}
	if n.bias != nil {
		fromX, fromH = fromX+n.bias[row], fromH+n.bias[gates*n.hidden+row]
	}
	return fromX, fromH
}

func (n *network) step(x, h, c []float64) (newH, newC []float64) {
	newH, newC = slices.Clone(h), slices.Clone(c)
	both := func(q, j int) float64 { a, b := n.gate(q, j, x, h); return a + b }
	peep := func(q, j int, c float64) float64 {
		if n.peep == nil {
			return 0
		}
		return n.peep[q*n.hidden+j] * c
	}
	reset := make([]float64, n.hidden)
	for j := range n.hidden {
		if n.kind == "gru" {
			reset[j] = n.f[0](both(1, j)) * h[j]
		}
	}
	for j := range n.hidden {
		switch n.kind {
		case "rnn":
			newH[j] = n.f[0](both(0, j))
		case "lstm":
			in, forget := n.f[0](both(0, j)+peep(0, j, c[j])), n.f[0](both(2, j)+peep(2, j, c[j]))
			if n.joined {
				forget = 1 - in
			}
			newC[j] = forget*c[j] + in*n.f[1](both(3, j))
			newH[j] = n.f[0](both(1, j)+peep(1, j, newC[j])) * n.f[2](newC[j])
		case "gru":
			update := n.f[0](both(0, j))
			fromX, fromH := n.gate(2, j, x, reset)
			if n.after {
				_, fromH = n.gate(2, j, x, h)
				fromH *= n.f[0](both(1, j))
			}
			newH[j] = (1-update)*n.f[1](fromX+fromH) + update*h[j]
		}
	}
	return newH, newC
}

func (n *network) run() (y, last, cell []float64) {
	y = make([]float64, n.steps*n.batch*n.hidden)
	for b := range n.batch {
		h, c := make([]float64, n.hidden), make([]float64, n.hidden)
		if n.h != nil {
			copy(h, n.h[b*n.hidden:])
		}
		if n.c != nil {
			copy(c, n.c[b*n.hidden:])
		}
		length := n.steps
		if n.lengths != nil {
			length = min(length, int(n.lengths[b]))
		}
		for i := range length {
			t := i
			if n.reverse {
				t = length - 1 - i
			}
			h, c = n.step(n.x[(t*n.batch+b)*n.input:][:n.input], h, c)
			copy(y[(t*n.batch+b)*n.hidden:], h)
		}
		last, cell = append(last, h...), append(cell, c...)
	}
	return y, last, cell
}

// TestRecurrent compares networks of every kind and with every option with loops.
func TestRecurrent(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	relu := func(x float64) float64 { return max(x, 0) }
	gates := map[string]int{"rnn": 1, "lstm": 4, "gru": 3}
	usual := map[string][]func(float64) float64{"rnn": {math.Tanh}, "lstm": {sigmoid, math.Tanh, math.Tanh}, "gru": {sigmoid, math.Tanh}}
	for _, kind := range []string{"rnn", "lstm", "gru"} {
		for mask := range 128 {
			on := func(bit int) bool { return mask>>bit&1 == 1 }
			if kind != "lstm" && on(5) || kind == "rnn" && on(6) || r.IntN(3) > 0 && mask != 0 && mask != 127 {
				continue
			}
			n := &network{kind: kind, steps: 1 + r.IntN(5), batch: 1 + r.IntN(3), input: 1 + r.IntN(3), hidden: 1 + r.IntN(4), f: usual[kind], reverse: on(0)}
			k := gates[kind]
			n.x, n.w, n.r = normals(r, n.steps*n.batch*n.input), normals(r, k*n.hidden*n.input), normals(r, k*n.hidden*n.hidden)
			g := graph.New()
			o := graph.RecurrentOptions{Reverse: on(0)}
			if on(1) {
				n.bias = normals(r, 2*k*n.hidden)
				o.Bias = graph.Constant(g, n.bias)
			}
			if on(2) {
				n.h = normals(r, n.batch*n.hidden)
				o.Initial = graph.Constant(g, n.h, n.batch, n.hidden)
			}
			if on(3) {
				for range n.batch {
					n.lengths = append(n.lengths, int32(r.IntN(n.steps+2)))
				}
				o.Lengths = graph.Constant(g, n.lengths)
			}
			if on(4) {
				n.f = slices.Clone(n.f)
				n.f[len(n.f)-1] = relu
				o.Activations = [][]func(*graph.Value) *graph.Value{nil, {graph.Relu}, {graph.Sigmoid, graph.Relu}, {graph.Sigmoid, graph.Tanh, graph.Relu}}[len(n.f)]
			}
			if on(5) {
				n.c, n.peep = normals(r, n.batch*n.hidden), normals(r, 3*n.hidden)
				o.InitialCell, o.Peepholes = graph.Constant(g, n.c, n.batch, n.hidden), graph.Constant(g, n.peep)
			}
			n.joined, n.after = on(6) && kind == "lstm", on(6) && kind == "gru"
			o.InputForget, o.ResetAfter = n.joined, n.after
			x, w, m := graph.Constant(g, n.x, n.steps, n.batch, n.input), graph.Constant(g, n.w, k*n.hidden, n.input), graph.Constant(g, n.r, k*n.hidden, n.hidden)
			var y, last, cell *graph.Value
			switch kind {
			case "rnn":
				y, last = graph.RNN(x, w, m, o)
				cell = last
			case "gru":
				y, last = graph.GRU(x, w, m, o)
				cell = last
			case "lstm":
				y, last, cell = graph.LSTM(x, w, m, o)
			}
			out := run(t, g, y, last, cell)
			wantY, wantLast, wantCell := n.run()
			if kind != "lstm" {
				wantCell = wantLast
			}
			name := fmt.Sprintf("%s, options %07b", kind, mask)
			closeAll(t, name+", states", doubles(t, out[0]), wantY)
			closeAll(t, name+", last state", doubles(t, out[1]), wantLast)
			closeAll(t, name+", last cell", doubles(t, out[2]), wantCell)
		}
	}
}

func closeAll(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if len(got) != len(want) || !(math.Abs(got[i]-want[i]) <= 1e-11*max(1, math.Abs(want[i]))) {
			t.Fatalf("%s: %v, expected %v", what, got, want)
		}
	}
}

// TestRecurrentRefused: wrong arguments, and where they are.
func TestRecurrentRefused(t *testing.T) {
	zeros := func(g *graph.Graph, shape ...int) *graph.Value { return graph.Full(g, 0.0, shape...) }
	for _, c := range []struct {
		want string
		make func(g *graph.Graph, x, w, r *graph.Value) *graph.Value
	}{
		{"rnn: w is float64[12 2], expected float64[3 2]", func(g *graph.Graph, x, w, r *graph.Value) *graph.Value {
			_, h := graph.RNN(x, w, graph.Narrow(r, 0, 0, 3), graph.RecurrentOptions{})
			return h
		}},
		{"lstm: r is float64[9 3], expected float64[12 3]", func(g *graph.Graph, x, w, r *graph.Value) *graph.Value {
			_, _, c := graph.LSTM(x, w, graph.Narrow(r, 0, 0, 9), graph.RecurrentOptions{})
			return c
		}},
		{"gru: x, w and r are float64[5 4 2], float64[12 2] and float64[36], expected 3, 2 and 2 axes", func(g *graph.Graph, x, w, r *graph.Value) *graph.Value {
			y, _ := graph.GRU(x, w, graph.Reshape(r, 36), graph.RecurrentOptions{})
			return y
		}},
		{"lstm: Bias is float64[12], expected float64[24]", lstm(func(g *graph.Graph) graph.RecurrentOptions { return graph.RecurrentOptions{Bias: zeros(g, 12)} })},
		{"lstm: Initial is float64[3], expected float64[4 3]", lstm(func(g *graph.Graph) graph.RecurrentOptions { return graph.RecurrentOptions{Initial: zeros(g, 3)} })},
		{"lstm: InitialCell is float32[4 3]", lstm(func(g *graph.Graph) graph.RecurrentOptions {
			return graph.RecurrentOptions{InitialCell: graph.Convert(zeros(g, 4, 3), dtype.F32)}
		})},
		{"lstm: Lengths is float64[4], expected one integer for each of 4", lstm(func(g *graph.Graph) graph.RecurrentOptions { return graph.RecurrentOptions{Lengths: zeros(g, 4)} })},
		{"lstm: 1 activations, expected 3", lstm(func(g *graph.Graph) graph.RecurrentOptions {
			return graph.RecurrentOptions{Activations: []func(*graph.Value) *graph.Value{graph.Tanh}}
		})},
		{"activation 0 makes float64[] of float64[4 3]", lstm(func(g *graph.Graph) graph.RecurrentOptions {
			all := func(x *graph.Value) *graph.Value { return graph.ReduceSum(x) }
			return graph.RecurrentOptions{Activations: []func(*graph.Value) *graph.Value{all, all, all}}
		})},
		{"lstm: the option ResetAfter is for a GRU", lstm(func(g *graph.Graph) graph.RecurrentOptions { return graph.RecurrentOptions{ResetAfter: true} })},
		{"gru: the option Peepholes is for an LSTM", func(g *graph.Graph, x, w, r *graph.Value) *graph.Value {
			y, _ := graph.GRU(x, graph.Narrow(w, 0, 0, 9), graph.Narrow(r, 0, 0, 9), graph.RecurrentOptions{Peepholes: zeros(g, 9)})
			return y
		}},
		{"lstm: x is float64[5000 4 2]: 5000 steps, expected 1 to 4096", func(g *graph.Graph, x, w, r *graph.Value) *graph.Value {
			y, _, _ := graph.LSTM(zeros(g, 5000, 4, 2), w, r, graph.RecurrentOptions{})
			return y
		}},
		{"lstm: x is float64[0 4 2]: 0 steps", func(g *graph.Graph, x, w, r *graph.Value) *graph.Value {
			y, _, _ := graph.LSTM(zeros(g, 0, 4, 2), w, r, graph.RecurrentOptions{})
			return y
		}},
		{"w is nil", func(g *graph.Graph, x, w, r *graph.Value) *graph.Value {
			y, _, _ := graph.LSTM(x, nil, r, graph.RecurrentOptions{})
			return y
		}},
	} {
		g := graph.New()
		v := c.make(g, zeros(g, 5, 4, 2), zeros(g, 12, 2), zeros(g, 12, 3))
		if err := v.Err(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "recurrent_test.go:") {
			t.Errorf("the error is %v, expected one with %q and the line", err, c.want)
		} else {
			plain(t, err.Error())
		}
	}
}

// lstm makes an LSTM with options.
func lstm(o func(g *graph.Graph) graph.RecurrentOptions) func(g *graph.Graph, x, w, r *graph.Value) *graph.Value {
	return func(g *graph.Graph, x, w, r *graph.Value) *graph.Value {
		y, _, _ := graph.LSTM(x, w, r, o(g))
		return y
	}
}
