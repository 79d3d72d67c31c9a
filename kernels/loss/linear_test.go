package loss_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/loss"
)

// linear is the reference: logits x·wᵀ, and the gradients of x and w given those of the logits.
func linear(x, w []float64, rows, in, classes int) []float64 {
	out := make([]float64, rows*classes)
	for i := range rows {
		for c := range classes {
			for j := range in {
				out[i*classes+c] += x[i*in+j] * w[c*in+j]
			}
		}
	}
	return out
}

func linearBackward(x, w, slopes []float64, rows, in, classes int) (dx, dw []float64) {
	dx, dw = make([]float64, rows*in), make([]float64, classes*in)
	for i := range rows {
		for c := range classes {
			d := slopes[i*classes+c]
			for j := range in {
				dx[i*in+j] += d * w[c*in+j]
				dw[c*in+j] += d * x[i*in+j]
			}
		}
	}
	return dx, dw
}

func linearEntropy[E element](t *testing.T, tolerance, rounding float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range [][3]int{{300, 8, 70}, {5, 33, 2100}, {1, 1, 1}, {0, 4, 3}, {4, 0, 3}} { // the first in three chunks
		rows, in, classes := s[0], s[1], s[2]
		x, xs := kerneltest.Random[E](t, dev, r, rows, in)
		w, ws := kerneltest.Random[E](t, dev, r, classes, in)
		ids := make([]float64, rows)
		for i := range ids {
			if ids[i] = float64(r.IntN(classes)); i%5 == 3 {
				ids[i] = -100
			}
		}
		targets, _ := kerneltest.Tensor[int32](t, dev, ids, rows)
		logits := linear(xs, ws, rows, in, classes)
		for _, l := range []loss.Labels{{Ignore: -100}, {Ignore: -100, Smoothing: 0.1, Reduction: loss.Sum}, {Ignore: -100, Reduction: loss.Mean}} {
			losses, slopes, count := entropy(logits, ids, classes, l)
			want, outs := reduced(l.Reduction, losses), 1
			switch l.Reduction {
			case loss.None:
				outs = rows
			case loss.Mean:
				want[0] *= float64(len(losses)) / float64(count)
			}
			what := fmt.Sprint(s, " ", l)
			y, dx, dw := kerneltest.New[float32](t, dev, outs), kerneltest.New[E](t, dev, rows, in), kerneltest.New[E](t, dev, classes, in)
			dy, dys := kerneltest.Random[float32](t, dev, r, outs)
			kerneltest.Must(t, loss.LinearCrossEntropy(t.Context(), dev, x, w, targets, y, l))
			kerneltest.Near(t, what, y, want, tolerance)
			kerneltest.Must(t, loss.LinearCrossEntropyBackward(t.Context(), dev, x, w, targets, dy, dx, dw, l))
			for i := range slopes {
				slopes[i] *= dys[i/classes%outs]
				if l.Reduction == loss.Mean {
					slopes[i] /= float64(count)
				}
			}
			wantX, wantW := linearBackward(xs, ws, slopes, rows, in, classes)
			kerneltest.Near(t, what+" dx", dx, wantX, rounding)
			kerneltest.Near(t, what+" dw", dw, wantW, rounding)
		}
	}
}

func TestLinearCrossEntropy(t *testing.T) {
	t.Run("float32", func(t *testing.T) { linearEntropy[float32](t, 2e-5, 2e-5) })
	t.Run("float16", func(t *testing.T) { linearEntropy[dtype.Float16](t, 2e-5, 2e-3) })
	t.Run("bfloat16", func(t *testing.T) { linearEntropy[dtype.BFloat16](t, 2e-5, 2e-2) })
}

// TestLinearMistakes: shapes and targets that do not fit.
func TestLinearMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	targets, _ := kerneltest.Tensor[int32](t, dev, []float64{0, 3}, 2)
	kerneltest.Mismatch(t, loss.LinearCrossEntropy(t.Context(), dev, x(2, 3), x(5, 4), targets, x(2), loss.Labels{}),
		"loss.LinearCrossEntropy: w has shape [5 4], expected [classes in]: axis 1 is 4, but in is 3 along axis 1 of x")
	kerneltest.Mismatch(t, loss.LinearCrossEntropy(t.Context(), dev.Grid(1), x(2, 3), x(5, 3), targets, x(2), loss.Labels{}),
		"loss.LinearCrossEntropy: the grid follows from the shapes: give a device or a stream without a grid")
	err := loss.LinearCrossEntropy(t.Context(), dev, x(2, 3), x(3, 3), targets, x(2), loss.Labels{})
	if err == nil {
		err = dev.Sync(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "neither a class nor the number to ignore") {
		t.Errorf("a target that is no class: %v", err)
	}
}
