package attention_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// kept is a mask of false.
func kept(t *testing.T, dev *cutile.Device, shape ...int) *cutile.Tensor[bool] {
	t.Helper()
	x, err := cutile.NewTensor[bool](dev, shape...)
	kerneltest.Must(t, err)
	return x
}

// sees tells whether a query sees a key.
func (p problem) sees(m mask, b, h, i, j int) bool {
	return m.seen(b, p.keys-p.queries+i, j) && (m.chosen == nil || m.chosen(b, h, i, j)) && (m.bias == nil || !math.IsInf(m.bias(b, h, i, j), -1))
}

// maskedGradients is the reference: like gradients, of the keys that a query sees, and with the gradient of the bias.
func (p problem) maskedGradients(q, k, v, do []float64, m mask) (dq, dk, dv, db, sums []float64) {
	dq, dk, dv = make([]float64, len(q)), make([]float64, len(k)), make([]float64, len(v))
	db = make([]float64, p.batch*p.heads*p.queries*p.keys)
	scale := 1 / math.Sqrt(float64(p.dim))
	for row := range p.batch * p.heads * p.queries {
		b, h, i := row/p.queries/p.heads, row/p.queries%p.heads, row%p.queries
		first := (b*p.groups + h/(p.heads/p.groups)) * p.keys * p.dim
		weights, slopes, caps, sum, mean := make([]float64, p.keys), make([]float64, p.keys), make([]float64, p.keys), 0.0, 0.0
		for j := range weights {
			if !p.sees(m, b, h, i, j) {
				continue
			}
			score := 0.0
			for d := range p.dim {
				score += q[row*p.dim+d] * k[first+j*p.dim+d] * scale
				slopes[j] += do[row*p.dim+d] * v[first+j*p.dim+d]
			}
			score, caps[j] = m.capped(score)
			if m.bias != nil {
				score += m.bias(b, h, i, j)
			}
			weights[j] = math.Exp(score)
			sum += weights[j]
		}
		if sums = append(sums, math.Log2(sum)); sum == 0 {
			sums[row] = math.Inf(1)
			continue
		}
		for j := range weights {
			weights[j] /= sum
			mean += weights[j] * slopes[j]
		}
		for j := range weights {
			ds := weights[j] * (slopes[j] - mean)
			db[row*p.keys+j] = ds
			ds *= caps[j] * scale
			for d := range p.dim {
				dv[first+j*p.dim+d] += weights[j] * do[row*p.dim+d]
				dk[first+j*p.dim+d] += ds * q[row*p.dim+d]
				dq[row*p.dim+d] += ds * k[first+j*p.dim+d]
			}
		}
	}
	return dq, dk, dv, db, sums
}

// TestMaskedReference holds the formulas against differences of the sum Σ o·do.
func TestMaskedReference(t *testing.T) {
	p, r := problem{2, 2, 1, 7, 9, 3}, kerneltest.Rand()
	random := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		return x
	}
	q, do := random(p.batch*p.heads*p.queries*p.dim), random(p.batch*p.heads*p.queries*p.dim)
	k, v, bias := random(p.batch*p.groups*p.keys*p.dim), random(p.batch*p.groups*p.keys*p.dim), random(p.batch*p.heads*p.queries*p.keys)
	m := mask{causal: true, window: 4, sinks: 1, lengths: []int{9, 6}, chosen: some, softCap: 0.8}
	m.bias = func(b, h, i, j int) float64 { return bias[((b*p.heads+h)*p.queries+i)*p.keys+j] }
	dq, dk, dv, db, _ := p.maskedGradients(q, k, v, do, m)
	for _, c := range []struct {
		name    string
		x, grad []float64
	}{{"dq", q, dq}, {"dk", k, dk}, {"dv", v, dv}, {"db", bias, db}} {
		for i := range c.x {
			const step = 1e-5
			old, diff := c.x[i], 0.0
			for _, s := range []float64{step, -step} {
				c.x[i] = old + s
				for at, o := range p.masked(q, k, v, m, func(_, i int) int { return p.keys - p.queries + i }) {
					diff += o * do[at] / (2 * s)
				}
			}
			if c.x[i] = old; math.Abs(diff-c.grad[i]) > 1e-7*(1+math.Abs(diff)) {
				t.Errorf("%s: element %d is %v, but differences are %v", c.name, i, c.grad[i], diff)
			}
		}
	}
}

func backwardMasked[E element](t *testing.T, p problem, m mask, tolerance float64) {
	t.Helper()
	dev, r, ctx := kerneltest.CPU(t), kerneltest.Rand(), t.Context()
	queries, keys := []int{p.batch, p.heads, p.queries, p.dim}, []int{p.batch, p.groups, p.keys, p.dim}
	q, qs := kerneltest.Random[E](t, dev, r, queries...)
	k, ks := kerneltest.Random[E](t, dev, r, keys...)
	v, vs := kerneltest.Random[E](t, dev, r, keys...)
	do, dos := kerneltest.Random[E](t, dev, r, queries...)
	o, sums := kerneltest.New[E](t, dev, queries...), kerneltest.New[float32](t, dev, queries[:3]...)
	to := attention.Gradients[E]{Q: kerneltest.New[E](t, dev, queries...), K: kerneltest.New[E](t, dev, keys...), V: kerneltest.New[E](t, dev, keys...)}
	at := given[E](t, dev, p, m)
	if m.bias != nil {
		to.Bias = kerneltest.New[E](t, dev, p.batch, p.heads, p.queries, p.keys)
	}
	kerneltest.Must(t, attention.RunSavingMasked(ctx, dev, q, k, v, o, sums, at, attention.Scale(p.dim)))
	kerneltest.Must(t, attention.RunBackwardMasked(ctx, dev, q, k, v, o, sums, do, to, at, attention.Scale(p.dim)))
	what := func(name string) string {
		return fmt.Sprintf("%s of %v %v %d %d %v", name, p, m.causal, m.window, m.sinks, m.lengths)
	}
	dq, dk, dv, db, logs := p.maskedGradients(qs, ks, vs, dos, m)
	kerneltest.Near(t, what("o"), o, p.masked(qs, ks, vs, m, func(_, i int) int { return p.keys - p.queries + i }), tolerance)
	kerneltest.Near(t, what("sums"), sums, logs, 1e-3)
	kerneltest.Near(t, what("dq"), to.Q, dq, tolerance)
	kerneltest.Near(t, what("dk"), to.K, dk, tolerance)
	kerneltest.Near(t, what("dv"), to.V, dv, tolerance)
	if to.Bias != nil {
		kerneltest.Near(t, what("db"), to.Bias, db, tolerance)
	}
}

