package attention_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// visible is how many keys a query sees.
func (p problem) visible(causal bool) func(batch, query int) int {
	return func(_, i int) int {
		if causal {
			return p.keys - p.queries + i + 1
		}
		return p.keys
	}
}

// gradients is the reference: with p the weights, dv = pᵀ·do, ds = p·(do·vᵀ - Σ p·(do·vᵀ)), dq = ds·k·scale, dk = dsᵀ·q·scale. sums
// are the logarithms to base 2 of the sums of weights.
func (p problem) gradients(q, k, v, do []float64, causal bool) (dq, dk, dv, sums []float64) {
	dq, dk, dv = make([]float64, len(q)), make([]float64, len(k)), make([]float64, len(v))
	scale, visible := 1/math.Sqrt(float64(p.dim)), p.visible(causal)
	dot := func(x, y []float64) (sum float64) {
		for d := range p.dim {
			sum += x[d] * y[d]
		}
		return sum
	}
	for at := range p.batch * p.heads * p.queries {
		b, h, i := at/(p.heads*p.queries), at/p.queries%p.heads, at%p.queries
		first := (b*p.groups + h/(p.heads/p.groups)) * p.keys * p.dim
		n := visible(b, i)
		query, grad := q[at*p.dim:], do[at*p.dim:]
		weights, slopes, sum, mean := make([]float64, n), make([]float64, n), 0.0, 0.0
		for j := range n {
			weights[j] = math.Exp(dot(query, k[first+j*p.dim:]) * scale)
			sum += weights[j]
		}
		sums = append(sums, math.Log2(sum))
		for j := range n {
			weights[j] /= sum
			slopes[j] = dot(grad, v[first+j*p.dim:])
			mean += weights[j] * slopes[j]
		}
		for j := range n {
			ds := weights[j] * (slopes[j] - mean) * scale
			for d := range p.dim {
				key := first + j*p.dim + d
				dv[key] += weights[j] * grad[d]
				dk[key] += ds * query[d]
				dq[at*p.dim+d] += ds * k[key]
			}
		}
	}
	return dq, dk, dv, sums
}

// TestReference holds the formulas against differences of the sum Σ o·do.
func TestReference(t *testing.T) {
	p, r := problem{2, 4, 2, 3, 5, 4}, kerneltest.Rand()
	random := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		return x
	}
	q, do := random(p.batch*p.heads*p.queries*p.dim), random(p.batch*p.heads*p.queries*p.dim)
	k, v := random(p.batch*p.groups*p.keys*p.dim), random(p.batch*p.groups*p.keys*p.dim)
	for _, causal := range []bool{false, true} {
		dq, dk, dv, _ := p.gradients(q, k, v, do, causal)
		for _, c := range []struct {
			name    string
			x, grad []float64
		}{{"dq", q, dq}, {"dk", k, dk}, {"dv", v, dv}} {
			for i := range c.x {
				const step = 1e-5
				old, diff := c.x[i], 0.0
				for _, s := range []float64{step, -step} {
					c.x[i] = old + s
					for at, o := range p.attend(q, k, v, p.visible(causal)) {
						diff += o * do[at] / (2 * s)
					}
				}
				c.x[i] = old
				if math.Abs(diff-c.grad[i]) > 1e-7*(1+math.Abs(diff)) {
					t.Errorf("%s: element %d is %v, but differences are %v", c.name, i, c.grad[i], diff)
				}
			}
		}
	}
}

func backward[E element](t *testing.T, p problem, causal bool, tolerance float64) {
	t.Helper()
	dev, r, ctx := kerneltest.CPU(t), kerneltest.Rand(), t.Context()
	queries, keys := []int{p.batch, p.heads, p.queries, p.dim}, []int{p.batch, p.groups, p.keys, p.dim}
	q, qs := kerneltest.Random[E](t, dev, r, queries...)
	k, ks := kerneltest.Random[E](t, dev, r, keys...)
	v, vs := kerneltest.Random[E](t, dev, r, keys...)
	do, dos := kerneltest.Random[E](t, dev, r, queries...)
	o, sums := kerneltest.New[E](t, dev, queries...), kerneltest.New[float32](t, dev, queries[:3]...)
	to := attention.Gradients[E]{Q: kerneltest.New[E](t, dev, queries...), K: kerneltest.New[E](t, dev, keys...), V: kerneltest.New[E](t, dev, keys...)}
	kerneltest.Must(t, attention.RunSaving(ctx, dev, q, k, v, o, sums, causal, attention.Scale(p.dim)))
	kerneltest.Must(t, attention.RunBackward(ctx, dev, q, k, v, o, sums, do, to, causal, attention.Scale(p.dim)))
	dq, dk, dv, logs := p.gradients(qs, ks, vs, dos, causal)
	what := func(name string) string { return fmt.Sprint(name, " of ", p, causal) }
	kerneltest.Near(t, what("o"), o, p.attend(qs, ks, vs, p.visible(causal)), tolerance)
	kerneltest.Near(t, what("sums"), sums, logs, 1e-3)
	kerneltest.Near(t, what("dq"), to.Q, dq, tolerance)
	kerneltest.Near(t, what("dk"), to.K, dk, tolerance)
	kerneltest.Near(t, what("dv"), to.V, dv, tolerance)
}

