package quant_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/quant"
	"github.com/cutile-go/cutile/tile"
)

// uneven gives numbers of very different sizes, so that a wrong scale shows, and a block of zeros.
func uneven(r *rand.Rand, rows, k int) []float64 {
	out := make([]float64, rows*k)
	for i := range out {
		out[i] = r.NormFloat64() * math.Pow(4, float64(i/max(k, 1)%3+i%max(k, 1)/128))
		if i/k < 128 && i%k/128 == 1 {
			out[i] = 0
		}
	}
	return out
}

// fp8 rounds x in float64 and gives what is left of it, with a scale for high rows of 128 elements.
func fp8(x []float64, rows, k, high int) (rounded, scales []float64) {
	rounded = make([]float64, len(x))
	for bi := 0; bi < rows; bi += high {
		for bj := 0; bj < k; bj += 128 {
			peak := 0.0
			each := func(f func(i int)) {
				for i := bi; i < min(bi+high, rows); i++ {
					for j := bj; j < min(bj+128, k); j++ {
						f(i*k + j)
					}
				}
			}
			each(func(i int) { peak = max(peak, math.Abs(x[i])) })
			scale := float64(float32(peak) / 448)
			scales = append(scales, scale)
			each(func(i int) {
				if scale != 0 {
					rounded[i] = dtype.Float8E4M3FNFromFloat64(float64(float32(x[i])/float32(scale))).Float64() * scale
				}
			})
		}
	}
	return rounded, scales
}

// shapesFP8 have whole blocks, parts of blocks, and none.
var shapesFP8 = []struct{ m, n, k int }{{3, 130, 300}, {40, 256, 256}, {1, 1, 1}, {130, 5, 128}, {0, 3, 4}, {3, 4, 0}}

func roundFP8[E interface {
	quant.Float
	kerneltest.Num
}](t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range shapesFP8 {
		for _, high := range []int{1, 128} {
			x, xs := kerneltest.Tensor[E](t, dev, uneven(r, s.n, s.k), s.n, s.k)
			to, err := quant.NewFP8(dev, s.n, s.k, high)
			kerneltest.Must(t, err)
			kerneltest.Must(t, quant.RunRoundFP8(t.Context(), dev, x, to))
			want, scales := fp8(xs, s.n, s.k, high)
			kerneltest.Near(t, fmt.Sprint("scales ", s, high), to.Scales, scales, 1e-7)
			got, err := to.Slice()
			kerneltest.Must(t, err)
			for i, v := range want {
				if math.Abs(float64(got[i])-v) > 1e-6*math.Abs(v) {
					t.Fatalf("%v, high %d: element %d is %v, want %v", s, high, i, got[i], v)
				}
			}
			kerneltest.Must(t, to.Close())
		}
	}
}

func TestRunRoundFP8(t *testing.T) {
	t.Run("float32", roundFP8[float32])
	t.Run("float16", roundFP8[dtype.Float16])
	t.Run("bfloat16", roundFP8[dtype.BFloat16])
}

func linearFP8[C interface {
	quant.Float
	kerneltest.Num
}](t *testing.T, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range shapesFP8 {
		matrix := func(rows, high int) (*quant.FP8, []float64) {
			x, xs := kerneltest.Tensor[float32](t, dev, uneven(r, rows, s.k), rows, s.k)
			m, err := quant.NewFP8(dev, rows, s.k, high)
			kerneltest.Must(t, err)
			kerneltest.Must(t, quant.RunRoundFP8(t.Context(), dev, x, m))
			rounded, _ := fp8(xs, rows, s.k, high)
			return m, rounded
		}
		x, xs := matrix(s.m, 1)
		w, ws := matrix(s.n, 128)
		y := kerneltest.New[C](t, dev, s.m, s.n)
		kerneltest.Must(t, quant.RunLinearFP8(t.Context(), dev, x, w, y))
		want := make([]float64, s.m*s.n)
		for i := range s.m {
			for j := range s.n {
				for l := range s.k {
					want[i*s.n+j] += xs[i*s.k+l] * ws[j*s.k+l]
				}
			}
		}
		kerneltest.Near(t, fmt.Sprint("y ", s), y, want, tolerance)
	}
}

func TestRunLinearFP8(t *testing.T) {
	t.Run("float32", func(t *testing.T) { linearFP8[float32](t, 1e-4) })
	t.Run("bfloat16", func(t *testing.T) { linearFP8[dtype.BFloat16](t, 8e-3) })
}

// TestScaledFP8: the kernel with tiles of columns that share a scale, which no function launches.
func TestScaledFP8(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const m, n, k = 5, 140, 256
	x, err := quant.NewFP8(dev, m, k, 1)
	kerneltest.Must(t, err)
	w, err := quant.NewFP8(dev, n, k, 128)
	kerneltest.Must(t, err)
	xs, xv := kerneltest.Tensor[float32](t, dev, uneven(r, m, k), m, k)
	ws, wv := kerneltest.Tensor[float32](t, dev, uneven(r, n, k), n, k)
	kerneltest.Must(t, quant.RunRoundFP8(t.Context(), dev, xs, x))
	kerneltest.Must(t, quant.RunRoundFP8(t.Context(), dev, ws, w))
	xv, _ = fp8(xv, m, k, 1)
	wv, _ = fp8(wv, n, k, 128)
	want := make([]float64, m*n)
	for i := range want {
		for l := range k {
			want[i] += xv[i/n*k+l] * wv[i%n*k+l]
		}
	}
	y := kerneltest.New[float32](t, dev, m, n)
	kerneltest.Must(t, cutile.Launch(t.Context(), dev, quant.ScaledFP8[float32, tile.D8, tile.D32], x.Values, x.Scales, w.Values, w.Scales, y))
	kerneltest.Near(t, "y", y, want, 1e-4)
}

func TestFP8Mistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	_, err := quant.NewFP8(dev, 3, 5, 64)
	kerneltest.Mismatch(t, err, "quant.NewFP8: a scale is for 64 rows, expected 1 or 128")
	_, err = quant.NewFP8(dev, -3, 5, 1)
	kerneltest.Mismatch(t, err, "quant.NewFP8: the shape is [-3 5], expected no negative extents")
	x, err := quant.NewFP8(dev, 3, 256, 1)
	kerneltest.Must(t, err)
	y := kerneltest.New[float32](t, dev, 3, 3)
	kerneltest.Mismatch(t, quant.RunLinearFP8(t.Context(), dev, x, x, y), "quant.RunLinearFP8: w has a scale for 1 rows, expected one for 128")
	kerneltest.Mismatch(t, quant.RunLinearFP8[float32](t.Context(), dev, x, nil, y), "quant.RunLinearFP8: x or w is nil, expected matrices")
	var none *cutile.Tensor[float32]
	kerneltest.Mismatch(t, quant.RunRoundFP8(t.Context(), dev, none, x), "quant.RunRoundFP8: x is nil, expected a tensor")
	x.Scales = x.Scales.Narrow(1, 0, 1)
	kerneltest.Mismatch(t, quant.RunRoundFP8(t.Context(), dev, kerneltest.New[float32](t, dev, 3, 256), x),
		"quant.RunRoundFP8: to.Scales has shape [3 1], expected [3 2] for elements [3 256]")
}