func TestRunBackwardMasked(t *testing.T) {
	p := problem{2, 2, 1, 70, 90, 8} // two tiles of each
	for _, m := range []mask{
		{},
		{lengths: []int{90, 37}},
		{causal: true, lengths: []int{0, 60}}, // queries that see nothing
		{causal: true, window: 20},
		{causal: true, window: 9, sinks: 3},
		{window: 15, lengths: []int{90, 64}},
		{bias: slopes},
		{chosen: some},
		{causal: true, window: 40, sinks: 2, lengths: []int{80, 1}, bias: slopes, chosen: some},
		{softCap: 0.75},
		{causal: true, window: 40, lengths: []int{80, 60}, bias: slopes, chosen: some, softCap: 1.5},
	} {
		backwardMasked[float32](t, p, m, 5e-5)
	}
	backwardMasked[dtype.Float16](t, problem{1, 4, 2, 33, 33, 24}, mask{causal: true, window: 9, sinks: 1, bias: slopes, chosen: some}, 1e-2)
	backwardMasked[dtype.Float16](t, problem{1, 4, 2, 33, 33, 24}, mask{causal: true, bias: slopes, softCap: 0.75}, 1e-2)
	backwardMasked[dtype.BFloat16](t, problem{1, 2, 1, 20, 30, 16}, mask{chosen: some}, 5e-2)
	backwardMasked[float32](t, problem{1, 1, 1, 5, 3, 4}, mask{causal: true}, 1e-5) // two queries before the first key
	backwardMasked[float32](t, problem{1, 1, 1, 2, 0, 4}, mask{}, 1e-5)
	backwardMasked[float32](t, problem{1, 2, 1, 0, 3, 4}, mask{}, 1e-5)
	backwardMasked[float32](t, problem{0, 1, 1, 2, 3, 4}, mask{}, 1e-5)
}

// TestBroadcastMask has one mask for all sequences and heads.
func TestBroadcastMask(t *testing.T) {
	dev, r, p := kerneltest.CPU(t), kerneltest.Rand(), problem{2, 2, 2, 17, 17, 8}
	q, qs := kerneltest.Random[float32](t, dev, r, 2, 2, 17, 8)
	seen := make([]bool, 17*17)
	for i := range seen {
		seen[i] = some(0, 0, i/17, i%17)
	}
	m, err := cutile.FromSlice(dev, seen, 1, 1, 17, 17)
	kerneltest.Must(t, err)
	o := kerneltest.New[float32](t, dev, 2, 2, 17, 8)
	kerneltest.Must(t, attention.RunMasked(t.Context(), dev, q, q, q, o, attention.Mask[float32]{Seen: m.Broadcast(2, 2, 17, 17)}, attention.Scale(8)))
	want := p.masked(qs, qs, qs, mask{chosen: func(_, _, i, j int) bool { return seen[i*17+j] }}, func(_, i int) int { return i })
	kerneltest.Near(t, "one mask", o, want, 1e-5)
}

func TestMaskedBackwardMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	q, k, sums := x(1, 2, 5, 4), x(1, 2, 3, 4), x(1, 2, 5)
	to := attention.Gradients[float32]{Q: q, K: k, V: k}
	withBias := to
	withBias.Bias = x(1, 2, 5, 3)
	none := attention.Mask[float32]{}
	for _, c := range []struct {
		err  error
		want string
	}{
		{attention.RunSavingMasked(ctx, dev, q, k, k, q, x(1, 5, 2), none, 1),
			"attention.RunSavingMasked: sums has shape [1 5 2], expected [batch heads queries]: axis 1 is 5, but heads is 2 along axis 1 of q"},
		{attention.RunSavingMasked(ctx, dev, q, k, k, q, sums, attention.Mask[float32]{Window: -1}, 1),
			"attention.RunSavingMasked: the window is -1 and there are 0 sinks, expected no negative numbers"},
		{attention.RunBackwardMasked(ctx, dev, q, k, k, q, sums, q, withBias, none, 1),
			"attention.RunBackwardMasked: to.Bias is a tensor, expected nil: there is no m.Bias"},
		{attention.RunBackward(ctx, dev, q, k, k, q, sums, q, withBias, false, 1), "attention.RunBackward: to.Bias is a tensor, expected nil: there is no bias"},
		{attention.RunBackwardMasked(ctx, dev, q, k, k, q, sums, q, attention.Gradients[float32]{Q: q, V: k}, none, 1),
			"attention.RunBackwardMasked: to.K is nil, expected a tensor"},
		{attention.RunBackwardMasked(ctx, dev.Grid(2), q, k, k, q, sums, q, to, none, 1),
			"attention.RunBackwardMasked: the grid follows from the shapes: give a device or a stream without a grid"},
	} {
		kerneltest.Mismatch(t, c.err, c.want)
	}
}
