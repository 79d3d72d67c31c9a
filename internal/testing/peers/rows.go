package main

import (
	"context"
	"math"
	"slices"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/norm"
	"github.com/cutile-go/cutile/kernels/pointwise"
	"github.com/cutile-go/cutile/kernels/softmax"
	"github.com/cutile-go/cutile/kernels/transpose"
	"github.com/cutile-go/cutile/tile"
)

// The functions of this file prepare workloads that stream through memory.

type line = tile.F32T1[tile.D1]

// copies is the machine's bandwidth.
func copies(s *session, dims []int, _ int) {
	xs, ys := floats(1, dims[0]), output(s, make([]float32, dims[0]))
	x, y := wrap(s, xs), wrap(s, ys)
	s.cutile(func(ctx context.Context, dev *cutile.Device) error {
		return pointwise.Run(ctx, dev, x, y, pointwise.Identity[line])
	})
	s.plain(func() { share(len(xs), func(from, to int) { copy(ys[from:to], xs[from:to]) }) })
}

// factor is a of axpy, a number that float32 represents.
const factor = 0.75

func axpys(s *session, dims []int, _ int) {
	n := dims[0]
	xs, ys, zs := floats(1, n), floats(2, n), output(s, make([]float32, n))
	s.kernel(s.dev, axpy[tile.D4096], wrap(s, xs), wrap(s, ys), float32(factor), wrap(s, zs))
	s.plain(func() {
		share(n, func(from, to int) {
			x, y, z := xs[from:to], ys[from:to], zs[from:to]
			for i := range z {
				z[i] = x[i] + y[i]*factor
			}
		})
	})
}

func gelus(s *session, dims []int, _ int) {
	xs, ys := scaled(1, dims[0]), output(s, make([]float32, dims[0]))
	x, y := wrap(s, xs), wrap(s, ys)
	s.cutile(func(ctx context.Context, dev *cutile.Device) error {
		return pointwise.Run(ctx, dev, x, y, pointwise.GELUTanh[line])
	})
	s.plain(func() {
		share(len(xs), func(from, to int) {
			for i, v := range xs[from:to] {
				t := math.Tanh(math.Sqrt2 / math.SqrtPi * float64(v+0.044715*v*v*v))
				ys[from+i] = 0.5 * v * float32(1+t)
			}
		})
	})
}

// scaled makes numbers from -4 to 4.
func scaled(seed, n int) []float32 {
	x := floats(seed, n)
	for i := range x {
		x[i] *= 4
	}
	return x
}

func softmaxes(s *session, dims []int, _ int) {
	rows, cols := dims[0], dims[1]
	xs, ys := scaled(1, rows*cols), output(s, make([]float32, rows*cols))
	x, y := wrap(s, xs, rows, cols), wrap(s, ys, rows, cols)
	s.cutile(func(ctx context.Context, dev *cutile.Device) error { return softmax.Run(ctx, dev, x, y) })
	s.plain(func() {
		eachRow(rows, cols, xs, func(i int, x []float32) {
			y, sum := ys[i*cols:][:cols], float32(0)
			peak := slices.Max(x)
			for j, v := range x {
				y[j] = float32(math.Exp(float64(v - peak)))
				sum += y[j]
			}
			for j := range y {
				y[j] /= sum
			}
		})
	})
}

// eachRow calls f with every row of x.
func eachRow(rows, cols int, x []float32, f func(i int, row []float32)) {
	share(rows, func(from, to int) {
		for i := from; i < to; i++ {
			f(i, x[i*cols:][:cols])
		}
	})
}

// epsilon is added to the variance of norms.
const epsilon = 1e-5

func layerNorms(s *session, dims []int, _ int) {
	rows, cols := dims[0], dims[1]
	xs, ws, bs := scaled(1, rows*cols), floats(2, cols), floats(3, cols)
	ys := output(s, make([]float32, rows*cols))
	x, w, b, y := wrap(s, xs, rows, cols), wrap(s, ws), wrap(s, bs), wrap(s, ys, rows, cols)
	mean, rstd := wrap(s, make([]float32, rows)), wrap(s, make([]float32, rows))
	s.cutile(func(ctx context.Context, dev *cutile.Device) error {
		return norm.Layer(ctx, dev, x, w, b, y, mean, rstd, epsilon)
	})
	s.plain(func() {
		eachRow(rows, cols, xs, func(i int, x []float32) {
			var sum, squares float32
			for _, v := range x {
				sum += v
			}
			mean := sum / float32(cols)
			for _, v := range x {
				squares += (v - mean) * (v - mean)
			}
			r := 1 / float32(math.Sqrt(float64(squares/float32(cols)+epsilon)))
			y := ys[i*cols:][:cols]
			for j, v := range x {
				y[j] = (v-mean)*r*ws[j] + bs[j]
			}
		})
	})
}

