package embedding_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/embedding"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// bags are ids in bags that begin at offsets, of a table of so many rows.
type bags struct {
	rows, dim    int
	ids, offsets []float64
}

// each calls a function for each id in the table, with its bag.
func (p bags) each(f func(bag, token, row int)) {
	for t, id := range p.ids {
		bag := -1 // the last one that begins at t or before
		for b, o := range p.offsets {
			if int(o) <= t {
				bag = b
			}
		}
		if bag >= 0 && id >= 0 && int(id) < p.rows {
			f(bag, t, int(id))
		}
	}
}

func (p bags) compare(t *testing.T, dev *cutile.Device, r *rand.Rand) {
	t.Helper()
	n := len(p.offsets)
	ids, _ := kerneltest.Tensor[int32](t, dev, p.ids, len(p.ids))
	offsets, _ := kerneltest.Tensor[int32](t, dev, p.offsets, n)
	compareAs[float32](t, p, dev, r, ids, offsets, 1e-5)
	compareAs[dtype.Float16](t, p, dev, r, ids, offsets, 4e-3)
}

func compareAs[E embedding.Float](t *testing.T, p bags, dev *cutile.Device, r *rand.Rand, ids, offsets *cutile.Tensor[int32], tolerance float64) {
	t.Helper()
	ctx, n := t.Context(), len(p.offsets)
	table, rows := kerneltest.Random[E](t, dev, r, p.rows, p.dim)
	weights, ws := kerneltest.Random[E](t, dev, r, len(p.ids))
	dy, dys := kerneltest.Random[E](t, dev, r, n, p.dim)
	count := make([]float64, n)
	p.each(func(b, _, _ int) { count[b]++ })
	near := func(what string, got *cutile.Tensor[E], want []float64) {
		t.Helper()
		kerneltest.Near(t, fmt.Sprint(what, " of ", p.rows, p.dim, p.ids, p.offsets), got, want, tolerance)
	}
	for _, way := range []string{"sum", "mean", "weights"} {
		factor := func(b, token int) float64 {
			switch way {
			case "mean":
				return 1 / count[b]
			case "weights":
				return ws[token]
			}
			return 1
		}
		given := weights
		if way != "weights" {
			given = nil
		}
		y, want := kerneltest.New[E](t, dev, n, p.dim), make([]float64, n*p.dim)
		grad, grads := kerneltest.Random[float32](t, dev, r, p.rows, p.dim)
		p.each(func(b, token, row int) {
			for j := range p.dim {
				want[b*p.dim+j] += factor(b, token) * rows[row*p.dim+j]
				grads[row*p.dim+j] += factor(b, token) * dys[b*p.dim+j]
			}
		})
		kerneltest.Must(t, embedding.RunBag(ctx, dev, ids, offsets, given, table, y, way == "mean"))
		near(way, y, want)
		kerneltest.Must(t, embedding.AddBagGradient(ctx, dev, ids, offsets, given, dy, grad, way == "mean"))
		kerneltest.Near(t, "gradient of "+way, grad, grads, 1e-5)
	}
	dw, dws := kerneltest.New[E](t, dev, len(p.ids)), make([]float64, len(p.ids))
	best, places := make([]float64, n*p.dim), make([]float64, n*p.dim)
	for i := range places {
		places[i] = -1
	}
	p.each(func(b, token, row int) {
		for j := range p.dim {
			v, at := rows[row*p.dim+j], b*p.dim+j
			dws[token] += v * dys[at]
			if places[at] < 0 || v > best[at] {
				best[at], places[at] = v, float64(token)
			}
		}
	})
	if n > 0 {
		kerneltest.Must(t, embedding.BagWeightGradient(ctx, dev, ids, offsets, table, dy, dw))
		near("dw", dw, dws)
	}
	y, place := kerneltest.New[E](t, dev, n, p.dim), kerneltest.New[int32](t, dev, n, p.dim)
	kerneltest.Must(t, embedding.RunBagMax(ctx, dev, ids, offsets, table, y, place))
	near("max", y, best)
	kerneltest.Near(t, "places", place, places, 0)
	grad, grads := kerneltest.Random[float32](t, dev, r, p.rows, p.dim)
	for i, at := range places {
		if at >= 0 {
			grads[int(p.ids[int(at)])*p.dim+i%p.dim] += dys[i]
		}
	}
	kerneltest.Must(t, embedding.AddBagMaxGradient(ctx, dev, ids, place, dy, grad))
	kerneltest.Near(t, "gradient of max", grad, grads, 1e-5)
}

