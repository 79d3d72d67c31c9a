// Package fft computes Fourier transforms of rows of complex numbers and their inverses: y[k] = Σ x[j]·e^(-2πi·j·k/n).
//
// The numbers are float32, and their two parts are neighbours along the last axis, as in a []complex64. The length of a row is
// a power of two, and one block holds a whole row: a transform reads and writes memory once.
package fft

import (
	"context"
	"embed"
	"math"
	"math/bits"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed fft.go kernels.go
var source embed.FS
var _ = cutile.Module(source)

type one = tile.D1

// Longest is the greatest supported length of rows.
const Longest = 4096

// Plan holds the tables for transforms of one length, in the memory of a device. Goroutines may share it.
type Plan struct {
	n, a, b        int // n is a·b·a
	wa, wb, ta, tb *cutile.Tensor[float32]
}

// NewPlan prepares transforms of rows of n numbers, a power of two up to [Longest].
func NewPlan(dev *cutile.Device, n int) (*Plan, error) {
	if n < 1 || n > Longest || n&(n-1) != 0 {
		return nil, shape.Wrong("fft.NewPlan", "n is %d, expected a power of two from 1 to %d", n, Longest)
	}
	p := &Plan{n: n, a: 1 << (bits.Len(uint(n)) / 3)} // about the cube root
	p.b = n / (p.a * p.a)
	for _, t := range []struct {
		to         **cutile.Tensor[float32]
		rows, cols int
		m          int
	}{{&p.wa, p.a, p.a, p.a}, {&p.wb, p.b, p.b, p.b}, {&p.ta, p.a, p.a * p.b, n}, {&p.tb, p.b, p.a, p.a * p.b}} {
		var err error
		if *t.to, err = cutile.FromSlice(dev, roots(t.rows, t.cols, t.m), 2, t.rows, t.cols); err != nil {
			p.Close()
			return nil, err
		}
	}
	return p, nil
}

// roots has e^(-2πi·j·k/m) for each row j and column k: the real parts, then the imaginary ones.
func roots(rows, cols, m int) []float32 {
	t := make([]float32, 2*rows*cols)
	for at := range rows * cols {
		j, k := at/cols, at%cols
		sin, cos := math.Sincos(-2 * math.Pi * float64(j*k%m) / float64(m))
		t[at], t[rows*cols+at] = float32(cos), float32(sin)
	}
	return t
}

// Close frees the memory of the tables when all queued work has run.
func (p *Plan) Close() error {
	var first error
	for _, t := range []*cutile.Tensor[float32]{p.wa, p.wb, p.ta, p.tb} {
		if t == nil {
			continue
		}
		if err := t.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Forward queues y[r, k] = Σ x[r, j]·e^(-2πi·j·k/n) for x and y [rows, n, 2].
func (p *Plan) Forward(ctx context.Context, on cutile.Target, x, y *cutile.Tensor[float32]) error {
	return p.run(ctx, on, "fft.Plan.Forward", x, y, 1, 1)
}

// Inverse queues y[r, k] = 1/n · Σ x[r, j]·e^(2πi·j·k/n) for x and y [rows, n, 2], the inverse of [Plan.Forward].
func (p *Plan) Inverse(ctx context.Context, on cutile.Target, x, y *cutile.Tensor[float32]) error {
	return p.run(ctx, on, "fft.Plan.Inverse", x, y, -1, 1/float32(p.n))
}

func (p *Plan) run(ctx context.Context, on cutile.Target, name string, x, y *cutile.Tensor[float32], sign, scale float32) error {
	e, err := shape.Check(name, shape.Arg{Name: "x", Tensor: x, Axes: "rows n 2"}, shape.Arg{Name: "y", Tensor: y, Axes: "rows n 2"})
	switch {
	case err != nil:
		return err
	case e["n"] != p.n:
		return shape.Wrong(name, "rows have %d numbers, but the plan is for %d", e["n"], p.n)
	}
	row := 2 * p.a * p.b
	together := shape.Together(e["rows"], p.n, Longest/2)
	k := cutile.Sized(Rows[one, one, one], together, p.a, p.b)
	from, to := x.Reshape(e["rows"], p.a, row), y.Reshape(e["rows"], p.a, row)
	if from.Err() != nil || to.Err() != nil {
		return shape.Wrong(name, "x has strides %v and y %v, expected the numbers of a row to be contiguous", x.Strides(), y.Strides())
	}
	return cutile.Launch(ctx, on, k, from, p.wa, p.wb, p.ta, p.tb, to, sign, scale)
}
