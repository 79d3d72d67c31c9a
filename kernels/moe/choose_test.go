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
)

// element is what layers are computed in and tests make.
type element interface {
	moe.Float
	kerneltest.Num
}

// scoresOf are the scores of a row of logits.
func scoresOf(x []float64, r moe.Router) []float64 {
	p, sum := make([]float64, len(x)), 0.0
	for i, v := range x {
		p[i] = math.Exp(v - slices.Max(x))
		sum += p[i]
	}
	for i, v := range x {
		if p[i] /= sum; r.Sigmoid {
			p[i] = 1 / (1 + math.Exp(-v))
		}
	}
	return p
}

// weightsOf are the weights of experts.
func weightsOf(x []float64, ids []int, r moe.Router) []float64 {
	p, sum := scoresOf(x, r), 0.0
	w := make([]float64, len(ids))
	for s, e := range ids {
		w[s] = p[e]
		sum += p[e]
	}
	for s := range w {
		if r.Normalise {
			w[s] /= sum
		}
		if r.Scale != 0 {
			w[s] *= float64(r.Scale)
		}
	}
	return w
}

// choose is the reference: it sorts the experts of a row of logits.
func choose(x, bias []float64, share int, r moe.Router) (ids []int, weights []float64) {
	key := scoresOf(x, r)
	for e := range x {
		ids = append(ids, e)
		if bias != nil {
			key[e] += bias[e]
		}
	}
	slices.SortStableFunc(ids, func(a, b int) int {
		switch {
		case key[a] > key[b]:
			return -1
		case key[a] < key[b]:
			return 1
		}
		return 0
	})
	ids = ids[:share]
	return ids, weightsOf(x, ids, r)
}

var routers = []moe.Router{{}, {Normalise: true}, {Sigmoid: true}, {Sigmoid: true, Normalise: true, Scale: 2.5}, {Normalise: true, Scale: -0.5}}

func TestChoose(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testChoose[float32](t, 1e-5, 1e-5) })
	t.Run("float16", func(t *testing.T) { testChoose[dtype.Float16](t, 1e-5, 1e-3) })
	t.Run("bfloat16", func(t *testing.T) { testChoose[dtype.BFloat16](t, 1e-5, 1e-2) })
}

// distinct makes numbers that stay distinct when they are rounded to 8 bits, so that each precision finds the same order.
func distinct(rows, cols int) []float64 {
	r, out := kerneltest.Rand(), make([]float64, 0, rows*cols)
	for range rows {
		for _, i := range r.Perm(cols) {
			out = append(out, float64(i)/16-float64(cols)/40)
		}
	}
	return out
}

func testChoose[E element](t *testing.T, tolerance, rough float64) {
	dev := kerneltest.CPU(t)
	for _, s := range []struct{ tokens, experts, share int }{{1, 1, 1}, {5, 8, 2}, {37, 60, 6}, {3, 100, 1}, {2, 5, 5}, {0, 4, 2}, {3, 4, 0}, {3, 0, 0}} {
		for _, r := range routers {
			for _, biased := range []bool{false, true} {
				x, xs := kerneltest.Tensor[E](t, dev, distinct(s.tokens, s.experts), s.tokens, s.experts)
				var bias *cutile.Tensor[float32]
				var bs []float64
				if biased {
					bias, bs = kerneltest.Random[float32](t, dev, kerneltest.Rand(), s.experts)
				}
				ids, weights := kerneltest.New[int32](t, dev, s.tokens, s.share), kerneltest.New[float32](t, dev, s.tokens, s.share)
				kerneltest.Must(t, moe.RunChoose(t.Context(), dev, r, x, bias, ids, weights))
				dweights, dws := kerneltest.Random[float32](t, dev, kerneltest.Rand(), s.tokens, s.share)
				var wantIDs, wantWeights, wantSlopes []float64
				for i := range s.tokens {
					row := xs[i*s.experts:][:s.experts]
					chosen, w := choose(row, bs, s.share, r)
					for _, e := range chosen {
						wantIDs = append(wantIDs, float64(e))
					}
					wantWeights = append(wantWeights, w...)
					wantSlopes = append(wantSlopes, slopesOf(row, chosen, dws[i*s.share:][:s.share], r)...)
				}
				what := fmt.Sprint(s, r, biased)
				kerneltest.Near(t, "experts "+what, ids, wantIDs, 0)
				kerneltest.Near(t, "weights "+what, weights, wantWeights, tolerance)
				dx := kerneltest.New[E](t, dev, s.tokens, s.experts)
				kerneltest.Must(t, moe.RunChooseBackward(t.Context(), dev, r, x, ids, dweights, dx))
				kerneltest.Near(t, "gradient "+what, dx, wantSlopes, max(rough, 2e-4))
			}
		}
	}
}

