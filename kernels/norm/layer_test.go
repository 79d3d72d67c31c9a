package norm_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/norm"
)

// TestAddLayer: the sum is returned where the residual was, and its norm, mean and rstd; the last two may be nil.
func TestAddLayer(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range shapes {
		x, xs := kerneltest.Random[float32](t, dev, r, s[0], s[1])
		z, zs := kerneltest.Random[float32](t, dev, r, s[0], s[1])
		w, ws := kerneltest.Random[float32](t, dev, r, s[1])
		b, bs := kerneltest.Random[float32](t, dev, r, s[1])
		y := kerneltest.New[float32](t, dev, s[0], s[1])
		mean, rstd := kerneltest.New[float32](t, dev, s[0]), kerneltest.New[float32](t, dev, s[0])
		err := norm.AddLayer(t.Context(), dev, x, z, w, b, y, mean, rstd, eps)
		if s[1] > 8192 {
			kerneltest.Mismatch(t, err, "norm.AddLayer: rows have 8300 elements, expected at most 8192")
			continue
		}
		kerneltest.Must(t, err)
		if s[0]*s[1] == 0 {
			continue
		}
		add := func() {
			for i := range xs {
				zs[i] += xs[i]
			}
		}
		add()
		want := reference(zs, ws, bs, xs, s[0], s[1])
		kerneltest.Near(t, fmt.Sprint("residual ", s), z, zs, 1e-6)
		kerneltest.Near(t, fmt.Sprint("y ", s), y, want.y, 1e-5)
		kerneltest.Near(t, fmt.Sprint("mean ", s), mean, want.mean, 1e-6)
		kerneltest.Near(t, fmt.Sprint("rstd ", s), rstd, want.rstd, 1e-4)
		kerneltest.Must(t, norm.AddLayer(t.Context(), dev, x, z, w, b, y, nil, nil, eps))
		add()
		kerneltest.Near(t, fmt.Sprint("y ", s), y, reference(zs, ws, bs, xs, s[0], s[1]).y, 1e-5)
	}
}

// TestLayerWithoutStatistics: of mean and rstd, each may be nil.
func TestLayerWithoutStatistics(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, cols := range []int{70, 8300} {
		x, xs := kerneltest.Random[float32](t, dev, r, 3, cols)
		w, ws := kerneltest.Random[float32](t, dev, r, cols)
		b, bs := kerneltest.Random[float32](t, dev, r, cols)
		want := reference(xs, ws, bs, xs, 3, cols)
		for i := range 3 {
			y := kerneltest.New[float32](t, dev, 3, cols)
			var mean, rstd *cutile.Tensor[float32]
			if i == 1 {
				mean = kerneltest.New[float32](t, dev, 3)
			} else if i == 2 {
				rstd = kerneltest.New[float32](t, dev, 3)
			}
			kerneltest.Must(t, norm.Layer(t.Context(), dev, x, w, b, y, mean, rstd, eps))
			kerneltest.Near(t, "y", y, want.y, 1e-5)
			if mean != nil {
				kerneltest.Near(t, "mean", mean, want.mean, 1e-5)
			}
			if rstd != nil {
				kerneltest.Near(t, "rstd", rstd, want.rstd, 1e-5)
			}
		}
	}
}