func rmsNorms(s *session, dims []int, _ int) {
	rows, cols := dims[0], dims[1]
	xs, ws, ys := scaled(1, rows*cols), floats(2, cols), output(s, make([]float32, rows*cols))
	x, w, y := wrap(s, xs, rows, cols), wrap(s, ws), wrap(s, ys, rows, cols)
	s.cutile(func(ctx context.Context, dev *cutile.Device) error { return norm.RMS(ctx, dev, x, w, y, epsilon) })
	s.plain(func() {
		eachRow(rows, cols, xs, func(i int, x []float32) {
			var squares float32
			for _, v := range x {
				squares += v * v
			}
			r := 1 / float32(math.Sqrt(float64(squares/float32(cols)+epsilon)))
			y := ys[i*cols:][:cols]
			for j, v := range x {
				y[j] = v * r * ws[j]
			}
		})
	})
}

func transposes(s *session, dims []int, _ int) {
	rows, cols := dims[0], dims[1]
	xs, ys := floats(1, rows*cols), output(s, make([]float32, rows*cols))
	x, y := wrap(s, xs, rows, cols), wrap(s, ys, cols, rows)
	s.cutile(func(ctx context.Context, dev *cutile.Device) error { return transpose.Run(ctx, dev, x, y) })
	s.plain(func() {
		share(cols, func(from, to int) {
			for j := from; j < to; j++ {
				for i := range rows {
					ys[j*rows+i] = xs[i*cols+j]
				}
			}
		})
	})
}

func rowSums(s *session, dims []int, _ int) {
	rows, cols := dims[0], dims[1]
	xs, ys := unit(1, rows*cols), output(s, make([]float32, rows))
	s.kernel(s.dev, sumRows[tile.D1, tile.D4096], wrap(s, xs, rows, cols), wrap(s, ys, rows, 1))
	s.plain(func() {
		eachRow(rows, cols, xs, func(i int, x []float32) {
			var sum float32
			for _, v := range x {
				sum += v
			}
			ys[i] = sum
		})
	})
}

func rowPeaks(s *session, dims []int, _ int) {
	rows, cols := dims[0], dims[1]
	xs, ys := floats(1, rows*cols), output(s, make([]float32, rows))
	s.kernel(s.dev, maxRows[tile.D1, tile.D4096], wrap(s, xs, rows, cols), wrap(s, ys, rows, 1))
	s.plain(func() {
		eachRow(rows, cols, xs, func(i int, x []float32) {
			peak := x[0]
			for _, v := range x {
				peak = max(peak, v)
			}
			ys[i] = peak
		})
	})
}

func columnSums(s *session, dims []int, _ int) {
	rows, cols := dims[0], dims[1]
	xs, ys := unit(1, rows*cols), output(s, make([]float32, cols))
	s.kernel(s.dev, norm.SumRows[float32, tile.D1, tile.D1024], wrap(s, xs, rows, cols), wrap(s, ys))
	s.plain(func() {
		share(cols, func(from, to int) {
			sums := ys[from:to]
			clear(sums)
			for i := range rows {
				for j, v := range xs[i*cols+from : i*cols+to] {
					sums[j] += v
				}
			}
		})
	})
}

func crossEntropies(s *session, dims []int, _ int) {
	rows, cols := dims[0], dims[1]
	xs, targets, losses := scaled(1, rows*cols), below(2, rows, cols), output(s, make([]float32, rows))
	s.kernel(s.dev, crossEntropy[tile.D1, tile.D2048], wrap(s, xs, rows, cols), wrap(s, targets, rows, 1), wrap(s, losses, rows, 1))
	s.plain(func() {
		eachRow(rows, cols, xs, func(i int, x []float32) {
			var sum float64
			peak := slices.Max(x)
			for _, v := range x {
				sum += math.Exp(float64(v - peak))
			}
			losses[i] = peak + float32(math.Log(sum)) - x[targets[i]]
		})
	})
}

func rowScans(s *session, dims []int, _ int) {
	rows, cols := dims[0], dims[1]
	scanned(s, rows, cols)
}

// scans is a running sum over one long vector, whose blocks of elements depend on each other.
func scans(s *session, dims []int, _ int) {
	scanned(s, 1, dims[0])
}

func scanned(s *session, rows, cols int) {
	xs, ys := unit(1, rows*cols), output(s, make([]float32, rows*cols))
	s.kernel(s.dev.Grid(rows), scanRows[tile.D1, tile.D1024], wrap(s, xs, rows, cols), wrap(s, ys, rows, cols))
	s.plain(func() {
		eachRow(rows, cols, xs, func(i int, x []float32) {
			var sum float32
			y := ys[i*cols:][:cols]
			for j, v := range x {
				sum += v
				y[j] = sum
			}
		})
	})
}

func rowSorts(s *session, dims []int, _ int) {
	rows, cols := dims[0], dims[1]
	xs, ys := floats(1, rows*cols), output(s, make([]float32, rows*cols))
	s.kernel(s.dev, cutile.Sized(sortRows[tile.D1, tile.D1], 1, cols), wrap(s, xs, rows, cols), wrap(s, ys, rows, cols))
	s.plain(func() {
		copy(ys, xs)
		eachRow(rows, cols, ys, func(_ int, y []float32) { slices.Sort(y) })
	})
}
