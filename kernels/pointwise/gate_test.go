package pointwise_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/pointwise"
)

var gates = []struct {
	name string
	g    pointwise.Gate
	host func(x float64) float64
}{
	{"SwiGLU", pointwise.SwiGLU, func(x float64) float64 { return x / (1 + math.Exp(-x)) }},
	{"GEGLU", pointwise.GEGLU, func(x float64) float64 { return x * math.Erfc(-x/math.Sqrt2) / 2 }},
	{"GEGLUTanh", pointwise.GEGLUTanh, func(x float64) float64 { return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x))) }},
	{"ReGLU", pointwise.ReGLU, func(x float64) float64 { return math.Max(x, 0) }},
	{"GLU", pointwise.GLU, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
}

// gated compares gated units with float64, and gradients with differences of those.
func gated[E interface {
	pointwise.Float
	kerneltest.Num
}](t *testing.T, rows, cols int, tolerance float64) {
	t.Helper()
	dev, r, ctx := kerneltest.CPU(t), kerneltest.Rand(), t.Context()
	both, numbers := kerneltest.Random[E](t, dev, r, rows, 2*cols)
	gate, up := both.Narrow(1, 0, cols), both.Narrow(1, cols, 2*cols) // halves of one matrix
	dy, dys := kerneltest.Random[E](t, dev, r, rows, cols)
	for _, c := range gates {
		y, dboth := kerneltest.New[E](t, dev, rows, cols), kerneltest.New[E](t, dev, rows, 2*cols)
		ys, slopes := make([]float64, rows*cols), make([]float64, 2*rows*cols)
		for i := range ys {
			at := i/max(cols, 1)*2*cols + i%max(cols, 1)
			g, u := numbers[at], numbers[at+cols]
			const h = 1e-6
			ys[i] = c.host(g) * u
			slopes[at] = (c.host(g+h) - c.host(g-h)) / (2 * h) * u * dys[i]
			slopes[at+cols] = c.host(g) * dys[i]
		}
		kerneltest.Must(t, pointwise.RunGated(ctx, dev, c.g, gate, up, y))
		kerneltest.Near(t, fmt.Sprint(c.name, " ", rows, cols), y, ys, tolerance)
		kerneltest.Must(t, pointwise.RunGatedBackward(ctx, dev, c.g, dy, gate, up, dboth.Narrow(1, 0, cols), dboth.Narrow(1, cols, 2*cols)))
		kerneltest.Near(t, fmt.Sprint("gradients of ", c.name, " ", rows, cols), dboth, slopes, 4*tolerance)
	}
}

func TestGated(t *testing.T) {
	for _, s := range [][2]int{{1, 1}, {3, 70}, {2, 1500}, {40, 5}, {0, 3}, {3, 0}} {
		gated[float32](t, s[0], s[1], 2e-6)
	}
	gated[dtype.Float16](t, 3, 70, 2e-3)
	gated[dtype.BFloat16](t, 3, 70, 2e-2)
}

func TestGateMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	kerneltest.Mismatch(t, pointwise.RunGated(ctx, dev, pointwise.SwiGLU, x(2, 3), x(2, 4), x(2, 3)),
		"pointwise.RunGated: up has shape [2 4], expected [rows cols]: axis 1 is 4, but cols is 3 along axis 1 of gate")
	kerneltest.Mismatch(t, pointwise.RunGated(ctx, dev, pointwise.Gate{}, x(2, 3), x(2, 3), x(2, 3)),
		"pointwise.RunGated: g has no functions, expected pointwise.SwiGLU or another Gate")
	kerneltest.Mismatch(t, pointwise.RunGatedBackward(ctx, dev, pointwise.SwiGLU, x(2, 3), x(2, 3), x(2, 3), x(2, 3), nil),
		"pointwise.RunGatedBackward: dup is nil, expected a tensor")
}
