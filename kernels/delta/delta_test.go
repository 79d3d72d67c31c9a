package delta_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/delta"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// problem is the shape of a call.
type problem struct{ batch, heads, groups, tokens, dim, width int }

// rule is the reference, which follows the formulas of the package: it changes state and gives o.
func (p problem) rule(q, k, v, gate, beta, state []float64, scale float64) []float64 {
	o := make([]float64, len(v))
	for row := range p.batch * p.heads {
		group := row/p.heads*p.groups + row%p.heads/(p.heads/p.groups)
		s := state[row*p.dim*p.width:][:p.dim*p.width]
		for t := range p.tokens {
			key, query := k[(group*p.tokens+t)*p.dim:][:p.dim], q[(group*p.tokens+t)*p.dim:][:p.dim]
			at := row*p.tokens + t
			for i := range s {
				s[i] *= math.Exp(gate[at])
			}
			for x := range p.width {
				held, read := 0.0, 0.0
				for d := range p.dim {
					held += key[d] * s[d*p.width+x]
				}
				for d := range p.dim {
					s[d*p.width+x] += beta[at] * key[d] * (v[at*p.width+x] - held)
					read += query[d] * s[d*p.width+x]
				}
				o[at*p.width+x] = scale * read
			}
		}
	}
	return o
}

type element interface {
	delta.Float
	kerneltest.Num
}

// inputs are random: keys have length 1, gates are those of gate for a random number, and beta is between 0 and 1.
type inputs[E element] struct {
	q, k, v                *cutile.Tensor[E]
	gate, beta             *cutile.Tensor[float32]
	qs, ks, vs, gs, bs, ss []float64
}

func given[E element](t *testing.T, dev *cutile.Device, p problem, gate func(x float64) float64) (in inputs[E]) {
	t.Helper()
	r := kerneltest.Rand()
	in.q, in.qs = kerneltest.Random[E](t, dev, r, p.batch, p.groups, p.tokens, p.dim)
	in.v, in.vs = kerneltest.Random[E](t, dev, r, p.batch, p.heads, p.tokens, p.width)
	keys := make([]float64, p.batch*p.groups*p.tokens*p.dim)
	for at := 0; at < len(keys); at += p.dim {
		sum := 0.0
		for d := range p.dim {
			keys[at+d] = r.NormFloat64() + 1 // not far from each other
			sum += keys[at+d] * keys[at+d]
		}
		for d := range p.dim {
			keys[at+d] /= math.Sqrt(sum)
		}
	}
	in.k, in.ks = kerneltest.Tensor[E](t, dev, keys, p.batch, p.groups, p.tokens, p.dim)
	var gates, betas []float64
	for range p.batch * p.heads * p.tokens {
		gates, betas = append(gates, gate(r.Float64())), append(betas, r.Float64())
	}
	in.gate, in.gs = kerneltest.Tensor[float32](t, dev, gates, p.batch, p.heads, p.tokens)
	in.beta, in.bs = kerneltest.Tensor[float32](t, dev, betas, p.batch, p.heads, p.tokens)
	_, in.ss = kerneltest.Random[float32](t, dev, r, p.batch, p.heads, p.dim, p.width)
	return in
}

var functions = []string{"Run", "RunSteps"}

// call calls a function of the package by its name.
func call[E element](ctx context.Context, name string, on cutile.Target, q, k, v *cutile.Tensor[E], gate, beta, state *cutile.Tensor[float32],
	o *cutile.Tensor[E], scale float32) error {
	if name == "Run" {
		return delta.Run(ctx, on, q, k, v, gate, beta, state, o, scale)
	}
	return delta.RunSteps(ctx, on, q, k, v, gate, beta, state, o, scale)
}

func forget(x float64) float64 { return -x / 4 }

func run[E element](t *testing.T, p problem, gate func(float64) float64, tolerance float64) {
	t.Helper()
	for _, name := range functions {
		dev := kerneltest.CPU(t)
		in := given[E](t, dev, p, gate)
		state, _ := kerneltest.Tensor[float32](t, dev, in.ss, p.batch, p.heads, p.dim, p.width)
		o := kerneltest.New[E](t, dev, p.batch, p.heads, p.tokens, p.width)
		kerneltest.Must(t, call(t.Context(), name, dev, in.q, in.k, in.v, in.gate, in.beta, state, o, 0.5))
		want := p.rule(in.qs, in.ks, in.vs, in.gs, in.bs, in.ss, 0.5)
		kerneltest.Near(t, fmt.Sprint(name, p), o, want, tolerance)
		kerneltest.Near(t, fmt.Sprint("state of ", name, p), state, in.ss, min(tolerance, 1e-3))
	}
}

