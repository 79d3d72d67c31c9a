package loss_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/loss"
)

// reduced is what a reduction makes of losses.
func reduced(r loss.Reduction, losses []float64) []float64 {
	if r == loss.None {
		return losses
	}
	sum := 0.0
	for _, l := range losses {
		sum += l
	}
	if r == loss.Mean {
		sum /= float64(len(losses))
	}
	return []float64{sum}
}

var pairs = []struct {
	name string
	f    loss.Func
	host func(x, t float64) float64
	unit bool // t is a probability
}{
	{"MSE", loss.MSE, func(x, t float64) float64 { return (x - t) * (x - t) }, false},
	{"L1", loss.L1, func(x, t float64) float64 { return math.Abs(x - t) }, false},
	{"Huber", loss.Huber(0.75), func(x, t float64) float64 {
		if d := math.Abs(x - t); d > 0.75 {
			return 0.75 * (d - 0.375)
		}
		return (x - t) * (x - t) / 2
	}, false},
	{"KL", loss.KL, func(x, t float64) float64 {
		if t == 0 {
			return 0
		}
		return t * (math.Log(t) - x)
	}, true},
	{"BCE", loss.BCE, func(x, t float64) float64 { return math.Max(x, 0) - x*t + math.Log1p(math.Exp(-math.Abs(x))) }, true},
	{"TVD", loss.TVD, func(x, t float64) float64 { return math.Abs(x-t) / 2 }, false},
	{"JSD", loss.JSD(0.5), func(x, t float64) float64 { return jensenShannon(x, t, 0.5) }, false},
	{"JSD of 0.1", loss.JSD(0.1), func(x, t float64) float64 { return jensenShannon(x, t, float64(float32(0.1))) }, false},
}

// jensenShannon is the divergence by its definition, of two divergences from the mixture.
func jensenShannon(x, t, beta float64) float64 {
	q, p := math.Exp(x), math.Exp(t)
	m := beta*p + (1-beta)*q
	return beta*p*math.Log(p/m) + (1-beta)*q*math.Log(q/m)
}

type element interface {
	loss.Float
	kerneltest.Num
}

// run compares losses with float64, and gradients with differences of those.
func run[E element](t *testing.T, tolerance, rounding float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, c := range pairs {
		for _, dims := range [][]int{{1}, {3, 701}, {2500}, {0, 4}} {
			x, xs := kerneltest.Random[E](t, dev, r, dims...)
			values := make([]float64, len(xs))
			for i := range values {
				values[i] = r.NormFloat64()
				if c.unit {
					values[i] = max(r.Float64()-0.1, 0) // some are 0
				}
			}
			to, ts := kerneltest.Tensor[E](t, dev, values, dims...)
			losses, slopes := make([]float64, len(xs)), make([]float64, len(xs))
			for i := range xs {
				const h = 1e-6
				losses[i] = c.host(xs[i], ts[i])
				slopes[i] = (c.host(xs[i]+h, ts[i]) - c.host(xs[i]-h, ts[i])) / (2 * h)
			}
			for _, reduction := range []loss.Reduction{loss.None, loss.Sum, loss.Mean} {
				what := fmt.Sprint(c.name, " ", dims, " reduction ", reduction)
				shape := dims
				if reduction != loss.None {
					shape = []int{1}
				}
				y, dx := kerneltest.New[float32](t, dev, shape...), kerneltest.New[E](t, dev, dims...)
				dy, dys := kerneltest.Random[float32](t, dev, r, shape...)
				kerneltest.Must(t, loss.Run(t.Context(), dev, c.f, x, to, y, reduction))
				kerneltest.Near(t, what, y, reduced(reduction, losses), tolerance)
				kerneltest.Must(t, loss.Backward(t.Context(), dev, c.f, x, to, dy, dx, reduction))
				want := make([]float64, len(xs))
				for i := range want {
					want[i] = slopes[i] * dys[i%len(dys)]
					if reduction == loss.Mean {
						want[i] /= float64(len(xs))
					}
				}
				kerneltest.Near(t, what+" backward", dx, want, rounding)
			}
		}
	}
}

func TestRun(t *testing.T) {
	t.Run("float32", func(t *testing.T) { run[float32](t, 2e-6, 1e-5) })
	t.Run("float16", func(t *testing.T) { run[dtype.Float16](t, 2e-6, 2e-3) })
}