func TestBags(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, p := range []bags{
		{30, 20, ids, []float64{0, 4, 4, 7}},         // the second one is empty
		{30, 1, ids, []float64{0}},                   // one bag
		{30, 7, ids, []float64{2, 4, 10, 10}},        // two ids in no bag, and two empty bags at the end
		{30, 1100, ids, []float64{0, 5}},             // two tiles of columns
		{30, 5, []float64{-1, 30, 99}, []float64{0}}, // no id in the table
		{30, 5, nil, []float64{0, 0}},                // no ids
		{30, 5, ids, nil},                            // no bags
		{30, 0, ids, []float64{0}}, {0, 3, ids, []float64{0}},
	} {
		p.compare(t, dev, r)
	}
	for range 6 {
		p := bags{rows: 1 + r.IntN(40), dim: 1 + r.IntN(70)}
		for range r.IntN(50) {
			p.ids = append(p.ids, float64(r.IntN(p.rows+2)-1))
		}
		for at := 0; at <= len(p.ids); at += r.IntN(9) {
			if p.offsets = append(p.offsets, float64(at)); len(p.offsets) > 60 {
				break
			}
		}
		p.compare(t, dev, r)
	}
}

// TestWrongOffsets: offsets outside of ids mean its ends, and a bag that ends before it begins has nothing.
func TestWrongOffsets(t *testing.T) {
	dev := kerneltest.CPU(t)
	table, _ := kerneltest.Tensor[float32](t, dev, []float64{1, 10, 100, 1000}, 4, 1)
	ids, _ := kerneltest.Tensor[int32](t, dev, []float64{0, 1, 2, 3}, 4)
	offsets, _ := kerneltest.Tensor[int32](t, dev, []float64{-5, 3, 1, 99}, 4)
	y := kerneltest.New[float32](t, dev, 4, 1)
	kerneltest.Must(t, embedding.RunBag(t.Context(), dev, ids, offsets, nil, table, y, false))
	kerneltest.Near(t, "sums", y, []float64{111, 0, 1110, 0}, 0)
}

func TestBagMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	at := kerneltest.New[int32](t, dev, 2)
	for _, c := range []struct {
		err  error
		want string
	}{
		{embedding.RunBag(ctx, dev, at, at, nil, x(5, 4), x(3, 4), false),
			"embedding.RunBag: y has shape [3 4], expected [bags dim]: axis 0 is 3, but bags is 2 along axis 0 of offsets"},
		{embedding.RunBag(ctx, dev, at, at, x(3), x(5, 4), x(2, 4), false),
			"embedding.RunBag: weights has shape [3], expected [tokens]: axis 0 is 3, but tokens is 2 along axis 0 of ids"},
		{embedding.RunBag(ctx, dev, at, at, x(2), x(5, 4), x(2, 4), true),
			"embedding.RunBag: there are weights and a mean is wanted, expected weights only for a sum"},
		{embedding.AddBagGradient(ctx, dev, at, at, x(2), x(2, 4), x(5, 4), true),
			"embedding.AddBagGradient: there are weights and a mean is wanted, expected weights only for a sum"},
		{embedding.AddBagGradient(ctx, dev, at, at, nil, x(2, 4), x(4, 5).T(), false),
			"embedding.AddBagGradient: table has strides [1 5], expected contiguous rows"},
		{embedding.RunBagMax(ctx, dev, at, at, x(5, 4), x(2, 4), nil), "embedding.RunBagMax: places is nil, expected a tensor"},
		{embedding.AddBagMaxGradient(ctx, dev, at, kerneltest.New[int32](t, dev, 2, 3), x(2, 4), x(5, 3)),
			"embedding.AddBagMaxGradient: dy has shape [2 4], expected [bags dim]: axis 1 is 4, but dim is 3 along axis 1 of places"},
		{embedding.BagWeightGradient(ctx, dev, at, kerneltest.New[int32](t, dev, 0), x(5, 4), x(0, 4), x(2)),
			"embedding.BagWeightGradient: there are 2 ids and no bags, expected a bag"},
		{embedding.AddBagGradient(ctx, nil, at, at, nil, x(2, 4), x(5, 4), false), "embedding.AddBagGradient: the target is nil: give a device or a stream"},
	} {
		kerneltest.Mismatch(t, c.err, c.want)
	}
}
