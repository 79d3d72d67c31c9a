package main

import (
	"math"
	"math/rand/v2"

	"github.com/cutile-go/cutile"
)

// newLayer makes a layer with random inputs.
func newLayer(dev *cutile.Device, r *rand.Rand, rows, cols int) (*layer, error) {
	l := &layer{}
	for _, t := range []struct {
		to     **cutile.Tensor[float32]
		center float64
		shape  []int
	}{
		{&l.x, 3, []int{rows, cols}}, {&l.w, 1, []int{cols}}, {&l.b, 0, []int{cols}}, {&l.dy, 0, []int{rows, cols}},
		// Results are initialised, too, and all of them must be overwritten.
		{&l.y, 0, []int{rows, cols}}, {&l.mean, 0, []int{rows}}, {&l.rstd, 0, []int{rows}},
		{&l.dx, 0, []int{rows, cols}}, {&l.dw, 0, []int{cols}}, {&l.db, 0, []int{cols}},
	} {
		n := 1
		for _, extent := range t.shape {
			n *= extent
		}
		data := make([]float32, n)
		for i := range data {
			data[i] = float32(t.center + r.NormFloat64())
		}
		var err error
		if *t.to, err = cutile.FromSlice(dev, data, t.shape...); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// deviation returns the greatest error of a result against float64 arithmetic, relative to the result's greatest
// magnitude.
type deviation struct {
	name  string
	worst float64
}

// deviations compares every result with plain Go.
func (l *layer) deviations() ([]deviation, error) {
	host := map[*cutile.Tensor[float32]][]float32{}
	for _, t := range []*cutile.Tensor[float32]{l.x, l.w, l.b, l.dy, l.y, l.mean, l.rstd, l.dx, l.dw, l.db} {
		data, err := t.Slice()
		if err != nil {
			return nil, err
		}
		host[t] = data
	}
	y, mean, rstd, dx, dw, db := reference(host[l.x], host[l.w], host[l.b], host[l.dy])
	return []deviation{
		{"y", worst(host[l.y], y)}, {"mean", worst(host[l.mean], mean)}, {"rstd", worst(host[l.rstd], rstd)},
		{"dx", worst(host[l.dx], dx)}, {"dw", worst(host[l.dw], dw)}, {"db", worst(host[l.db], db)},
	}, nil
}

func worst(got []float32, want []float64) float64 {
	diff, size := 0.0, 0.0
	for i, w := range want {
		diff, size = max(diff, math.Abs(float64(got[i])-w)), max(size, math.Abs(w))
	}
	return diff / size
}

// reference computes the layer and its gradients in float64.
func reference(x, w, b, dy []float32) (y, mean, rstd, dx, dw, db []float64) {
	n := len(w)
	dw, db = make([]float64, n), make([]float64, n)
	for ; len(x) > 0; x, dy = x[n:], dy[n:] {
		var mu, squares, common, along float64
		for j := range n {
			mu += float64(x[j]) / float64(n)
		}
		for j := range n {
			squares += (float64(x[j]) - mu) * (float64(x[j]) - mu)
		}
		r := 1 / math.Sqrt(squares/float64(n)+eps)
		for j := range n {
			h, g := (float64(x[j])-mu)*r, float64(dy[j])
			y = append(y, h*float64(w[j])+float64(b[j]))
			dw[j] += g * h
			db[j] += g
			common += g * float64(w[j]) / float64(n)
			along += g * float64(w[j]) * h / float64(n)
		}
		for j := range n {
			h, g := (float64(x[j])-mu)*r, float64(dy[j])*float64(w[j])
			dx = append(dx, (g-common-h*along)*r)
		}
		mean, rstd = append(mean, mu), append(rstd, r)
	}
	return y, mean, rstd, dx, dw, db
}
