package softmax_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/softmax"
)

// sparsemax is the reference, by sorting as in the paper: the support is the longest prefix of the sorted row whose last element is above
// the threshold of the prefix.
func sparsemax(row []float64) []float64 {
	sorted := slices.Clone(row)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	sum, t := 0.0, 0.0
	for k, v := range sorted {
		if sum += v; 1+float64(k+1)*v > sum {
			t = (sum - 1) / float64(k+1)
		}
	}
	out := make([]float64, len(row))
	for i, v := range row {
		out[i] = max(v-t, 0)
	}
	return out
}

func testSparsemax[E interface {
	softmax.Float
	kerneltest.Num
}](t *testing.T, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range shapes {
		for _, scale := range []float64{1, 1e-3, 30} { // of which few, nearly all, and mostly one are positive
			values := make([]float64, s[0]*s[1])
			for i := range values {
				values[i] = 100*scale + scale*r.NormFloat64()
			}
			x, xs := kerneltest.Tensor[E](t, dev, values, s[0], s[1])
			dy, dys := kerneltest.Random[E](t, dev, r, s[0], s[1])
			y, dx := kerneltest.New[E](t, dev, s[0], s[1]), kerneltest.New[E](t, dev, s[0], s[1])
			kerneltest.Must(t, softmax.Sparsemax(t.Context(), dev, x, y))
			var want []float64
			for i := 0; i < len(xs); i += s[1] {
				want = append(want, sparsemax(xs[i:i+s[1]])...)
			}
			kerneltest.Near(t, fmt.Sprint("y ", s, scale), y, want, tolerance)
			rounded, ys := kerneltest.Tensor[E](t, dev, want, s[0], s[1]) // the same support for both
			kerneltest.Must(t, softmax.SparsemaxBackward(t.Context(), dev, rounded, dy, dx))
			kerneltest.Near(t, fmt.Sprint("dx ", s, scale), dx, sparseSlopes(ys, dys, s[1]), 2*tolerance)
		}
	}
}

// sparseSlopes multiplies dy by the Jacobian, element by element: [i = j] - 1/n for i and j in the support of n elements.
func sparseSlopes(y, dy []float64, cols int) []float64 {
	out := make([]float64, len(y))
	for i := 0; i < len(y); i += cols {
		n, sum := 0.0, 0.0
		for j, v := range y[i : i+cols] {
			if v > 0 {
				n, sum = n+1, sum+dy[i+j]
			}
		}
		for j, v := range y[i : i+cols] {
			if v > 0 {
				out[i+j] = dy[i+j] - sum/n
			}
		}
	}
	return out
}

func TestSparsemax(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testSparsemax[float32](t, 2e-6) })
	t.Run("float16", func(t *testing.T) { testSparsemax[dtype.Float16](t, 1e-3) })
	t.Run("bfloat16", func(t *testing.T) { testSparsemax[dtype.BFloat16](t, 8e-3) })
}

// TestSparsemaxDifferences compares the gradient with differences of the reference.
func TestSparsemaxDifferences(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const cols = 7
	for range 5 {
		x, xs := kerneltest.Random[float32](t, dev, r, 1, cols)
		dy, dys := kerneltest.Random[float32](t, dev, r, 1, cols)
		y, dx := kerneltest.New[float32](t, dev, 1, cols), kerneltest.New[float32](t, dev, 1, cols)
		kerneltest.Must(t, softmax.Sparsemax(t.Context(), dev, x, y))
		kerneltest.Must(t, softmax.SparsemaxBackward(t.Context(), dev, y, dy, dx))
		want := make([]float64, cols)
		for i := range want {
			at := func(by float64) (sum float64) {
				moved := slices.Clone(xs)
				moved[i] += by
				for j, v := range sparsemax(moved) {
					sum += dys[j] * v
				}
				return sum
			}
			want[i] = (at(1e-6) - at(-1e-6)) / 2e-6
		}
		kerneltest.Near(t, "dx", dx, want, 1e-5)
	}
}

// TestSparsemaxEdges: classes that cannot be get 0; equal elements share; a row in which each step drops few elements ends, too.
func TestSparsemaxEdges(t *testing.T) {
	dev := kerneltest.CPU(t)
	inf := math.Inf(-1)
	x, _ := kerneltest.Tensor[float32](t, dev, []float64{2, inf, 2, inf, inf, inf, inf, 1, 0, 0, 0, 0}, 3, 4)
	y := kerneltest.New[float32](t, dev, 3, 4)
	kerneltest.Must(t, softmax.Sparsemax(t.Context(), dev, x, y))
	kerneltest.Near(t, "y", y, []float64{0.5, 0, 0.5, 0, 0, 0, 0, 1, 0.25, 0.25, 0.25, 0.25}, 0)
	none, _ := kerneltest.Tensor[float32](t, dev, []float64{inf, inf, 0, math.NaN()}, 2, 2)
	w := kerneltest.New[float32](t, dev, 2, 2)
	kerneltest.Must(t, softmax.Sparsemax(t.Context(), dev, none, w))
	got, err := w.Slice()
	kerneltest.Must(t, err)
	if got[0] == got[0] || got[1] == got[1] || got[3] == got[3] {
		t.Errorf("rows of -Inf and with NaN: %v, want NaN", got)
	}
	slow := make([]float64, 300)
	for i := range slow {
		slow[i] = -math.Pow(2, -float64(i)/30)
	}
	long, ls := kerneltest.Tensor[float32](t, dev, slow, 1, len(slow))
	z := kerneltest.New[float32](t, dev, 1, len(slow))
	kerneltest.Must(t, softmax.Sparsemax(t.Context(), dev, long, z))
	kerneltest.Near(t, "many steps", z, sparsemax(ls), 1e-6)
}
