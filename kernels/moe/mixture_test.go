package moe_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/moe"
	"github.com/cutile-go/cutile/kernels/pointwise"
)

// mixture is a problem; its numbers are x, gates, up and down.
type mixture struct {
	tokens, k, n, experts, share int
	router                       moe.Router
	bias                         []float64
}

// chosen are the experts of each token.
func (m mixture) chosen(x, gates []float64) (ids [][]int) {
	for t := range m.tokens {
		e, _ := choose(m.logits(x, gates, t), m.bias, m.share, m.router)
		ids = append(ids, e)
	}
	return ids
}

func (m mixture) logits(x, gates []float64, t int) []float64 {
	return times(x[t*m.k:][:m.k], gates, m.experts)
}

// times is the product of a row and a matrix of n columns.
func times(row, matrix []float64, n int) []float64 {
	y := make([]float64, n)
	for i, v := range row {
		for j := range n {
			y[j] += v * matrix[i*n+j]
		}
	}
	return y
}

// run is the reference, with given experts.
func (m mixture) run(x, gates, up, down []float64, ids [][]int) []float64 {
	y := make([]float64, m.tokens*m.k)
	for t := range m.tokens {
		row := x[t*m.k:][:m.k]
		weights := weightsOf(m.logits(x, gates, t), ids[t], m.router)
		for s, e := range ids[t] {
			both := times(row, up[e*m.k*2*m.n:][:m.k*2*m.n], 2*m.n)
			for i, g := range both[:m.n] {
				both[i] = g / (1 + math.Exp(-g)) * both[m.n+i]
			}
			for j, v := range times(both[:m.n], down[e*m.n*m.k:][:m.n*m.k], m.k) {
				y[t*m.k+j] += weights[s] * v
			}
		}
	}
	return y
}

var mixtures = []mixture{
	{tokens: 1, k: 1, n: 1, experts: 1, share: 1},
	{tokens: 9, k: 7, n: 5, experts: 6, share: 2, router: moe.Router{Normalise: true}},
	{tokens: 70, k: 5, n: 3, experts: 2, share: 1, router: moe.Router{Sigmoid: true}},
	{tokens: 6, k: 4, n: 3, experts: 9, share: 3, router: moe.Router{Sigmoid: true, Normalise: true, Scale: 2.5}, bias: []float64{0, 0, 3, 0, 1, -1, 0, 0, 2}},
	{tokens: 0, k: 4, n: 3, experts: 2, share: 1},
	{tokens: 3, k: 4, n: 0, experts: 2, share: 1},
}

func TestMixture(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testMixture[float32](t, 1e-4, mixtures) })
	t.Run("float16", func(t *testing.T) { testMixture[dtype.Float16](t, 1e-2, mixtures[3:4]) })
	t.Run("bfloat16", func(t *testing.T) { testMixture[dtype.BFloat16](t, 6e-2, mixtures[1:2]) })
}

