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

// problem is the shape of a call.
type problem struct{ batch, heads, groups, queries, keys, dim int }

// attend is the reference. visible is how many keys a query sees.
func (p problem) attend(q, k, v []float64, visible func(batch, query int) int) []float64 {
	o := make([]float64, len(q))
	for b := range p.batch {
		for h := range p.heads {
			g := h / (p.heads / p.groups)
			for i := range p.queries {
				at := ((b*p.heads+h)*p.queries + i) * p.dim
				n := visible(b, i)
				weights, peak, sum := make([]float64, n), math.Inf(-1), 0.0
				for j := range n {
					for d := range p.dim {
						weights[j] += q[at+d] * k[((b*p.groups+g)*p.keys+j)*p.dim+d] / math.Sqrt(float64(p.dim))
					}
					peak = max(peak, weights[j])
				}
				for j := range n {
					weights[j] = math.Exp(weights[j] - peak)
					sum += weights[j]
				}
				for j := range n {
					for d := range p.dim {
						o[at+d] += weights[j] / sum * v[((b*p.groups+g)*p.keys+j)*p.dim+d]
					}
				}
			}
		}
	}
	return o
}

type element interface {
	attention.Float
	kerneltest.Num
}

func forward[E element](t *testing.T, p problem, causal bool, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	q, qs := kerneltest.Random[E](t, dev, r, p.batch, p.heads, p.queries, p.dim)
	k, ks := kerneltest.Random[E](t, dev, r, p.batch, p.groups, p.keys, p.dim)
	v, vs := kerneltest.Random[E](t, dev, r, p.batch, p.groups, p.keys, p.dim)
	o := kerneltest.New[E](t, dev, p.batch, p.heads, p.queries, p.dim)
	kerneltest.Must(t, attention.Run(t.Context(), dev, q, k, v, o, causal, attention.Scale(p.dim)))
	want := p.attend(qs, ks, vs, func(_, i int) int {
		if causal {
			return p.keys - p.queries + i + 1
		}
		return p.keys
	})
	kerneltest.Near(t, fmt.Sprint(p, causal), o, want, tolerance)
}

func TestRun(t *testing.T) {
	for _, p := range []problem{
		{1, 1, 1, 1, 1, 1},
		{2, 4, 2, 70, 70, 24},                  // nothing divides
		{1, 6, 1, 130, 200, 64},                // a cache before the queries, one group
		{1, 2, 2, 300, 300, 16},                // several tiles
		{1, 1, 1, 20, 40, 256},                 // the widest heads
		{0, 2, 1, 3, 3, 8}, {1, 2, 1, 0, 3, 8}, // nothing to do
	} {
		for _, causal := range []bool{false, true} {
			if testenv.Few() && !causal {
				continue
			}
			forward[float32](t, p, causal, 1e-5)
			forward[dtype.Float16](t, p, causal, 3e-3)
		}
	}
	forward[dtype.BFloat16](t, problem{1, 2, 1, 50, 60, 32}, true, 2e-2)
}

// TestLargeScores has scores whose powers overflow without the running maximum.
func TestLargeScores(t *testing.T) {
	dev := kerneltest.CPU(t)
	p := problem{1, 1, 1, 3, 150, 2}
	fill := func(n int, f func(i int) float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = f(i)
		}
		return x
	}
	q, qs := kerneltest.Tensor[float32](t, dev, fill(6, func(i int) float64 { return float64(i) * 40 }), 1, 1, 3, 2)
	k, ks := kerneltest.Tensor[float32](t, dev, fill(300, func(i int) float64 { return float64(i - 250) }), 1, 1, 150, 2)
	v, vs := kerneltest.Tensor[float32](t, dev, fill(300, func(i int) float64 { return float64(i) }), 1, 1, 150, 2)
	o := kerneltest.New[float32](t, dev, 1, 1, 3, 2)
	kerneltest.Must(t, attention.Run(t.Context(), dev, q, k, v, o, false, attention.Scale(2)))
	kerneltest.Near(t, "large scores", o, p.attend(qs, ks, vs, func(int, int) int { return 150 }), 1e-3)
}

func decode[E element](t *testing.T, parts int, p problem, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	q, qs := kerneltest.Random[E](t, dev, r, p.batch, p.heads, p.dim)
	k, ks := kerneltest.Random[E](t, dev, r, p.batch, p.groups, p.keys, p.dim)
	v, vs := kerneltest.Random[E](t, dev, r, p.batch, p.groups, p.keys, p.dim)
	o := kerneltest.New[E](t, dev, p.batch, p.heads, p.dim)
	fills := make([]float64, p.batch)
	for i := range fills {
		fills[i] = float64(p.keys * (i + 1) / p.batch)
	}
	if p.batch > 2 {
		fills[0] = 0 // a sequence that has not begun
	}
	lengths, _ := kerneltest.Tensor[int32](t, dev, fills, p.batch)
	kerneltest.Must(t, attention.RunDecode(t.Context(), dev, parts, q, k, v, lengths, o, attention.Scale(p.dim)))
	want := p.attend(qs, ks, vs, func(b, _ int) int { return int(fills[b]) })
	kerneltest.Near(t, fmt.Sprint("decode ", p), o, want, tolerance)
}

