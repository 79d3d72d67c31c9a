package softmax_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/softmax"
)

func reference(xs []float64, cols int) []float64 {
	ys := make([]float64, len(xs))
	for i := 0; i < len(xs); i += cols {
		peak, sum := math.Inf(-1), 0.0
		for _, x := range xs[i : i+cols] {
			peak = max(peak, x)
		}
		for _, x := range xs[i : i+cols] {
			sum += math.Exp(x - peak)
		}
		for j := i; j < i+cols; j++ {
			ys[j] = math.Exp(xs[j]-peak) / sum
		}
	}
	return ys
}

// shapes has rows of one element, short rows that share a block, and rows longer than any tile.
var shapes = [][2]int{{1, 1}, {37, 5}, {5, 257}, {3, 8192}, {2, 9001}, {0, 5}, {5, 0}}

func forward[E interface {
	softmax.Float
	kerneltest.Num
}](t *testing.T, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range shapes {
		values := make([]float64, s[0]*s[1])
		for i := range values {
			values[i] = 20 * r.NormFloat64() // e^x would overflow in half precision
		}
		if len(values) > 3 {
			values[1] = math.Inf(-1) // masked
		}
		x, xs := kerneltest.Tensor[E](t, dev, values, s[0], s[1])
		y := kerneltest.New[E](t, dev, s[0], s[1])
		kerneltest.Must(t, softmax.Run(t.Context(), dev, x, y))
		kerneltest.Near(t, fmt.Sprint("softmax ", s), y, reference(xs, max(1, s[1])), tolerance)
	}
}

func TestRun(t *testing.T) {
	t.Run("float32", func(t *testing.T) { forward[float32](t, 1e-6) })
	t.Run("float16", func(t *testing.T) { forward[dtype.Float16](t, 1e-3) })
	t.Run("bfloat16", func(t *testing.T) { forward[dtype.BFloat16](t, 5e-3) })
}

func TestView(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	x, xs := kerneltest.Random[float32](t, dev, r, 30, 20)
	y := kerneltest.New[float32](t, dev, 20, 30)
	kerneltest.Must(t, softmax.Run(t.Context(), dev, x.T(), y))
	turned := make([]float64, len(xs))
	for i, v := range xs {
		turned[i%20*30+i/20] = v
	}
	kerneltest.Near(t, "softmax of a transposed view", y, reference(turned, 30), 1e-6)
}

func TestBackward(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range shapes {
		rows, cols := s[0], s[1]
		x, _ := kerneltest.Random[float32](t, dev, r, rows, cols)
		y, dx := kerneltest.New[float32](t, dev, rows, cols), kerneltest.New[float32](t, dev, rows, cols)
		kerneltest.Must(t, softmax.Run(t.Context(), dev, x, y))
		got, err := y.Slice()
		kerneltest.Must(t, err)
		dy, ds := kerneltest.Random[float32](t, dev, r, rows, cols)
		kerneltest.Must(t, softmax.Backward(t.Context(), dev, y, dy, dx))
		want := make([]float64, len(ds))
		for i := range rows {
			sum := 0.0
			for j := i * cols; j < (i+1)*cols; j++ {
				sum += ds[j] * float64(got[j])
			}
			for j := i * cols; j < (i+1)*cols; j++ {
				want[j] = (ds[j] - sum) * float64(got[j])
			}
		}
		kerneltest.Near(t, fmt.Sprint("gradient ", s), dx, want, 1e-5)
	}
}

func TestMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	kerneltest.Mismatch(t, softmax.Run(t.Context(), dev, x(2, 3), x(2, 4)),
		"softmax.Run: y has shape [2 4], expected [rows cols]: axis 1 is 4, but cols is 3 along axis 1 of x")
	kerneltest.Mismatch(t, softmax.Backward(t.Context(), dev, x(2), x(2, 4), x(2, 4)),
		"softmax.Backward: y has shape [2] of rank 1, expected rank 2: [rows cols]")
	kerneltest.Mismatch(t, softmax.Backward(t.Context(), dev.Grid(2), x(2, 4), x(2, 4), x(2, 4)),
		"softmax.Backward: the grid follows from the shapes: give a device or a stream without a grid")
	kerneltest.Mismatch(t, softmax.Backward(t.Context(), nil, x(2, 4), x(2, 4), x(2, 4)),
		"softmax.Backward: the target is nil: give a device or a stream")
}