// slopesOf is the gradient of a row of logits, by differences of the weights of the same experts.
func slopesOf(x []float64, ids []int, dw []float64, r moe.Router) []float64 {
	const h = 1e-5
	out := make([]float64, len(x))
	for i := range x {
		for _, side := range []float64{-1, 1} {
			near := slices.Clone(x)
			near[i] += side * h
			for s, w := range weightsOf(near, ids, r) {
				out[i] += side * w * dw[s] / (2 * h)
			}
		}
	}
	return out
}

// TestChooseSpecial has rows with equal logits, which the first experts get, and with NaN and infinities, which still give experts that differ.
func TestChooseSpecial(t *testing.T) {
	dev := kerneltest.CPU(t)
	nan, inf := math.NaN(), math.Inf(1)
	x, _ := kerneltest.Tensor[float32](t, dev, []float64{1, 1, 1, nan, nan, nan, -inf, nan, 3, -inf, -inf, -inf, 2, inf, 1, -200, -300, -300}, 6, 3)
	for _, r := range []moe.Router{{}, {Sigmoid: true, Normalise: true}} {
		ids, weights := kerneltest.New[int32](t, dev, 6, 2), kerneltest.New[float32](t, dev, 6, 2)
		kerneltest.Must(t, moe.RunChoose(t.Context(), dev, r, x, nil, ids, weights))
		kerneltest.Near(t, fmt.Sprint("experts ", r), ids, []float64{0, 1, 0, 1, 2, 0, 0, 1, 1, 0, 0, 1}, 0)
		if r.Sigmoid {
			kerneltest.Near(t, "weights", weights, []float64{0.5, 0.5, nan, nan, 1, 0, 0, 0, 1 / (1 + 1/(1+math.Exp(-2))), 1 / (2 + math.Exp(-2)), 0, 0}, 1e-5)
		}
	}
}

func TestChooseMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	ids := func(shape ...int) *cutile.Tensor[int32] { return kerneltest.New[int32](t, dev, shape...) }
	kerneltest.Mismatch(t, moe.RunChoose(ctx, dev, moe.Router{}, x(2, 3), nil, ids(2, 4), x(2, 4)), "moe.RunChoose: a token has 4 experts of 3, expected at most 3")
	kerneltest.Mismatch(t, moe.RunChoose(ctx, dev, moe.Router{}, x(2, 100), nil, ids(2, 65), x(2, 65)), "moe.RunChoose: a token has 65 experts of 100, expected at most 64")
	kerneltest.Mismatch(t, moe.RunChoose(ctx, dev, moe.Router{}, x(2, 4097), nil, ids(2, 1), x(2, 1)), "moe.RunChoose: there are 4097 experts, expected at most 4096")
	kerneltest.Mismatch(t, moe.RunChoose(ctx, dev, moe.Router{}, x(2, 3), x(4), ids(2, 1), x(2, 1)),
		"moe.RunChoose: bias has shape [4], expected [experts]: axis 0 is 4, but experts is 3 along axis 1 of logits")
	kerneltest.Mismatch(t, moe.RunChooseBackward(ctx, dev, moe.Router{}, x(2, 3), ids(2, 4), x(2, 4), x(2, 3)),
		"moe.RunChooseBackward: a token has 4 experts of 3, expected at most 3")
}
