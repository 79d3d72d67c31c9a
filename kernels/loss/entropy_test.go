package loss_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/loss"
)

// entropy is the reference: the losses of rows, their gradients, and how many rows count.
func entropy(xs []float64, targets []float64, classes int, l loss.Labels) (losses, slopes []float64, count int) {
	slopes = make([]float64, len(xs))
	for i, target := range targets {
		if l.Ignore != 0 && int32(target) == l.Ignore {
			losses = append(losses, 0)
			continue
		}
		count++
		row, sum, lost := xs[i*classes:][:classes], 0.0, 0.0
		peak := slices.Max(row)
		for _, x := range row {
			sum += math.Exp(x - peak)
		}
		for j, x := range row {
			want := float64(l.Smoothing) / float64(classes)
			if j == int(target) {
				want += 1 - float64(l.Smoothing)
			}
			if want > 0 {
				lost += want * (peak + math.Log(sum) - x)
			}
			slopes[i*classes+j] = math.Exp(x-peak)/sum - want
		}
		losses = append(losses, lost)
	}
	return losses, slopes, count
}

func crossEntropy[E element](t *testing.T, tolerance, rounding float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range [][2]int{{1, 1}, {37, 5}, {3, 2500}, {0, 4}} {
		values, ids := make([]float64, s[0]*s[1]), make([]float64, s[0])
		for i := range values {
			values[i] = 20 * r.NormFloat64() // e^x would overflow in half precision
		}
		for i := range ids {
			if ids[i] = float64(r.IntN(s[1])); i%5 == 3 {
				ids[i] = -100
			}
		}
		x, xs := kerneltest.Tensor[E](t, dev, values, s[0], s[1])
		targets, _ := kerneltest.Tensor[int32](t, dev, ids, s[0])
		for _, l := range []loss.Labels{{Ignore: -100}, {Ignore: -100, Smoothing: 0.1, Reduction: loss.Sum}, {Ignore: -100, Smoothing: 1, Reduction: loss.Mean}} {
			losses, slopes, count := entropy(xs, ids, s[1], l)
			want, outs := reduced(l.Reduction, losses), 1
			switch l.Reduction {
			case loss.None:
				outs = s[0]
			case loss.Mean:
				want[0] *= float64(len(losses)) / float64(count)
			}
			what := fmt.Sprint(s, " ", l)
			y, dx := kerneltest.New[float32](t, dev, outs), kerneltest.New[E](t, dev, s[0], s[1])
			dy, dys := kerneltest.Random[float32](t, dev, r, outs)
			kerneltest.Must(t, loss.CrossEntropy(t.Context(), dev, x, targets, y, l))
			kerneltest.Near(t, what, y, want, tolerance)
			kerneltest.Must(t, loss.CrossEntropyBackward(t.Context(), dev, x, targets, dy, dx, l))
			for i := range slopes {
				slopes[i] *= dys[i/s[1]%outs]
				if l.Reduction == loss.Mean {
					slopes[i] /= float64(count)
				}
			}
			kerneltest.Near(t, what+" backward", dx, slopes, rounding)
		}
	}
}

func TestCrossEntropy(t *testing.T) {
	t.Run("float32", func(t *testing.T) { crossEntropy[float32](t, 2e-6, 2e-6) })
	t.Run("bfloat16", func(t *testing.T) { crossEntropy[dtype.BFloat16](t, 2e-6, 1e-2) })
}

// TestDifferences compares gradients with differences of the losses themselves.
func TestDifferences(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	l := loss.Labels{Smoothing: 0.2, Reduction: loss.Mean}
	ids := []float64{2, 0, 4}
	targets, _ := kerneltest.Tensor[int32](t, dev, ids, 3)
	x, xs := kerneltest.Random[float32](t, dev, r, 3, 5)
	dx := kerneltest.New[float32](t, dev, 3, 5)
	dy, _ := kerneltest.Tensor[float32](t, dev, []float64{1}, 1)
	kerneltest.Must(t, loss.CrossEntropyBackward(t.Context(), dev, x, targets, dy, dx, l))
	at := func(i int, by float64) float64 {
		moved := slices.Clone(xs)
		moved[i] += by
		losses, _, _ := entropy(moved, ids, 5, l)
		return reduced(loss.Mean, losses)[0]
	}
	want := make([]float64, len(xs))
	for i := range want {
		want[i] = (at(i, 1e-5) - at(i, -1e-5)) / 2e-5
	}
	kerneltest.Near(t, "gradient", dx, want, 1e-6)
}

// TestMasked: logits of -Inf are classes that cannot be, without smoothing.
func TestMasked(t *testing.T) {
	dev := kerneltest.CPU(t)
	x, _ := kerneltest.Tensor[float32](t, dev, []float64{0, math.Inf(-1), 0, 1e30, 0, math.Inf(-1)}, 2, 3)
	targets, _ := kerneltest.Tensor[int32](t, dev, []float64{0, 0}, 2)
	y := kerneltest.New[float32](t, dev, 2)
	kerneltest.Must(t, loss.CrossEntropy(t.Context(), dev, x, targets, y, loss.Labels{}))
	kerneltest.Near(t, "losses", y, []float64{math.Ln2, 0}, 1e-6)
}

// TestTargets: a target that is no class is an error that says so.
func TestTargets(t *testing.T) {
	for _, bad := range []float64{3, -1} {
		dev := kerneltest.CPU(t)
		x := kerneltest.New[float32](t, dev, 2, 3)
		targets, _ := kerneltest.Tensor[int32](t, dev, []float64{0, bad}, 2)
		y := kerneltest.New[float32](t, dev, 2)
		err := loss.CrossEntropy(t.Context(), dev, x, targets, y, loss.Labels{Ignore: -100})
		if err == nil {
			_, err = y.Slice()
		}
		if err == nil || !strings.Contains(err.Error(), "neither a class nor the number to ignore") {
			t.Errorf("target %v: %v", bad, err)
		}
	}
}
