package hyper_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/hyper"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

type element interface {
	hyper.Float
	kerneltest.Num
}

func TestConnections(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testConnections[float32](t, 1e-4) })
	t.Run("float16", func(t *testing.T) { testConnections[dtype.Float16](t, 4e-3) })
	t.Run("bfloat16", func(t *testing.T) { testConnections[dtype.BFloat16](t, 3e-2) })
}

// testConnections compares all functions with their formulas, with factors of each token and with ones that are the same for all.
func testConnections[E element](t *testing.T, tolerance float64) {
	dev, r, ctx := kerneltest.CPU(t), kerneltest.Rand(), t.Context()
	for _, p := range []struct{ tokens, n, d int }{{1, 1, 1}, {5, 4, 33}, {2, 3, 1500}, {0, 2, 5}, {3, 2, 0}} {
		for _, static := range []bool{false, true} {
			what := fmt.Sprint(p, static)
			h, hs := kerneltest.Random[E](t, dev, r, p.tokens, p.n, p.d)
			a, as := kerneltest.Random[float32](t, dev, r, p.tokens, p.n, p.n+1)
			b, bs := kerneltest.Random[float32](t, dev, r, p.tokens, p.n)
			if static {
				one, list := kerneltest.Random[float32](t, dev, r, 1, p.n, p.n+1)
				a, as = one.Broadcast(p.tokens, p.n, p.n+1), repeat(list, p.tokens)
				same, few := kerneltest.Random[float32](t, dev, r, 1, p.n)
				b, bs = same.Broadcast(p.tokens, p.n), repeat(few, p.tokens)
			}
			y, ys := kerneltest.Random[E](t, dev, r, p.tokens, p.d)
			dx, dxs := kerneltest.Random[E](t, dev, r, p.tokens, p.d)
			d, ds := kerneltest.Random[E](t, dev, r, p.tokens, p.n, p.d) // of kept, and of h behind the layer
			wantX, wantKept, wantH := make([]float64, len(ys)), make([]float64, len(hs)), make([]float64, len(hs))
			wantDH, wantDA, wantDY, wantDB := make([]float64, len(hs)), make([]float64, len(as)), make([]float64, len(ys)), make([]float64, len(bs))
			for at := range ys {
				token, i := at/p.d, at%p.d
				stream := func(s int) int { return (token*p.n+s)*p.d + i }
				for s := range p.n {
					factor := (token*p.n + s) * (p.n + 1)
					wantX[at] += as[factor] * hs[stream(s)]
					wantDH[stream(s)] += as[factor] * dxs[at]
					wantDA[factor] += hs[stream(s)] * dxs[at]
					for c := range p.n {
						wantKept[stream(c)] += as[factor+c+1] * hs[stream(s)]
						wantDH[stream(s)] += as[factor+c+1] * ds[stream(c)]
						wantDA[factor+c+1] += hs[stream(s)] * ds[stream(c)]
					}
					wantH[stream(s)] = hs[stream(s)] + bs[token*p.n+s]*ys[at]
					wantDY[at] += bs[token*p.n+s] * ds[stream(s)]
					wantDB[token*p.n+s] += ys[at] * ds[stream(s)]
				}
			}
			x, dy := kerneltest.New[E](t, dev, p.tokens, p.d), kerneltest.New[E](t, dev, p.tokens, p.d)
			kept, out, dh := kerneltest.New[E](t, dev, p.tokens, p.n, p.d), kerneltest.New[E](t, dev, p.tokens, p.n, p.d), kerneltest.New[E](t, dev, p.tokens, p.n, p.d)
			da, db := kerneltest.New[float32](t, dev, p.tokens, p.n, p.n+1), kerneltest.New[float32](t, dev, p.tokens, p.n)
			kerneltest.Must(t, hyper.RunWidth(ctx, dev, h, a, x, kept))
			kerneltest.Must(t, hyper.RunDepth(ctx, dev, y, b, h, out))
			kerneltest.Near(t, "x "+what, x, wantX, tolerance)
			kerneltest.Near(t, "kept "+what, kept, wantKept, tolerance)
			kerneltest.Near(t, "h "+what, out, wantH, tolerance)
			if p.d == 0 {
				continue // sums of nothing: see TestEmptySums
			}
			kerneltest.Must(t, hyper.RunWidthBackward(ctx, dev, h, a, dx, d, dh, da))
			kerneltest.Must(t, hyper.RunDepthBackward(ctx, dev, y, b, d, dy, db))
			kerneltest.Near(t, "dh "+what, dh, wantDH, tolerance)
			kerneltest.Near(t, "da "+what, da, wantDA, 2e-4)
			kerneltest.Near(t, "dy "+what, dy, wantDY, tolerance)
			kerneltest.Near(t, "db "+what, db, wantDB, 2e-4)
		}
	}
}

