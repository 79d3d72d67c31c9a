package sample_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/sample"
)

// probabilities is the reference: those of the columns of a row, by sorting.
func probabilities(xs []float64, o sample.Options) []float64 {
	order := make([]int, len(xs))
	peak := slices.Max(xs)
	p, total := make([]float64, len(xs)), 0.0
	for i, x := range xs {
		order[i] = i
		p[i] = math.Exp((x - peak) / float64(o.Temperature))
	}
	slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, xs[b]-xs[a])) })
	if o.TopK > 0 && o.TopK < len(order) {
		order = order[:o.TopK]
	}
	for _, i := range order {
		total += p[i]
	}
	if sum := 0.0; o.TopP > 0 {
		for n, i := range order {
			if sum += p[i]; sum >= float64(o.TopP)*total {
				order = order[:n+1]
				break
			}
		}
	}
	out, sum := make([]float64, len(xs)), 0.0
	for _, i := range order {
		if p[i] >= float64(o.MinP) {
			out[i] = p[i]
			sum += p[i]
		}
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// TestProbabilities draws from many equal rows and compares how often each column is drawn, by the test of χ².
func TestProbabilities(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const rows, cols = 1000, 12
	row := make([]float64, cols)
	for i := range row {
		row[i] = float64(float32(2 * r.NormFloat64()))
	}
	one, _ := kerneltest.Tensor[float32](t, dev, row, 1, cols)
	for n, o := range []sample.Options{
		{Temperature: 1}, {Temperature: 3}, {Temperature: 0.5, Seed: 1}, {Temperature: 2, TopK: 5}, {Temperature: 2, TopK: 100}, {Temperature: 1, TopK: 1},
		{Temperature: 2, TopP: 0.8}, {Temperature: 1, TopP: 1e-6}, {Temperature: 2, MinP: 0.2}, {Temperature: 2, MinP: 1},
		{Temperature: 2, TopK: 8, TopP: 0.9, MinP: 0.1, Seed: -7, Step: 1 << 40},
	} {
		y := kerneltest.New[int32](t, dev, rows)
		kerneltest.Must(t, sample.Run(t.Context(), dev, one.Broadcast(rows, cols), y, o))
		drawn, err := y.Slice()
		kerneltest.Must(t, err)
		counts := make([]float64, cols)
		for _, c := range drawn {
			counts[c]++
		}
		distance, freedom := 0.0, -1.0
		for i, p := range probabilities(row, o) {
			if p == 0 && counts[i] > 0 {
				t.Errorf("%d %+v: column %d is drawn, which the limits leave out", n, o, i)
			} else if p > 0 {
				distance += (counts[i] - rows*p) * (counts[i] - rows*p) / (rows * p)
				freedom++
			}
		}
		if most := freedom + 5*math.Sqrt(2*freedom); distance > most {
			t.Errorf("%d %+v: the drawn columns have χ² %.1f, expected at most %.1f", n, o, distance, most)
		}
	}
}

// TestLongRows has rows of several tiles; limits leave a single column of each, so that the result is known.
func TestLongRows(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const rows, cols = 3, 5000
	x, xs := kerneltest.Random[dtype.BFloat16](t, dev, r, rows, cols)
	var want []float64
	for i := range rows {
		best := (i + 1) * 1999 % cols
		kerneltest.Must(t, x.Narrow(0, i, i+1).Narrow(1, best, best+1).Fill(t.Context(), dtype.BFloat16FromFloat64(40)))
		xs[i*cols+best] = 40
		want = append(want, float64(best))
	}
	for _, o := range []sample.Options{{}, {Temperature: 1, TopK: 1}, {Temperature: 1, TopP: 0.5}, {Temperature: 1, MinP: 0.01}, {Temperature: 1e-6}} {
		y := kerneltest.New[int32](t, dev, rows)
		kerneltest.Must(t, sample.Run(t.Context(), dev, x, y, o))
		kerneltest.Near(t, fmt.Sprintf("%+v", o), y, want, 0)
	}
}

// TestSpecialRows has rows with NaN and infinities.
func TestSpecialRows(t *testing.T) {
	dev := kerneltest.CPU(t)
	nan, inf := math.NaN(), math.Inf(1)
	var xs []float64
	for _, row := range [][]float64{{nan, nan, nan}, {-inf, -inf, -inf}, {nan, -inf, nan}, {nan, -inf, 3}, {1, inf, 2}, {-inf, 1e38, -1e38}} {
		xs = append(xs, row...)
	}
	x, _ := kerneltest.Tensor[float32](t, dev, xs, 6, 3)
	for _, o := range []sample.Options{{}, {Temperature: 1}, {Temperature: 1, TopK: 2}, {Temperature: 1, TopP: 0.9}, {Temperature: 1, MinP: 0.5}} {
		y := kerneltest.New[int32](t, dev, 6)
		kerneltest.Must(t, sample.Run(t.Context(), dev, x, y, o))
		kerneltest.Near(t, fmt.Sprintf("%+v", o), y, []float64{0, 0, 0, 2, 1, 1}, 0)
	}
}

// TestSeeds: the same seed and step draw the same columns, others draw others, and so do the rows of a call.
func TestSeeds(t *testing.T) {
	dev := kerneltest.CPU(t)
	x, _ := kerneltest.Tensor[float32](t, dev, make([]float64, 64*1000), 64, 1000)
	draw := func(o sample.Options) []int32 {
		o.Temperature = 1
		y := kerneltest.New[int32](t, dev, 64)
		kerneltest.Must(t, sample.Run(t.Context(), dev, x, y, o))
		drawn, err := y.Slice()
		kerneltest.Must(t, err)
		return drawn
	}
	first := draw(sample.Options{})
	if again := draw(sample.Options{}); !slices.Equal(first, again) {
		t.Error("the same seed draws other columns")
	}
	same := func(a, b []int32) (n int) {
		for i := range a {
			if a[i] == b[i] {
				n++
			}
		}
		return n
	}
	for _, o := range []sample.Options{{Seed: 1}, {Step: 1}, {Seed: 1 << 32}, {Step: 1 << 32}} {
		if n := same(first, draw(o)); n > 5 {
			t.Errorf("%+v draws %d of 64 columns again", o, n)
		}
	}
	if n := same(first[1:], first); n > 5 {
		t.Errorf("%d of 63 rows draw the column of the row before", n)
	}
	if y := kerneltest.New[int32](t, dev, 0); sample.Run(t.Context(), dev, x.Narrow(0, 0, 0), y, sample.Options{}) != nil {
		t.Error("no rows are an error")
	}
}

func TestMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x, y := kerneltest.New[float32](t, dev, 2, 3), kerneltest.New[int32](t, dev, 2)
	for _, c := range []struct {
		o    sample.Options
		want string
	}{
		{sample.Options{Temperature: -1}, "the temperature is -1, expected a number from 0"},
		{sample.Options{Temperature: 1e-9}, "the temperature is 1e-09, expected at least 1e-06, or 0 for the greatest logit"},
		{sample.Options{TopK: -1}, "TopK is -1, expected a number of columns, or 0 for all"},
		{sample.Options{TopP: 2}, "TopP is 2 and MinP is 0, expected 0 to 1"},
		{sample.Options{MinP: float32(math.NaN())}, "TopP is 0 and MinP is NaN, expected 0 to 1"},
	} {
		kerneltest.Mismatch(t, sample.Run(ctx, dev, x, y, c.o), "sample.Run: "+c.want)
	}
	kerneltest.Mismatch(t, sample.Run(ctx, dev, kerneltest.New[float32](t, dev, 2, 0), y, sample.Options{}),
		"sample.Run: x has shape [2 0], expected at least one column")
	kerneltest.Mismatch(t, sample.Run(ctx, dev, x, (*cutile.Tensor[int32])(nil), sample.Options{}), "sample.Run: y is nil, expected a tensor")
}
