package fft_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/fft"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// transform is the reference: the sum that defines the transform, of each row of n numbers, parts side by side.
func transform(x []float64, n int, sign, scale float64) []float64 {
	y, roots := make([]float64, len(x)), make([]complex128, n)
	for i := range roots {
		roots[i] = cmplx.Rect(1, -sign*2*math.Pi*float64(i)/float64(n))
	}
	for at := 0; at < len(x); at += 2 * n {
		for k := range n {
			var sum complex128
			for j := range n {
				sum += complex(x[at+2*j], x[at+2*j+1]) * roots[j*k%n]
			}
			y[at+2*k], y[at+2*k+1] = real(sum)*scale, imag(sum)*scale
		}
	}
	return y
}

func plan(t *testing.T, dev *cutile.Device, n int) *fft.Plan {
	t.Helper()
	p, err := fft.NewPlan(dev, n)
	kerneltest.Must(t, err)
	t.Cleanup(func() { kerneltest.Must(t, p.Close()) })
	return p
}

func TestTransforms(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for n := 1; n <= fft.Longest; n *= 2 {
		rows := 4000/n + 2 // several blocks, and rows that do not fill the last one
		p := plan(t, dev, n)
		x, xs := kerneltest.Random[float32](t, dev, r, rows, n, 2)
		y := kerneltest.New[float32](t, dev, rows, n, 2)
		size := math.Sqrt(float64(n)) // what a result is like
		kerneltest.Must(t, p.Forward(t.Context(), dev, x, y))
		kerneltest.Near(t, fmt.Sprint("forward ", n), y, transform(xs, n, 1, 1), 1e-6*size)
		kerneltest.Must(t, p.Inverse(t.Context(), dev, x, y))
		kerneltest.Near(t, fmt.Sprint("inverse ", n), y, transform(xs, n, -1, 1/float64(n)), 1e-6/size)
	}
}

// TestBack transforms there and back, from a part of rows that lie further apart.
func TestBack(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const rows, n = 7, 256
	wide, all := kerneltest.Random[float32](t, dev, r, rows, n+3, 2)
	x := wide.Narrow(1, 0, n)
	var xs []float64
	for i := range rows {
		xs = append(xs, all[i*2*(n+3):][:2*n]...)
	}
	y, z := kerneltest.New[float32](t, dev, rows, n, 2), kerneltest.New[float32](t, dev, rows, n, 2)
	p := plan(t, dev, n)
	kerneltest.Must(t, p.Forward(t.Context(), dev, x, y))
	kerneltest.Must(t, p.Inverse(t.Context(), dev, y, z))
	kerneltest.Near(t, "there", y, transform(xs, n, 1, 1), 2e-5)
	kerneltest.Near(t, "there and back", z, xs, 2e-6)
}

// TestTones has rows of one frequency each: all of the result is in one place.
func TestTones(t *testing.T) {
	dev := kerneltest.CPU(t)
	const n = 64
	x, want := make([]float64, n*n*2), make([]float64, n*n*2)
	for k := range n {
		for j := range n {
			x[(k*n+j)*2+1], x[(k*n+j)*2] = math.Sincos(2 * math.Pi * float64(j*k%n) / n)
		}
		want[(k*n+k)*2] = n
	}
	tones, _ := kerneltest.Tensor[float32](t, dev, x, n, n, 2)
	y := kerneltest.New[float32](t, dev, n, n, 2)
	kerneltest.Must(t, plan(t, dev, n).Forward(t.Context(), dev, tones, y))
	kerneltest.Near(t, "tones", y, want, 1e-5)
}

func TestMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	for _, n := range []int{-8, 0, 12, 2 * fft.Longest} {
		_, err := fft.NewPlan(dev, n)
		kerneltest.Mismatch(t, err, fmt.Sprintf("fft.NewPlan: n is %d, expected a power of two from 1 to 4096", n))
	}
	p := plan(t, dev, 8)
	kerneltest.Mismatch(t, p.Forward(ctx, dev, x(3, 8), x(3, 8, 2)),
		"fft.Plan.Forward: x has shape [3 8] of rank 2, expected rank 3: [rows n 2]")
	kerneltest.Mismatch(t, p.Inverse(ctx, dev, x(3, 8, 2), x(4, 8, 2)),
		"fft.Plan.Inverse: y has shape [4 8 2], expected [rows n 2]: axis 0 is 4, but rows is 3 along axis 0 of x")
	kerneltest.Mismatch(t, p.Forward(ctx, dev, x(3, 16, 2), x(3, 16, 2)), "fft.Plan.Forward: rows have 16 numbers, but the plan is for 8")
	kerneltest.Mismatch(t, p.Forward(ctx, dev, x(3, 2, 8).T(), x(3, 8, 2)),
		"fft.Plan.Forward: x has strides [16 1 8] and y [16 2 1], expected the numbers of a row to be contiguous")
	same := x(3, 8, 2)
	kerneltest.Mismatch(t, p.Forward(ctx, dev, same, same),
		"kernel fft.Rows[D4, D2, D2]: argument #6 (y) is written, but shares memory with argument #1 (x): pass a copy, or use one InOut for both")
	kerneltest.Must(t, p.Forward(ctx, dev, x(0, 8, 2), x(0, 8, 2)))
	kerneltest.Must(t, new(fft.Plan).Close())
}