func repeat(x []float64, times int) (out []float64) {
	for range times {
		out = append(out, x...)
	}
	return out
}

// TestFactors compares factors that follow from the streams, of which one is zeros.
func TestFactors(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testFactors[float32](t) })
	t.Run("float16", func(t *testing.T) { testFactors[dtype.Float16](t) })
	t.Run("bfloat16", func(t *testing.T) { testFactors[dtype.BFloat16](t) })
}

func testFactors[E element](t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const eps = 1e-5
	for _, p := range []struct{ tokens, n, d, factors int }{{1, 1, 1, 3}, {5, 3, 33, 5}, {2, 4, 1500, 6}, {0, 2, 5, 4}} {
		_, hs := kerneltest.Random[E](t, dev, r, p.tokens, p.n, p.d)
		clear(hs[:min(p.d, len(hs))])
		h, _ := kerneltest.Tensor[E](t, dev, hs, p.tokens, p.n, p.d)
		w, ws := kerneltest.Random[E](t, dev, r, p.d, p.factors)
		static, ss := kerneltest.Random[float32](t, dev, r, p.n, p.factors)
		scale, cs := kerneltest.Random[float32](t, dev, r, p.factors)
		var want []float64
		for row := range p.tokens * p.n {
			squares := 0.0
			for _, v := range hs[row*p.d:][:p.d] {
				squares += v * v / float64(p.d)
			}
			for c := range p.factors {
				sum := 0.0
				for i, v := range hs[row*p.d:][:p.d] {
					sum += v * ws[i*p.factors+c]
				}
				want = append(want, ss[row%p.n*p.factors+c]+cs[c]*math.Tanh(sum/math.Sqrt(squares+eps)))
			}
		}
		ab := kerneltest.New[float32](t, dev, p.tokens, p.n, p.factors)
		kerneltest.Must(t, hyper.RunFactors(t.Context(), dev, h, w, static, scale, ab, eps))
		kerneltest.Near(t, fmt.Sprint(p), ab, want, 1e-4)
	}
}

// TestEmptySums: without elements, gradients of factors are 0.
func TestEmptySums(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	da, db := x(2, 1, 2), x(2, 1)
	kerneltest.Must(t, hyper.RunWidthBackward(ctx, dev, x(2, 1, 0), x(2, 1, 2), x(2, 0), x(2, 1, 0), x(2, 1, 0), da))
	kerneltest.Must(t, hyper.RunDepthBackward(ctx, dev, x(2, 0), x(2, 1), x(2, 1, 0), x(2, 0), db))
	kerneltest.Near(t, "da", da, make([]float64, 4), 0)
	kerneltest.Near(t, "db", db, make([]float64, 2), 0)
}

func TestMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	kerneltest.Mismatch(t, hyper.RunWidth(ctx, dev, x(2, 3, 5), x(2, 3, 3), x(2, 5), x(2, 3, 5)), "hyper.RunWidth: a has 3 factors for each of 3 streams, expected 4")
	kerneltest.Mismatch(t, hyper.RunDepth(ctx, dev, x(2, 5), x(2, 65), x(2, 65, 5), x(2, 65, 5)), "hyper.RunDepth: there are 65 streams, expected 1 to 64")
	kerneltest.Mismatch(t, hyper.RunFactors(ctx, dev, x(2, 3, 5), x(5, 4), x(3, 4), x(3), x(2, 3, 4), 0),
		"hyper.RunFactors: scale has shape [3], expected [factors]: axis 0 is 3, but factors is 4 along axis 1 of w")
	kerneltest.Mismatch(t, hyper.RunWidthBackward(ctx, dev, x(2, 3, 5), x(2, 3, 3), x(2, 5), x(2, 3, 5), x(2, 3, 5), x(2, 3, 3)),
		"hyper.RunWidthBackward: a has 3 factors for each of 3 streams, expected 4")
	kerneltest.Mismatch(t, hyper.RunDepthBackward(ctx, dev.Grid(1), x(2, 5), x(2, 3), x(2, 3, 5), x(2, 5), x(2, 3)),
		"hyper.RunDepthBackward: the grid follows from the shapes: give a device or a stream without a grid")
}