func TestRunDecode(t *testing.T) {
	for _, parts := range []int{0, 1, 3, 7} {
		decode[float32](t, parts, problem{3, 6, 2, 1, 200, 40}, 1e-5)
		decode[dtype.Float16](t, parts, problem{3, 8, 1, 1, 300, 64}, 3e-3)
		decode[float32](t, parts, problem{1, 1, 1, 1, 1, 1}, 1e-5)
	}
}

// TestCacheOrder decodes from a cache [batch, room, groups, dim], as a view.
func TestCacheOrder(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	p := problem{2, 4, 2, 1, 90, 32}
	q, qs := kerneltest.Random[float32](t, dev, r, p.batch, p.heads, p.dim)
	k, _ := kerneltest.Random[float32](t, dev, r, p.batch, p.keys, p.groups, p.dim)
	v, _ := kerneltest.Random[float32](t, dev, r, p.batch, p.keys, p.groups, p.dim)
	o := kerneltest.New[float32](t, dev, p.batch, p.heads, p.dim)
	lengths, _ := kerneltest.Tensor[int32](t, dev, []float64{90, 33}, 2)
	turned := func(x *cutile.Tensor[float32]) (*cutile.Tensor[float32], []float64) {
		view := x.Permute(0, 2, 1, 3)
		all, err := view.Slice()
		kerneltest.Must(t, err)
		values := make([]float64, len(all))
		for i, e := range all {
			values[i] = float64(e)
		}
		return view, values
	}
	kv, ks := turned(k)
	vv, vs := turned(v)
	kerneltest.Must(t, attention.RunDecode(t.Context(), dev, 2, q, kv, vv, lengths, o, attention.Scale(p.dim)))
	kerneltest.Near(t, "decode", o, p.attend(qs, ks, vs, func(b, _ int) int { return []int{90, 33}[b] }), 1e-5)
}

func TestMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	run := func(q, k, v, o *cutile.Tensor[float32], causal bool) error {
		return attention.Run(t.Context(), dev, q, k, v, o, causal, 1)
	}
	kerneltest.Mismatch(t, run(x(1, 2, 3, 4), x(1, 2, 3, 4), x(1, 2, 3, 5), x(1, 2, 3, 4), false),
		"attention.Run: v has shape [1 2 3 5], expected [batch groups keys dim]: axis 3 is 5, but dim is 4 along axis 3 of q")
	kerneltest.Mismatch(t, run(x(1, 3, 3, 4), x(1, 2, 3, 4), x(1, 2, 3, 4), x(1, 3, 3, 4), false),
		"attention.Run: q has 3 heads and k has 2, expected a multiple")
	kerneltest.Mismatch(t, run(x(1, 2, 5, 4), x(1, 2, 3, 4), x(1, 2, 3, 4), x(1, 2, 5, 4), true),
		"attention.Run: there are 3 keys for 5 queries: a query would see none")
	kerneltest.Mismatch(t, run(x(1, 1, 1, 300), x(1, 1, 1, 300), x(1, 1, 1, 300), x(1, 1, 1, 300), true),
		"attention.Run: heads have 300 elements, expected at most 256")
	lengths := kerneltest.New[int32](t, dev, 1)
	kerneltest.Mismatch(t, attention.RunDecode(t.Context(), dev, 65, x(1, 2, 4), x(1, 1, 9, 4), x(1, 1, 9, 4), lengths, x(1, 2, 4), 1),
		"attention.RunDecode: parts is 65, expected 1 to 64, or 0 for a number that fits")
	kerneltest.Mismatch(t, attention.RunDecode(t.Context(), dev, 1, x(1, 200, 4), x(1, 1, 9, 4), x(1, 1, 9, 4), lengths, x(1, 200, 4), 1),
		"attention.RunDecode: 200 heads share keys and values, expected at most 128")
	kerneltest.Mismatch(t, attention.RunDecode(t.Context(), dev, 1, x(1, 3, 4), x(1, 2, 9, 4), x(1, 2, 9, 4), lengths, x(1, 3, 4), 1),
		"attention.RunDecode: q has 3 heads and k has 2, expected a multiple")
}
