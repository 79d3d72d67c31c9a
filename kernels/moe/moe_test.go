package moe_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/moe"
	"github.com/cutile-go/cutile/kernels/pointwise"
)

// product is the reference: the row p/share of x times the matrix of p's expert.
func product(x, w []float64, experts []int32, share, k, n int) []float64 {
	y := make([]float64, len(experts)*n)
	for p, e := range experts {
		for j := range n {
			if e < 0 {
				y[p*n+j] = -7 // as it was
				continue
			}
			for l := range k {
				y[p*n+j] += x[p/share*k+l] * w[(int(e)*k+l)*n+j]
			}
		}
	}
	return y
}

func TestRun(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range []struct{ tokens, share, experts, k, n int }{{1, 1, 1, 1, 1}, {70, 2, 5, 40, 150}, {200, 1, 2, 65, 20}, {3, 2, 4, 0, 5}} {
		chosen := make([]int32, s.tokens*s.share)
		for i := range chosen {
			chosen[i] = int32(r.IntN(s.experts+1)) - 1 // some go nowhere
		}
		routes, err := moe.Route(dev, chosen)
		kerneltest.Must(t, err)
		x, xs := kerneltest.Random[dtype.BFloat16](t, dev, r, s.tokens, s.k)
		w, ws := kerneltest.Random[dtype.BFloat16](t, dev, r, s.experts, s.k, s.n)
		y := kerneltest.New[dtype.BFloat16](t, dev, len(chosen), s.n)
		kerneltest.Must(t, moe.Run(t.Context(), dev, routes, x, w, y))
		kerneltest.Near(t, fmt.Sprint("product ", s), y, product(xs, ws, chosen, s.share, s.k, s.n), 1e-2)
		kerneltest.Must(t, routes.Close())
	}
}

// TestLayer is a whole feed-forward layer.
func TestLayer(t *testing.T) {
	dev, r, ctx := kerneltest.CPU(t), kerneltest.Rand(), t.Context()
	const tokens, share, experts, k, n = 50, 3, 4, 33, 40
	chosen := make([]int32, tokens*share)
	for i := range chosen {
		chosen[i] = int32((i + i/7) % experts)
	}
	routes, err := moe.Route(dev, chosen)
	kerneltest.Must(t, err)
	x, xs := kerneltest.Random[float32](t, dev, r, tokens, k)
	up, ups := kerneltest.Random[float32](t, dev, r, experts, k, 2*n)
	down, downs := kerneltest.Random[float32](t, dev, r, experts, n, k)
	weights, ws := kerneltest.Random[float32](t, dev, r, tokens, share)
	both, gated := kerneltest.New[float32](t, dev, tokens*share, 2*n), kerneltest.New[float32](t, dev, tokens*share, n)
	y, z := kerneltest.New[float32](t, dev, tokens*share, k), kerneltest.New[float32](t, dev, tokens, k)
	kerneltest.Must(t, moe.Run(ctx, dev, routes, x, up, both))
	kerneltest.Must(t, pointwise.RunSiLUMul(ctx, dev, both.Narrow(1, 0, n), both.Narrow(1, n, 2*n), gated))
	kerneltest.Must(t, moe.Run(ctx, dev, routes, gated, down, y))
	kerneltest.Must(t, moe.RunCombine(ctx, dev, y, weights, z))

	first := product(xs, ups, chosen, share, k, 2*n)
	middle := make([]float64, tokens*share*n)
	for i := range middle {
		g, u := first[i/n*2*n+i%n], first[i/n*2*n+n+i%n]
		middle[i] = g / (1 + math.Exp(-g)) * u
	}
	second := product(middle, downs, chosen, 1, n, k)
	want := make([]float64, tokens*k)
	for p := range chosen {
		for j := range k {
			want[p/share*k+j] += ws[p] * second[p*k+j]
		}
	}
	kerneltest.Near(t, "layer", z, want, 1e-4)
}

func TestMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	_, err := moe.Route(dev, []int32{0, -2})
	kerneltest.Mismatch(t, err, "moe.Route: pair 1 has expert -2, expected -1 or more")
	routes, err := moe.Route(dev, []int32{0, 3, 1, 1})
	kerneltest.Must(t, err)
	run := func(x, w, y *cutile.Tensor[float32]) error { return moe.Run(t.Context(), dev, routes, x, w, y) }
	kerneltest.Mismatch(t, moe.Run(t.Context(), dev, nil, x(2, 5), x(4, 5, 7), x(4, 7)), "moe.Run: the routes are nil, expected what moe.Route gives")
	kerneltest.Mismatch(t, run(x(2, 5), x(4, 6, 7), x(4, 7)), "moe.Run: w has shape [4 6 7], expected [experts k n]: axis 1 is 6, but k is 5 along axis 1 of x")
	kerneltest.Mismatch(t, run(x(2, 5), x(3, 5, 7), x(4, 7)), "moe.Run: w has 3 experts, but there are routes to expert 3")
	kerneltest.Mismatch(t, run(x(3, 5), x(4, 5, 7), x(4, 7)), "moe.Run: 4 pairs are not a multiple of 3 tokens")
	kerneltest.Mismatch(t, run(x(3, 5), x(4, 5, 7), x(6, 7)), "moe.Run: y has 6 rows, expected 4, one for each pair that was routed")
	kerneltest.Mismatch(t, run(x(5, 4).T(), x(4, 5, 7), x(4, 7)), "moe.Run: x has strides [1 4] and y [7 1], expected contiguous rows")
	kerneltest.Mismatch(t, moe.RunCombine(t.Context(), dev, x(5, 3), x(2, 2), x(2, 3)), "moe.RunCombine: y has 5 rows, expected 4 for weights of shape [2 2]")
	kerneltest.Mismatch(t, moe.RunCombine(t.Context(), dev, x(4, 3), x(2, 2), x(2, 4)), "moe.RunCombine: z has shape [2 4], expected [tokens n]: axis 1 is 4, but n is 3 along axis 1 of y")
	kerneltest.Mismatch(t, moe.RunCombine(t.Context(), dev, nil, x(2, 2), x(2, 3)), "moe.RunCombine: y is nil, expected a tensor")
	kerneltest.Mismatch(t, moe.RunCombine(t.Context(), dev, x(65, 3), x(1, 65), x(1, 3)), "moe.RunCombine: a token has 65 experts, expected at most 64")
	none, err := moe.Route(dev, nil)
	kerneltest.Must(t, err)
	kerneltest.Must(t, moe.Run(t.Context(), dev, none, x(0, 5), x(4, 5, 7), x(0, 7)))
}
