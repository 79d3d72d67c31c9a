package pointwise_test

import (
	"embed"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/pointwise"
	"github.com/cutile-go/cutile/tile"
)

//go:embed functions_test.go pointwise_test.go
var source embed.FS
var _ = cutile.Module(source)

// cube is a function of the caller's own.
func cube[T tile.FloatTile](x T) T { return x * x * x }

type line = tile.F32T1[tile.D1]

func TestRun(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, c := range []struct {
		name   string
		kernel pointwise.Func1
		host   func(float64) float64
	}{
		{"identity", pointwise.Identity[line], func(x float64) float64 { return x }},
		{"ReLU", pointwise.ReLU[line], func(x float64) float64 { return max(x, 0) }},
		{"SiLU", pointwise.SiLU[line], func(x float64) float64 { return x / (1 + math.Exp(-x)) }},
		{"GELU", pointwise.GELU[line], func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }},
		{"sigmoid", pointwise.Sigmoid[line], func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
		{"own", cube[line], func(x float64) float64 { return x * x * x }},
	} {
		for _, shape := range [][]int{{}, {1}, {5, 1001}, {0, 3}} {
			x, xs := kerneltest.Random[dtype.Float16](t, dev, r, shape...)
			y := kerneltest.New[float32](t, dev, shape...)
			kerneltest.Must(t, pointwise.Run(t.Context(), dev, x, y, c.kernel))
			for i := range xs {
				xs[i] = c.host(xs[i])
			}
			kerneltest.Near(t, c.name, y, xs, 1e-3)
		}
	}
}

func TestRunZip(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	x, xs := kerneltest.Random[float32](t, dev, r, 3, 700)
	y, ys := kerneltest.Random[float32](t, dev, r, 3, 700)
	sum, product := kerneltest.New[float32](t, dev, 3, 700), kerneltest.New[dtype.BFloat16](t, dev, 3, 700)
	kerneltest.Must(t, pointwise.RunZip(t.Context(), dev, x, y, sum, pointwise.Add[line]))
	kerneltest.Must(t, pointwise.RunZip(t.Context(), dev, x, y, product, pointwise.Mul[line]))
	sums, products := make([]float64, len(xs)), make([]float64, len(xs))
	for i := range xs {
		sums[i], products[i] = xs[i]+ys[i], xs[i]*ys[i]
	}
	kerneltest.Near(t, "sum", sum, sums, 1e-6)
	kerneltest.Near(t, "product", product, products, 5e-3)
	kerneltest.Must(t, pointwise.RunAXPY(t.Context(), dev, 0.5, x, y))
	for i := range xs {
		ys[i] += xs[i] / 2
	}
	kerneltest.Near(t, "axpy", y, ys, 1e-6)
}

// TestRunSiLUMul takes the halves of one matrix.
func TestRunSiLUMul(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range [][2]int{{3, 5}, {7, 1500}, {0, 3}} {
		rows, cols := s[0], s[1]
		both, xs := kerneltest.Random[dtype.BFloat16](t, dev, r, rows, 2*cols)
		y := kerneltest.New[dtype.BFloat16](t, dev, rows, cols)
		kerneltest.Must(t, pointwise.RunSiLUMul(t.Context(), dev, both.Narrow(1, 0, cols), both.Narrow(1, cols, 2*cols), y))
		want := make([]float64, rows*cols)
		for i := range want {
			g, u := xs[i/cols*2*cols+i%cols], xs[i/cols*2*cols+i%cols+cols]
			want[i] = g / (1 + math.Exp(-g)) * u
		}
		kerneltest.Near(t, "gate", y, want, 5e-3)
	}
}

func TestMade(t *testing.T) {
	dev := kerneltest.CPU(t)
	ramp := kerneltest.New[float32](t, dev, 1500)
	kerneltest.Must(t, pointwise.RunRamp(t.Context(), dev, ramp, -3, 0.25))
	want := make([]float64, 1500)
	for i := range want {
		want[i] = -3 + float64(i)/4
	}
	kerneltest.Near(t, "ramp", ramp, want, 0)
	for _, offset := range []int{0, 2, -150} {
		eye := kerneltest.New[dtype.Float16](t, dev, 170, 150)
		kerneltest.Must(t, pointwise.RunEye(t.Context(), dev, eye, offset))
		want := make([]float64, 170*150)
		for i := range 170 {
			if j := i + offset; j >= 0 && j < 150 {
				want[i*150+j] = 1
			}
		}
		kerneltest.Near(t, "eye", eye, want, 0)
	}
}

func TestMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	kerneltest.Mismatch(t, pointwise.RunZip(t.Context(), dev, x(2, 3), x(3, 2), x(6), pointwise.Add[line]),
		"pointwise.RunZip: y has shape [3 2], expected [2 3], that of x", "pointwise.RunZip: z has shape [6], expected [2 3], that of x")
	kerneltest.Mismatch(t, pointwise.Run(t.Context(), dev, (*cutile.Tensor[float32])(nil), x(2), pointwise.ReLU[line]), "pointwise.Run: x is nil, expected a tensor")
	if err := pointwise.Run(t.Context(), dev, x(2, 3).T(), x(3, 2), pointwise.ReLU[line]); err == nil {
		t.Error("a transposed view is taken for a row of elements")
	}
}
