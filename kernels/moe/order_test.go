package moe_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/moe"
)

// sortPairs is the reference: rows has the pairs in the order of their experts.
func sortPairs(ids []float64, experts int) (counts, offsets, places, rows []float64) {
	counts, places = make([]float64, experts), make([]float64, len(ids))
	for e := range experts {
		offsets = append(offsets, float64(len(rows)))
		for p, id := range ids {
			if int(id) == e {
				places[p] = float64(len(rows))
				rows = append(rows, float64(p))
				counts[e]++
			}
		}
	}
	offsets = append(offsets, float64(len(rows)))
	for p, id := range ids {
		if id < 0 || int(id) >= experts {
			places[p] = -1
			rows = append(rows, -1)
		}
	}
	return counts, offsets, places, rows
}

// orders are numbers of tokens, experts for each and experts: parts of chunks, and more chunks and experts than a tile has.
var orders = []struct{ tokens, share, experts int }{{1, 1, 1}, {70, 3, 5}, {64, 1, 127}, {40, 2, 128}, {600, 2, 300}, {0, 2, 5}, {5, 0, 3}}

// sorted is an order of random experts, some of which do not exist.
func sorted(t *testing.T, dev *cutile.Device, tokens, share, experts int) (o *moe.Order, ids []float64) {
	t.Helper()
	o, err := moe.NewOrder(dev, tokens, share, experts)
	kerneltest.Must(t, err)
	t.Cleanup(func() { kerneltest.Must(t, o.Close()) })
	r := kerneltest.Rand()
	for again := range 2 { // an order is used again
		ids = nil
		for range tokens * share {
			ids = append(ids, float64(r.IntN(experts+3*again)-again))
		}
		list, _ := kerneltest.Tensor[int32](t, dev, ids, tokens, share)
		kerneltest.Must(t, moe.RunSort(t.Context(), dev, o, list))
	}
	return o, ids
}

func TestSort(t *testing.T) {
	dev := kerneltest.CPU(t)
	for _, s := range orders {
		o, ids := sorted(t, dev, s.tokens, s.share, s.experts)
		counts, offsets, places, rows := sortPairs(ids, s.experts)
		kerneltest.Near(t, fmt.Sprint("counts ", s), o.Counts(), counts, 0)
		kerneltest.Near(t, fmt.Sprint("offsets ", s), o.Offsets(), offsets, 0)
		kerneltest.Near(t, fmt.Sprint("places ", s), o.Places(), places, 0)
		kerneltest.Near(t, fmt.Sprint("pairs ", s), o.Pairs(), rows, 0)
	}
}

func TestSpread(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testSpread[float32](t, 1e-4) })
	t.Run("float16", func(t *testing.T) { testSpread[dtype.Float16](t, 2e-3) })
	t.Run("bfloat16", func(t *testing.T) { testSpread[dtype.BFloat16](t, 1e-2) })
}

// testSpread compares the way to the rows and back, with and without weights, and the gradient of weights.
func testSpread[E element](t *testing.T, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range []struct{ tokens, share, experts, n int }{{1, 1, 1, 1}, {70, 3, 5, 33}, {3, 2, 4, 2500}, {0, 2, 3, 5}, {4, 2, 3, 0}, {3, 0, 2, 5}} {
		o, ids := sorted(t, dev, s.tokens, s.share, s.experts)
		_, _, places, pairs := sortPairs(ids, s.experts)
		x, xs := kerneltest.Random[E](t, dev, r, s.tokens, s.n)
		from, froms := kerneltest.Random[E](t, dev, r, len(ids), s.n)
		weights, ws := kerneltest.Random[float32](t, dev, r, s.tokens, s.share)
		for _, w := range []*cutile.Tensor[float32]{nil, weights} {
			factor := func(p int) float64 {
				if w == nil {
					return 1
				}
				return ws[p]
			}
			wantRows, wantY := make([]float64, len(ids)*s.n), make([]float64, s.tokens*s.n)
			for at, p := range pairs {
				for i := range s.n {
					if p >= 0 {
						wantRows[at*s.n+i] = factor(int(p)) * xs[int(p)/s.share*s.n+i]
						wantY[int(p)/s.share*s.n+i] += factor(int(p)) * froms[at*s.n+i]
					}
				}
			}
			rows, y := kerneltest.New[E](t, dev, len(ids), s.n), kerneltest.New[E](t, dev, s.tokens, s.n)
			kerneltest.Must(t, moe.RunSpread(t.Context(), dev, o, x, w, rows))
			kerneltest.Near(t, fmt.Sprint("rows ", s, w != nil), rows, wantRows, tolerance)
			kerneltest.Must(t, moe.RunCollect(t.Context(), dev, o, from, w, y))
			kerneltest.Near(t, fmt.Sprint("y ", s, w != nil), y, wantY, tolerance)
		}
		wantW := make([]float64, len(ids))
		for p, at := range places {
			for i := range s.n {
				if at >= 0 {
					wantW[p] += froms[int(at)*s.n+i] * xs[p/s.share*s.n+i]
				}
			}
		}
		dw := kerneltest.New[float32](t, dev, s.tokens, s.share)
		kerneltest.Must(t, moe.RunWeightGradient(t.Context(), dev, o, from, x, dw))
		kerneltest.Near(t, fmt.Sprint("dweights ", s), dw, wantW, 1e-4)
	}
}