func TestRun(t *testing.T) {
	for _, p := range []problem{
		{1, 1, 1, 1, 1, 1},
		{2, 4, 2, 37, 12, 20},                                      // two heads share keys, and the last chunk is not full
		{1, 2, 2, 70, 24, 70},                                      // two tiles of width
		{1, 1, 1, 32, 128, 16},                                     // a whole chunk
		{1, 1, 1, 3, 256, 5},                                       // the longest keys
		{1, 2, 1, 0, 4, 5}, {0, 2, 1, 3, 4, 5}, {1, 2, 1, 3, 4, 0}, // nothing to do
	} {
		run[float32](t, p, forget, 2e-5)
	}
	run[dtype.Float16](t, problem{1, 4, 2, 40, 32, 24}, forget, 4e-3)
	run[dtype.BFloat16](t, problem{1, 2, 1, 40, 16, 20}, forget, 3e-2)
}

// TestGates has gates of 0, with which all is kept, ones that forget all, and ones in between.
func TestGates(t *testing.T) {
	p := problem{1, 2, 1, 70, 12, 8}
	run[float32](t, p, func(float64) float64 { return 0 }, 5e-5)
	run[float32](t, p, func(x float64) float64 { return -8 * x }, 2e-5)
	for _, reset := range []float64{-120, -1e30, math.Inf(-1)} {
		run[float32](t, p, func(x float64) float64 {
			if x < 0.1 {
				return reset
			}
			return -x / 4
		}, 5e-4)
	}
}

// TestSameKeys writes to the same place again and again, where powers of the matrix of products would lose all digits.
func TestSameKeys(t *testing.T) {
	p, dev := problem{1, 1, 1, 64, 4, 4}, kerneltest.CPU(t)
	in := given[float32](t, dev, p, func(float64) float64 { return 0 })
	for i := range in.ks {
		in.ks[i] = 0.5
	}
	for i := range in.bs {
		in.bs[i] = 1
	}
	k, _ := kerneltest.Tensor[float32](t, dev, in.ks, 1, 1, 64, 4)
	beta, _ := kerneltest.Tensor[float32](t, dev, in.bs, 1, 1, 64)
	state, _ := kerneltest.Tensor[float32](t, dev, in.ss, 1, 1, 4, 4)
	o := kerneltest.New[float32](t, dev, 1, 1, 64, 4)
	kerneltest.Must(t, delta.Run(t.Context(), dev, in.q, k, in.v, in.gate, beta, state, o, 1))
	kerneltest.Near(t, "the same keys", o, p.rule(in.qs, in.ks, in.vs, in.gs, in.bs, in.ss, 1), 2e-5)
	kerneltest.Near(t, "their state", state, in.ss, 2e-5)
}

// TestContinued computes a prompt at once and further tokens one by one, and compares with all tokens at once.
func TestContinued(t *testing.T) {
	p, dev := problem{1, 2, 1, 41, 12, 8}, kerneltest.CPU(t)
	in := given[float32](t, dev, p, forget)
	state, o := kerneltest.New[float32](t, dev, 1, 2, 12, 8), kerneltest.New[float32](t, dev, 1, 2, 41, 8)
	kerneltest.Must(t, state.Fill(t.Context(), 0))
	for from, to := 0, 35; from < 41; from, to = to, to+1 {
		name := "Run"
		if from > 0 {
			name = "RunSteps"
		}
		kerneltest.Must(t, call(t.Context(), name, dev, in.q.Narrow(2, from, to), in.k.Narrow(2, from, to), in.v.Narrow(2, from, to), in.gate.Narrow(2, from, to),
			in.beta.Narrow(2, from, to), state, o.Narrow(2, from, to), 1))
	}
	zeros := make([]float64, len(in.ss))
	kerneltest.Near(t, "continued", o, p.rule(in.qs, in.ks, in.vs, in.gs, in.bs, zeros, 1), 2e-5)
	kerneltest.Near(t, "state", state, zeros, 2e-5)
}

func TestMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	for _, name := range functions {
		run := func(k, v, gate, state *cutile.Tensor[float32]) error {
			return call(t.Context(), name, dev, k, k, v, gate, gate, state, v, 1)
		}
		for _, c := range []struct {
			err  error
			want string
		}{
			{run(x(1, 2, 5, 4), x(1, 3, 5, 6), x(1, 3, 5), x(1, 3, 4, 6)), "v has 3 heads and k has 2, expected a multiple"},
			{run(x(1, 1, 5, 257), x(1, 3, 5, 6), x(1, 3, 5), x(1, 3, 257, 6)), "keys have 257 elements, expected 1 to 256"},
			{run(x(1, 1, 5, 0), x(1, 3, 5, 6), x(1, 3, 5), x(1, 3, 0, 6)), "keys have 0 elements, expected 1 to 256"},
			{run(x(1, 1, 5, 4), x(1, 3, 5, 6), x(1, 3, 5), x(1, 3, 6, 4)), "state has shape [1 3 6 4], expected [batch heads dim width]: axis 2 is 6, but dim is 4 along axis 3 of q"},
			{call(t.Context(), name, dev.Grid(1), x(1, 1, 5, 4), x(1, 1, 5, 4), x(1, 1, 5, 4), x(1, 1, 5), x(1, 1, 5), x(1, 1, 4, 4), x(1, 1, 5, 4), 1),
				"the grid follows from the shapes: give a device or a stream without a grid"},
		} {
			kerneltest.Mismatch(t, c.err, "delta."+name+": "+c.want)
		}
	}
}
