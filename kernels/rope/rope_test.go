package rope_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/rope"
)

const room, base = 50, 10000

// turn is the reference: complex numbers times e^(i·angle).
func turn(x []float64, positions []float64, heads, dim int, p rope.Pairs) []float64 {
	y := make([]float64, len(x))
	for t, position := range positions {
		for h := range heads {
			x, y := x[(t*heads+h)*dim:], y[(t*heads+h)*dim:]
			for i := range dim / 2 {
				a, b := i, i+dim/2
				if p == rope.Neighbours {
					a, b = 2*i, 2*i+1
				}
				s, c := math.Sincos(position * math.Pow(base, -2*float64(i)/float64(dim)))
				y[a], y[b] = x[a]*c-x[b]*s, x[b]*c+x[a]*s
			}
		}
	}
	return y
}

func tables(t *testing.T, dev *cutile.Device, dim int) (cos, sin *cutile.Tensor[float32]) {
	t.Helper()
	c, s := rope.Tables(room, dim, base)
	cos, err := cutile.FromSlice(dev, c, room, dim/2)
	kerneltest.Must(t, err)
	sin, err = cutile.FromSlice(dev, s, room, dim/2)
	kerneltest.Must(t, err)
	return cos, sin
}

type element interface {
	rope.Float
	kerneltest.Num
}

func run[E element](t *testing.T, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range []struct{ tokens, heads, groups, dim int }{{1, 1, 1, 2}, {7, 5, 2, 96}, {3, 40, 8, 128}, {2, 3, 3, 10}, {0, 2, 2, 4}, {3, 1, 7, 96}, {2, 3, 40, 128}} {
		cos, sin := tables(t, dev, s.dim)
		where := make([]float64, s.tokens)
		for i := range where {
			where[i] = float64(r.IntN(room))
		}
		positions, _ := kerneltest.Tensor[int32](t, dev, where, s.tokens)
		for _, p := range []rope.Pairs{rope.Halves, rope.Neighbours} {
			x, xs := kerneltest.Random[E](t, dev, r, s.tokens, s.heads, s.dim)
			k, ks := kerneltest.Random[E](t, dev, r, s.tokens, s.groups, s.dim)
			kerneltest.Must(t, rope.Run(t.Context(), dev, x, cos, sin, positions, p))
			once := turn(xs, where, s.heads, s.dim, p)
			kerneltest.Near(t, fmt.Sprint("x ", s, p), x, once, tolerance)
			q, qs := kerneltest.Random[E](t, dev, r, s.tokens, s.heads, s.dim)
			kerneltest.Must(t, rope.RunBoth(t.Context(), dev, q, k, cos, sin, positions, p))
			kerneltest.Near(t, fmt.Sprint("q ", s, p), q, turn(qs, where, s.heads, s.dim, p), tolerance)
			kerneltest.Near(t, fmt.Sprint("k ", s, p), k, turn(ks, where, s.groups, s.dim, p), tolerance)
		}
	}
}

func TestRun(t *testing.T) {
	t.Run("float32", func(t *testing.T) { run[float32](t, 1e-5) })
	t.Run("float16", func(t *testing.T) { run[dtype.Float16](t, 2e-3) })
}

// TestRunRows: tokens that follow each other, and more heads than a tile has.
func TestRunRows(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const from = 3
	for _, s := range []struct{ tokens, heads, dim int }{{1, 1, 2}, {7, 5, 96}, {2, 70, 512}, {2, 3, 10}, {0, 2, 4}} {
		cos, sin := tables(t, dev, s.dim)
		where := make([]float64, s.tokens)
		for i := range where {
			where[i] = float64(from + i)
		}
		for _, p := range []rope.Pairs{rope.Halves, rope.Neighbours} {
			x, xs := kerneltest.Random[float32](t, dev, r, s.tokens, s.heads, s.dim)
			kerneltest.Must(t, rope.RunRows(t.Context(), dev, x, cos.Narrow(0, from, from+s.tokens), sin.Narrow(0, from, from+s.tokens), p))
			kerneltest.Near(t, fmt.Sprint("rows ", s, p), x, turn(xs, where, s.heads, s.dim, p), 1e-5)
		}
	}
}

// TestOutside: positions that the tables do not have.
func TestOutside(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	cos, sin := tables(t, dev, 4)
	x, xs := kerneltest.Random[float32](t, dev, r, 2, 1, 4)
	positions, _ := kerneltest.Tensor[int32](t, dev, []float64{3, room}, 2)
	kerneltest.Must(t, rope.Run(t.Context(), dev, x, cos, sin, positions, rope.Halves))
	want := append(turn(xs[:4], []float64{3}, 1, 4, rope.Halves), 0, 0, 0, 0)
	kerneltest.Near(t, "outside", x, want, 1e-6)
}

func TestMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	positions := kerneltest.New[int32](t, dev, 2)
	kerneltest.Mismatch(t, rope.Run(t.Context(), dev, x(2, 3, 7), x(9, 3), x(9, 3), positions, rope.Halves),
		"rope.Run: heads have 7 numbers and cos has 3 a row, expected half as many")
	kerneltest.Mismatch(t, rope.Run(t.Context(), dev, x(3, 3, 6), x(9, 3), x(9, 3), positions, rope.Halves),
		"rope.Run: positions has shape [2], expected [tokens]: axis 0 is 2, but tokens is 3 along axis 0 of x")
	kerneltest.Mismatch(t, rope.Run(t.Context(), dev, x(2, 1, 4098), x(1, 2049), x(1, 2049), positions, rope.Halves),
		"rope.Run: heads have 4098 numbers, expected at most 4096")
	kerneltest.Mismatch(t, rope.RunRows(t.Context(), dev, x(2, 3, 6), x(9, 3), x(2, 3), rope.Halves),
		"rope.RunRows: cos has shape [9 3], expected [tokens half]: axis 0 is 9, but tokens is 2 along axis 0 of x")
	kerneltest.Mismatch(t, rope.RunRows(t.Context(), dev, x(2, 3, 8), x(2, 3), x(2, 3), rope.Halves),
		"rope.RunRows: heads have 8 numbers and cos has 3 a row, expected half as many")
	kerneltest.Mismatch(t, rope.RunBoth(t.Context(), dev.Grid(2), x(2, 3, 6), x(2, 1, 6), x(9, 3), x(9, 3), positions, rope.Halves),
		"rope.RunBoth: the grid follows from the shapes: give a device or a stream without a grid")
	kerneltest.Mismatch(t, rope.RunBoth(t.Context(), nil, x(2, 3, 6), x(2, 1, 6), x(9, 3), x(9, 3), positions, rope.Halves),
		"rope.RunBoth: the target is nil: give a device or a stream")
}