func testMixture[E element](t *testing.T, tolerance float64, list []mixture) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, p := range list {
		x, xs := kerneltest.Random[E](t, dev, r, p.tokens, p.k)
		gates, gs := kerneltest.Random[E](t, dev, r, p.k, p.experts)
		up, us := kerneltest.Random[E](t, dev, r, p.experts, p.k, 2*p.n)
		down, ds := kerneltest.Random[E](t, dev, r, p.experts, p.n, p.k)
		m := moe.Mixture[E]{Gates: gates, Up: up, Down: down, Router: p.router, Share: p.share, Gate: pointwise.SwiGLU}
		if p.bias != nil {
			m.Bias, _ = kerneltest.Tensor[float32](t, dev, p.bias, p.experts)
		}
		ids := p.chosen(xs, gs)
		y := kerneltest.New[E](t, dev, p.tokens, p.k)
		kerneltest.Must(t, moe.RunMixture(t.Context(), dev, m, x, y))
		near(t, fmt.Sprint("y ", p), y, p.run(xs, gs, us, ds, ids), tolerance)

		dy, dys := kerneltest.Random[E](t, dev, r, p.tokens, p.k)
		dx := kerneltest.New[E](t, dev, p.tokens, p.k)
		to := moe.MixtureGradients[E]{Gates: kerneltest.New[E](t, dev, p.k, p.experts), Up: kerneltest.New[E](t, dev, p.experts, p.k, 2*p.n),
			Down: kerneltest.New[E](t, dev, p.experts, p.n, p.k)}
		kerneltest.Must(t, moe.RunMixtureBackward(t.Context(), dev, m, x, dy, dx, to))
		// slopes are differences of the reference, with the same experts
		slopes := func(of []float64, run func(changed []float64) []float64) []float64 {
			const h = 1e-5
			out := make([]float64, len(of))
			for i := range of {
				for _, side := range []float64{-1, 1} {
					changed := slices.Clone(of)
					changed[i] += side * h
					for j, v := range run(changed) {
						out[i] += side * v * dys[j] / (2 * h)
					}
				}
			}
			return out
		}
		for _, g := range []struct {
			name string
			got  *cutile.Tensor[E]
			want []float64
		}{
			{"dx", dx, slopes(xs, func(v []float64) []float64 { return p.run(v, gs, us, ds, ids) })},
			{"dgates", to.Gates, slopes(gs, func(v []float64) []float64 { return p.run(xs, v, us, ds, ids) })},
			{"dup", to.Up, slopes(us, func(v []float64) []float64 { return p.run(xs, gs, v, ds, ids) })},
			{"ddown", to.Down, slopes(ds, func(v []float64) []float64 { return p.run(xs, gs, us, v, ids) })},
		} {
			near(t, fmt.Sprint(g.name, " ", p), g.got, g.want, 5*tolerance)
		}
	}
}

// near compares sums of many products, whose errors follow from the greatest of them: each is scaled by that.
func near[E element](t *testing.T, what string, got *cutile.Tensor[E], want []float64, tolerance float64) {
	t.Helper()
	most := 0.0
	for _, w := range want {
		most = max(most, math.Abs(w))
	}
	kerneltest.Near(t, what, got, want, tolerance*max(1, most/4))
}

func TestMixtureMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	good := moe.Mixture[float32]{Gates: x(4, 3), Up: x(3, 4, 10), Down: x(3, 5, 4), Share: 2, Gate: pointwise.SwiGLU}
	for _, c := range []struct {
		change func(m *moe.Mixture[float32])
		want   string
	}{
		{func(m *moe.Mixture[float32]) { m.Up = x(3, 4, 9) }, "m.Up has 9 columns and m.Down 5 rows, expected twice as many columns"},
		{func(m *moe.Mixture[float32]) { m.Share = 4 }, "m.Share is 4, expected 1 to 3 for 3 experts"},
		{func(m *moe.Mixture[float32]) { m.Share = 0 }, "m.Share is 0, expected 1 to 3 for 3 experts"},
		{func(m *moe.Mixture[float32]) { m.Gate = pointwise.Gate{} }, "m.Gate has no functions, expected pointwise.SwiGLU or another Gate"},
		{func(m *moe.Mixture[float32]) { m.Gates = nil }, "m.Gates is nil, expected a tensor"},
		{func(m *moe.Mixture[float32]) { m.Bias = x(2) }, "m.Bias has shape [2], expected [experts]: axis 0 is 2, but experts is 3 along axis 1 of m.Gates"},
	} {
		m := good
		c.change(&m)
		kerneltest.Mismatch(t, moe.RunMixture(ctx, dev, m, x(2, 4), x(2, 4)), "moe.RunMixture: "+c.want)
	}
	kerneltest.Mismatch(t, moe.RunMixtureBackward(ctx, dev, good, x(2, 4), x(2, 4), x(2, 4), moe.MixtureGradients[float32]{Gates: x(4, 3), Up: good.Up}),
		"moe.RunMixtureBackward: to.Down is nil, expected a tensor")
	kerneltest.Mismatch(t, moe.RunMixture(ctx, dev.Grid(1), good, x(2, 4), x(2, 4)),
		"moe.RunMixture: the grid follows from the shapes: give a device or a stream without a grid")
}
