package main

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/cutile-go/cutile"
)

// onDevice computes the softmax of rows in a slice.
func onDevice(ctx context.Context, dev *cutile.Device, xs []float32, rows, cols int) ([]float32, error) {
	x, err := cutile.FromSlice(dev, xs, rows, cols)
	if err != nil {
		return nil, err
	}
	y, err := cutile.NewTensor[float32](dev, rows, cols)
	if err != nil {
		return nil, err
	}
	if err := normalise(ctx, dev, x, y); err != nil {
		return nil, err
	}
	return y.Slice()
}

// worst returns the greatest error against float64 arithmetic, relative to the element.
func worst(ys, xs []float32, cols int) float64 {
	far := 0.0
	for ; len(xs) > 0; xs, ys = xs[cols:], ys[cols:] {
		peak, sum := math.Inf(-1), 0.0
		for _, x := range xs[:cols] {
			peak = max(peak, float64(x))
		}
		for _, x := range xs[:cols] {
			sum += math.Exp(float64(x) - peak)
		}
		for j, x := range xs[:cols] {
			want := math.Exp(float64(x)-peak) / sum
			if diff := math.Abs(float64(ys[j]) - want); diff != 0 { // also if it is NaN
				far = max(far, diff/want)
			}
		}
	}
	return far
}

// random returns normally distributed numbers around 100, whose exponentials overflow float32.
func random(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(100 + 5*r.NormFloat64())
	}
	return x
}