// TestLargeLogits: the binary cross entropy neither overflows nor loses what is small.
func TestLargeLogits(t *testing.T) {
	dev := kerneltest.CPU(t)
	xs := []float64{-1e30, 1e30, -80, 80, 20, 30, -30, 0}
	ts := []float64{0, 1, 0, 0, 1, 1, 1, 0.5}
	x, _ := kerneltest.Tensor[float32](t, dev, xs, len(xs))
	to, _ := kerneltest.Tensor[float32](t, dev, ts, len(xs))
	y := kerneltest.New[float32](t, dev, len(xs))
	kerneltest.Must(t, loss.Run(t.Context(), dev, loss.BCE, x, to, y, loss.None))
	got, err := y.Slice()
	kerneltest.Must(t, err)
	for i, x := range xs {
		want := math.Max(x, 0) - x*ts[i] + math.Log1p(math.Exp(-math.Abs(x)))
		if math.Abs(float64(got[i])-want) > 1e-6*want {
			t.Errorf("BCE of logit %v and %v is %v, want %v", x, ts[i], got[i], want)
		}
	}
}

// TestImpossible: where a probability is 0, its logarithm -Inf is in no loss and no slope.
func TestImpossible(t *testing.T) {
	dev, ctx, none := kerneltest.CPU(t), t.Context(), math.Inf(-1)
	x, _ := kerneltest.Tensor[float32](t, dev, []float64{none, 0, none}, 3)
	to, _ := kerneltest.Tensor[float32](t, dev, []float64{0, none, none}, 3)
	y, dx := kerneltest.New[float32](t, dev, 3), kerneltest.New[float32](t, dev, 3)
	dy, _ := kerneltest.Tensor[float32](t, dev, []float64{1, 1, 1}, 3)
	kerneltest.Must(t, loss.Run(ctx, dev, loss.JSD(0.5), x, to, y, loss.None))
	kerneltest.Near(t, "divergence", y, []float64{math.Ln2 / 2, math.Ln2 / 2, 0}, 1e-6)
	kerneltest.Must(t, loss.Backward(ctx, dev, loss.JSD(0.5), x, to, dy, dx, loss.None))
	kerneltest.Near(t, "slopes", dx, []float64{0, math.Ln2 / 2, 0}, 1e-6)
}

func TestMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	kerneltest.Mismatch(t, loss.Run(ctx, dev, loss.MSE, x(2), x(3), x(2), loss.None), "loss.Run: t has shape [3], expected [2], that of x")
	kerneltest.Mismatch(t, loss.Run(ctx, dev, loss.MSE, x(2), x(2), x(3), loss.None), "loss.Run: y has shape [3], expected [2], that of x")
	kerneltest.Mismatch(t, loss.Run(ctx, dev, loss.MSE, x(2), x(2), x(2), loss.Mean), "loss.Run: y has shape [2], expected [1]: axis 0 is 2")
	kerneltest.Mismatch(t, loss.Run(ctx, dev, loss.Func{}, x(2), x(2), x(2), loss.None), "loss.Run: f has no functions, expected loss.MSE or another Func")
	kerneltest.Mismatch(t, loss.Backward(ctx, dev, loss.L1, x(2), x(2), x(1), x(2), 3), "loss.Backward: the reduction is 3, expected None, Sum or Mean")
	ids := kerneltest.New[int32](t, dev, 2)
	kerneltest.Mismatch(t, loss.CrossEntropy(ctx, dev, x(2, 3), ids, x(2), loss.Labels{Smoothing: 2}), "loss.CrossEntropy: the smoothing is 2, expected 0 to 1")
	kerneltest.Mismatch(t, loss.CrossEntropy(ctx, dev, x(2, 3), ids, x(2), loss.Labels{Ignore: 5}),
		"loss.CrossEntropy: the target to ignore is 5, expected a negative number, or 0 for none")
	kerneltest.Mismatch(t, loss.CrossEntropy(ctx, dev, x(2, 0), ids, x(2), loss.Labels{}), "loss.CrossEntropy: x has no classes, expected at least one column")
	kerneltest.Mismatch(t, loss.CrossEntropyBackward(ctx, dev, x(2, 3), ids, x(2), x(2, 3), loss.Labels{Reduction: loss.Sum}),
		"loss.CrossEntropyBackward: dy has shape [2], expected [1]: axis 0 is 2")
}
