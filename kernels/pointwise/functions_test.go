package pointwise_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/pointwise"
	"github.com/cutile-go/cutile/tile"
)

// erf is the tile language's error function, under a name of this package.
func erf[T tile.FloatTile](x T) T { return tile.Erf(x) }

// TestErf compares the error function with math.Erf in units in the last place, for floats of every size.
func TestErf(t *testing.T) {
	const step = 32771 // an odd number, so that all low bits occur
	var values []float64
	for bits := uint64(0); bits < 1<<32; bits += step {
		values = append(values, float64(math.Float32frombits(uint32(bits))))
	}
	for x := 0.4; x < 4.1; x += 2e-4 { // where the errors are greatest
		values = append(values, x, -x)
	}
	dev := kerneltest.CPU(t)
	x, xs := kerneltest.Tensor[float32](t, dev, values, len(values))
	y := kerneltest.New[float32](t, dev, len(values))
	kerneltest.Must(t, pointwise.Run(t.Context(), dev, x, y, erf[line]))
	ys, err := y.Slice()
	kerneltest.Must(t, err)
	worst, at := 0.0, 0.0
	for i, v := range xs {
		want, got := math.Erf(v), float64(ys[i])
		if math.IsNaN(v) {
			if !math.IsNaN(got) {
				t.Fatalf("erf(NaN) is %v", got)
			}
			continue
		}
		if math.Signbit(got) != math.Signbit(v) {
			t.Fatalf("erf(%v) is %v", v, got)
		}
		if e := math.Abs(got-want) / unit(want); !(e <= worst) {
			worst, at = e, v
		}
	}
	t.Logf("greatest error %.4f units in the last place, at %v", worst, at)
	if !(worst <= 2) {
		t.Errorf("erf(%v) is off by %v units in the last place, expected at most 2", at, worst)
	}
}

// unit is the distance of float32 numbers around x.
func unit(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-24, -149))
}

// functions have derivatives: those below are taken from them by differences in float64.
var functions = []struct {
	name     string
	f        pointwise.Func1
	backward pointwise.Func2
	host     func(float64) float64
}{
	{"ReLU", pointwise.ReLU[line], pointwise.ReLUBackward[line], func(x float64) float64 { return max(x, 0) }},
	{"sigmoid", pointwise.Sigmoid[line], pointwise.SigmoidBackward[line], func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
	{"SiLU", pointwise.SiLU[line], pointwise.SiLUBackward[line], func(x float64) float64 { return x / (1 + math.Exp(-x)) }},
	{"GELU", pointwise.GELU[line], pointwise.GELUBackward[line], func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }},
	{"GELU by tanh", pointwise.GELUTanh[line], pointwise.GELUTanhBackward[line], func(x float64) float64 {
		return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	}},
}

// TestFunctions compares functions and their derivatives, of ordinary and of large numbers.
func TestFunctions(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	values := []float64{-1e4, -60, -12, -5, 5, 12, 60, 1e4}
	for range 1000 {
		values = append(values, 3*r.NormFloat64())
	}
	x, xs := kerneltest.Tensor[float32](t, dev, values, len(values))
	dy, dys := kerneltest.Random[float32](t, dev, r, len(values))
	for _, f := range functions {
		y, dx := kerneltest.New[float32](t, dev, len(values)), kerneltest.New[float32](t, dev, len(values))
		kerneltest.Must(t, pointwise.Run(t.Context(), dev, x, y, f.f))
		kerneltest.Must(t, pointwise.RunZip(t.Context(), dev, x, dy, dx, f.backward))
		want, slope := make([]float64, len(xs)), make([]float64, len(xs))
		for i, v := range xs {
			const h = 1e-5
			want[i] = f.host(v)
			slope[i] = dys[i] * (f.host(v+h) - f.host(v-h)) / (2 * h)
		}
		kerneltest.Near(t, f.name, y, want, 1e-6)
		kerneltest.Near(t, f.name+" backward", dx, slope, 2e-6)
	}
}

// TestFunctionsOfHalves: gradients of 16-bit elements are computed in float32.
func TestFunctionsOfHalves(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	x, xs := kerneltest.Random[dtype.BFloat16](t, dev, r, 7, 33)
	y := kerneltest.New[float32](t, dev, 7, 33)
	kerneltest.Must(t, pointwise.Run(t.Context(), dev, x, y, pointwise.GELU[line]))
	for i, v := range xs {
		xs[i] = v / 2 * (1 + math.Erf(v/math.Sqrt2))
	}
	kerneltest.Near(t, "GELU", y, xs, 1e-6)
}