func TestRunBackward(t *testing.T) {
	for _, p := range []problem{
		{1, 1, 1, 1, 1, 1},
		{2, 4, 2, 70, 70, 24},                  // nothing divides
		{1, 6, 1, 130, 200, 64},                // more keys than queries, one group
		{1, 2, 2, 128, 192, 16},                // whole tiles
		{1, 1, 1, 20, 40, 256},                 // the widest heads
		{0, 2, 1, 3, 3, 8}, {1, 2, 1, 0, 3, 8}, // no queries, so that dk and dv are 0
	} {
		for _, causal := range []bool{false, true} {
			if testenv.Few() && causal {
				continue
			}
			backward[float32](t, p, causal, 2e-5)
			if testenv.Few() {
				continue
			}
			backward[dtype.Float16](t, p, causal, 1e-2)
		}
	}
	backward[dtype.BFloat16](t, problem{1, 2, 1, 50, 60, 32}, true, 5e-2)
}

// TestBackwardLargeScores has weights that overflow unless sums are taken off first, and places behind the last key that would
// weigh more than any key.
func TestBackwardLargeScores(t *testing.T) {
	dev, r, ctx := kerneltest.CPU(t), kerneltest.Rand(), t.Context()
	p := problem{1, 1, 1, 21, 19, 2}
	for _, sign := range []float64{-1, 1} {
		large := func(n int, f float64) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = f * (18 + r.Float64())
			}
			return x
		}
		q, qs := kerneltest.Tensor[float32](t, dev, large(42, 1), 1, 1, 21, 2)
		k, ks := kerneltest.Tensor[float32](t, dev, large(38, sign), 1, 1, 19, 2)
		v, vs := kerneltest.Random[float32](t, dev, r, 1, 1, 19, 2)
		do, dos := kerneltest.Random[float32](t, dev, r, 1, 1, 21, 2)
		o, sums := kerneltest.New[float32](t, dev, 1, 1, 21, 2), kerneltest.New[float32](t, dev, 1, 1, 21)
		to := attention.Gradients[float32]{Q: kerneltest.New[float32](t, dev, 1, 1, 21, 2),
			K: kerneltest.New[float32](t, dev, 1, 1, 19, 2), V: kerneltest.New[float32](t, dev, 1, 1, 19, 2)}
		kerneltest.Must(t, attention.RunSaving(ctx, dev, q, k, v, o, sums, false, attention.Scale(2)))
		kerneltest.Must(t, attention.RunBackward(ctx, dev, q, k, v, o, sums, do, to, false, attention.Scale(2)))
		dq, dk, dv, logs := p.gradients(qs, ks, vs, dos, false)
		kerneltest.Near(t, "sums", sums, logs, 1e-6)
		kerneltest.Near(t, "dq", to.Q, dq, 1e-2)
		kerneltest.Near(t, "dk", to.K, dk, 1e-2)
		kerneltest.Near(t, "dv", to.V, dv, 1e-3)
	}
}

func TestBackwardMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	q, k, sums := x(1, 2, 5, 4), x(1, 2, 3, 4), x(1, 2, 5)
	to := attention.Gradients[float32]{Q: q, K: k, V: k}
	kerneltest.Mismatch(t, attention.RunSaving(ctx, dev, q, k, k, q, x(1, 5, 2), false, 1),
		"attention.RunSaving: sums has shape [1 5 2], expected [batch heads queries]: axis 1 is 5, but heads is 2 along axis 1 of q")
	kerneltest.Mismatch(t, attention.RunSaving(ctx, dev, q, k, k, q, sums, true, 1),
		"attention.RunSaving: there are 3 keys for 5 queries: a query would see none")
	kerneltest.Mismatch(t, attention.RunBackward(ctx, dev, q, k, k, q, sums, q, to, true, 1),
		"attention.RunBackward: there are 3 keys for 5 queries: a query would see none")
	kerneltest.Mismatch(t, attention.RunBackward(ctx, dev, q, x(1, 3, 3, 4), x(1, 3, 3, 4), q, sums, q, attention.Gradients[float32]{Q: q, V: k}, false, 1),
		"attention.RunBackward: to.K is nil, expected a tensor",
		"attention.RunBackward: to.V has shape [1 2 3 4], expected [batch groups keys dim]: axis 1 is 2, but groups is 3 along axis 1 of k")
	none := x(1, 2, 3, 0)
	kerneltest.Must(t, attention.RunBackward(ctx, dev, none, none, none, none, x(1, 2, 3), none, attention.Gradients[float32]{Q: none, K: none, V: none}, false, 1))
	kerneltest.Mismatch(t, attention.RunBackward(ctx, dev.Grid(2), q, k, k, q, sums, q, to, false, 1),
		"attention.RunBackward: the grid follows from the shapes: give a device or a stream without a grid")
	kerneltest.Mismatch(t, attention.RunBackward(ctx, nil, q, k, k, q, sums, q, to, false, 1),
		"attention.RunBackward: the target is nil: give a device or a stream")
}