// TestNoExperts: all pairs are without an expert.
func TestNoExperts(t *testing.T) {
	dev := kerneltest.CPU(t)
	o, err := moe.NewOrder(dev, 3, 1, 0)
	kerneltest.Must(t, err)
	ids, _ := kerneltest.Tensor[int32](t, dev, []float64{0, 7, -5}, 3, 1)
	kerneltest.Must(t, moe.RunSort(t.Context(), dev, o, ids))
	kerneltest.Near(t, "offsets", o.Offsets(), []float64{0}, 0)
	kerneltest.Near(t, "places", o.Places(), []float64{-1, -1, -1}, 0)
	kerneltest.Near(t, "pairs", o.Pairs(), []float64{-1, -1, -1}, 0)
	kerneltest.Must(t, o.Close())
}

func TestOrderMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	_, err := moe.NewOrder(dev, 3, -1, 2)
	kerneltest.Mismatch(t, err, "moe.NewOrder: there are 3 tokens, -1 experts for each and 2 experts, expected no negative numbers")
	_, err = moe.NewOrder(dev, 1<<40, 1<<40, 2)
	kerneltest.Mismatch(t, err, "moe.NewOrder: 1099511627776 tokens have 1099511627776 experts each, expected at most 1073741823 pairs")
	o, err := moe.NewOrder(dev, 3, 2, 4)
	kerneltest.Must(t, err)
	defer o.Close()
	ids := kerneltest.New[int32](t, dev, 2, 3)
	kerneltest.Mismatch(t, moe.RunSpread(ctx, dev, o, x(3, 5), nil, x(6, 5)), "moe.RunSpread: the order is nil or not sorted, expected one for which moe.RunSort was called")
	kerneltest.Mismatch(t, moe.RunSort(ctx, dev, nil, ids), "moe.RunSort: the order is nil, expected what moe.NewOrder gives")
	kerneltest.Mismatch(t, moe.RunSort(ctx, dev, o, ids), "moe.RunSort: ids has shape [2 3], expected [3 2], that of the order")
	kerneltest.Mismatch(t, moe.RunSort(ctx, dev, o, ids.T()), "moe.RunSort: ids have strides [1 3], expected contiguous ids")
	kerneltest.Must(t, moe.RunSort(ctx, dev, o, ids.Reshape(3, 2)))
	kerneltest.Mismatch(t, moe.RunSpread(ctx, dev, o, x(2, 5), nil, x(6, 5)), "moe.RunSpread: there are 2 tokens and 6 rows, expected 3 and 6, those of the order")
	kerneltest.Mismatch(t, moe.RunCollect(ctx, dev, o, x(6, 5), x(3, 3), x(3, 5)), "moe.RunCollect: weights has shape [3 3], expected [3 2], that of the order")
	kerneltest.Mismatch(t, moe.RunCollect(ctx, dev, o, x(6, 5), x(2, 3).T(), x(3, 5)), "moe.RunCollect: weights has strides [1 3], expected contiguous elements")
	kerneltest.Mismatch(t, moe.RunWeightGradient(ctx, dev, o, x(6, 5), x(3, 5), nil), "moe.RunWeightGradient: dweights is nil, expected a tensor")
}
