package argmax_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/argmax"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// places is the reference.
func places(xs []float64, cols int) []float64 {
	var all []float64
	for row := range slices.Chunk(xs, cols) {
		best, at := math.Inf(-1), -1
		for i, x := range row {
			if x > best || at < 0 && x == best {
				best, at = x, i
			}
		}
		all = append(all, float64(max(at, 0)))
	}
	return all
}

func TestRun(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range [][2]int{{1, 1}, {37, 5}, {5, 2049}, {2, 40000}, {300, 20}, {0, 3}} {
		x, xs := kerneltest.Random[dtype.Float16](t, dev, r, s[0], s[1]) // many are equal
		y := kerneltest.New[int32](t, dev, s[0])
		kerneltest.Must(t, argmax.Run(t.Context(), dev, x, y))
		kerneltest.Near(t, fmt.Sprint("places ", s), y, places(xs, s[1]), 0)
	}
}

// TestSpecialRows has rows of NaN, of -Inf, of both, and one whose greatest element comes twice; long ones go in parts.
func TestSpecialRows(t *testing.T) {
	dev := kerneltest.CPU(t)
	nan, inf := math.NaN(), math.Inf(1)
	for _, cols := range []int{6, 20000} {
		var xs []float64
		for _, row := range [][6]float64{
			{nan, nan, nan, nan, nan, nan}, {-inf, -inf, -inf, -inf, -inf, -inf}, {nan, nan, -inf, -inf, nan, nan},
			{1, 5, nan, 5, 2, 5}, {nan, -3, -4, nan, -3, -4}, {inf, nan, inf, 3, 3, 3},
		} {
			for i := range cols {
				xs = append(xs, row[i*6/cols])
			}
		}
		x, _ := kerneltest.Tensor[float32](t, dev, xs, 6, cols)
		y := kerneltest.New[int32](t, dev, 6)
		kerneltest.Must(t, argmax.Run(t.Context(), dev, x, y))
		kerneltest.Near(t, fmt.Sprint("places in ", cols), y, places(xs, cols), 0)
	}
}

func TestRunHead(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range []struct{ rows, words, k int }{{1, 1, 1}, {3, 1000, 70}, {70, 130, 33}, {0, 3, 3}, {2, 3, 0}} {
		x, xs := kerneltest.Random[dtype.BFloat16](t, dev, r, s.rows, s.k)
		w, ws := kerneltest.Random[dtype.BFloat16](t, dev, r, s.words, s.k)
		logits := make([]float64, s.rows*s.words)
		for i := range logits {
			for l := range s.k {
				logits[i] += xs[i/s.words*s.k+l] * ws[i%s.words*s.k+l]
			}
		}
		y := kerneltest.New[int32](t, dev, s.rows)
		kerneltest.Must(t, argmax.RunHead(t.Context(), dev, x, w, y))
		kerneltest.Near(t, fmt.Sprint("words ", s), y, places(logits, s.words), 0)
	}
}

func TestMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	y := kerneltest.New[int32](t, dev, 2)
	kerneltest.Mismatch(t, argmax.Run(t.Context(), dev, x(3, 4), y),
		"argmax.Run: y has shape [2], expected [rows]: axis 0 is 2, but rows is 3 along axis 0 of x")
	kerneltest.Mismatch(t, argmax.Run(t.Context(), dev, x(2, 0), y), "argmax.Run: x has shape [2 0], expected at least one column")
	kerneltest.Mismatch(t, argmax.RunHead(t.Context(), dev, x(2, 4), x(0, 4), y), "argmax.RunHead: w has shape [0 4], expected at least one row")
}
