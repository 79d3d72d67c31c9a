package norm_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/norm"
)

// slopes gives the derivatives of Σ dy·f(x) by each element of x, by central differences in float64.
func slopes(x, dy []float64, f func() []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		h := 1e-5 * (1 + math.Abs(v))
		at := func(v float64) float64 {
			x[i] = v
			sum := 0.0
			for j, y := range f() {
				sum += dy[j] * y
			}
			return sum
		}
		out[i] = (at(v+h) - at(v-h)) / (2 * h)
		x[i] = v
	}
	return out
}

// byRow applies a norm of one row to all rows of a matrix.
func byRow(x []float64, cols int, f func(row []float64, at int) []float64) []float64 {
	out := make([]float64, 0, len(x))
	for i := 0; i < len(x); i += cols {
		out = append(out, f(x[i:i+cols], i)...)
	}
	return out
}

// unit is u/√(mean of u² + eps).
func unit(u []float64, eps float64) []float64 {
	squares := 0.0
	for _, v := range u {
		squares += v * v / float64(len(u))
	}
	out := make([]float64, len(u))
	for i, v := range u {
		out[i] = v / math.Sqrt(squares+eps)
	}
	return out
}

// small are shapes for which central differences take little time; differences over others would take minutes.
var small = [][2]int{{1, 1}, {5, 7}, {3, 33}, {17, 4}, {0, 5}, {5, 0}}

// both runs a test for small shapes, with gradients, and for large ones without.
func both(t *testing.T, test func(t *testing.T, rows, cols int, gradients bool)) {
	for _, s := range small {
		t.Run(fmt.Sprint(s), func(t *testing.T) { test(t, s[0], s[1], true) })
	}
	for _, s := range shapes {
		t.Run(fmt.Sprint("large", s), func(t *testing.T) { test(t, s[0], s[1], false) })
	}
}

// testRMSOffset compares [norm.RMSOffset] and [norm.RMSAdd], whose formulas differ by the residual.
func testRMSOffset[E element](t *testing.T, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	both(t, func(t *testing.T, rows, cols int, gradients bool) {
		x, xs := kerneltest.Random[E](t, dev, r, rows, cols)
		w, ws := kerneltest.Random[E](t, dev, r, cols)
		z, zs := kerneltest.Random[E](t, dev, r, rows, cols)
		dy, dys := kerneltest.Random[E](t, dev, r, rows, cols)
		y, dx, dw := kerneltest.New[E](t, dev, rows, cols), kerneltest.New[E](t, dev, rows, cols), kerneltest.New[E](t, dev, cols)
		f := func() []float64 {
			return byRow(xs, max(cols, 1), func(row []float64, _ int) []float64 {
				h := unit(row, eps)
				for j := range h {
					h[j] *= 1 + ws[j]
				}
				return h
			})
		}
		want := f()
		kerneltest.Must(t, norm.RMSOffset(t.Context(), dev, x, w, y, 1, eps))
		kerneltest.Near(t, "y", y, want, tolerance)
		kerneltest.Must(t, norm.RMSAdd(t.Context(), dev, x, w, z, 1, eps))
		for i := range want {
			want[i] += zs[i]
		}
		kerneltest.Near(t, "residual", z, want, tolerance)
		if gradients {
			kerneltest.Must(t, norm.RMSOffsetBackward(t.Context(), dev, dy, x, w, dx, dw, 1, eps))
			kerneltest.Near(t, "dx", dx, slopes(xs, dys, f), 2*tolerance)
			kerneltest.Near(t, "dw", dw, slopes(ws, dys, f), 2*tolerance)
		}
	})
}

func TestRMSOffset(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testRMSOffset[float32](t, 2e-5) })
	t.Run("float16", func(t *testing.T) { testRMSOffset[dtype.Float16](t, 2e-3) })
	t.Run("bfloat16", func(t *testing.T) { testRMSOffset[dtype.BFloat16](t, 1e-2) })
}

func testGatedRMS[E element](t *testing.T, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	both(t, func(t *testing.T, rows, cols int, gradients bool) {
		x, xs := kerneltest.Random[E](t, dev, r, rows, cols)
		gate, gates := kerneltest.Random[E](t, dev, r, rows, cols)
		w, ws := kerneltest.Random[E](t, dev, r, cols)
		dy, dys := kerneltest.Random[E](t, dev, r, rows, cols)
		y, dx, dgate, dw := kerneltest.New[E](t, dev, rows, cols), kerneltest.New[E](t, dev, rows, cols), kerneltest.New[E](t, dev, rows, cols), kerneltest.New[E](t, dev, cols)
		f := func() []float64 {
			return byRow(xs, max(cols, 1), func(row []float64, at int) []float64 {
				h := unit(row, eps)
				for j := range h {
					g := gates[at+j]
					h[j] *= ws[j] * g / (1 + math.Exp(-g))
				}
				return h
			})
		}
		kerneltest.Must(t, norm.GatedRMS(t.Context(), dev, x, gate, w, y, eps))
		kerneltest.Near(t, "y", y, f(), tolerance)
		if gradients {
			kerneltest.Must(t, norm.GatedRMSBackward(t.Context(), dev, dy, x, gate, w, dx, dgate, dw, eps))
			kerneltest.Near(t, "dx", dx, slopes(xs, dys, f), 2*tolerance)
			kerneltest.Near(t, "dgate", dgate, slopes(gates, dys, f), 2*tolerance)
			kerneltest.Near(t, "dw", dw, slopes(ws, dys, f), 2*tolerance)
		}
	})
}

func TestGatedRMS(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testGatedRMS[float32](t, 2e-5) })
	t.Run("float16", func(t *testing.T) { testGatedRMS[dtype.Float16](t, 2e-3) })
	t.Run("bfloat16", func(t *testing.T) { testGatedRMS[dtype.BFloat16](t, 1e-2) })
}

func testDynamicTanh[E element](t *testing.T, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	both(t, func(t *testing.T, rows, cols int, gradients bool) {
		x, xs := kerneltest.Random[E](t, dev, r, rows, cols)
		alpha, alphas := kerneltest.Tensor[E](t, dev, []float64{0.7}, 1)
		w, ws := kerneltest.Random[E](t, dev, r, cols)
		b, bs := kerneltest.Random[E](t, dev, r, cols)
		dy, dys := kerneltest.Random[E](t, dev, r, rows, cols)
		y, dx, dalpha := kerneltest.New[E](t, dev, rows, cols), kerneltest.New[E](t, dev, rows, cols), kerneltest.New[E](t, dev, 1)
		dw, db := kerneltest.New[E](t, dev, cols), kerneltest.New[E](t, dev, cols)
		f := func() []float64 {
			out := make([]float64, len(xs))
			for i, v := range xs {
				out[i] = math.Tanh(alphas[0]*v)*ws[i%cols] + bs[i%cols]
			}
			return out
		}
		kerneltest.Must(t, norm.DynamicTanh(t.Context(), dev, x, alpha, w, b, y))
		kerneltest.Near(t, "y", y, f(), tolerance)
		if gradients {
			kerneltest.Must(t, norm.DynamicTanhBackward(t.Context(), dev, dy, x, alpha, w, dx, dalpha, dw, db))
			kerneltest.Near(t, "dx", dx, slopes(xs, dys, f), 2*tolerance)
			kerneltest.Near(t, "dalpha", dalpha, slopes(alphas, dys, f), 2*tolerance)
			kerneltest.Near(t, "dw", dw, slopes(ws, dys, f), 2*tolerance)
			kerneltest.Near(t, "db", db, slopes(bs, dys, f), 2*tolerance)
		}
	})
}

func TestDynamicTanh(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testDynamicTanh[float32](t, 2e-5) })
	t.Run("float16", func(t *testing.T) { testDynamicTanh[dtype.Float16](t, 2e-3) })
	t.Run("bfloat16", func(t *testing.T) { testDynamicTanh[dtype.BFloat16](t, 1e-2) })
}

func testPoly[E element](t *testing.T, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	both(t, func(t *testing.T, rows, cols int, gradients bool) {
		x, xs := kerneltest.Random[E](t, dev, r, rows, cols)
		w, ws := kerneltest.Random[E](t, dev, r, 3)
		b, bs := kerneltest.Random[E](t, dev, r, 1)
		dy, dys := kerneltest.Random[E](t, dev, r, rows, cols)
		y, dx := kerneltest.New[E](t, dev, rows, cols), kerneltest.New[E](t, dev, rows, cols)
		dw, db := kerneltest.New[E](t, dev, 3), kerneltest.New[E](t, dev, 1)
		f := func() []float64 {
			return byRow(xs, max(cols, 1), func(row []float64, _ int) []float64 {
				out := make([]float64, len(row))
				for i := range out {
					out[i] = bs[0]
				}
				for p := range 3 {
					u := make([]float64, len(row))
					for i, v := range row {
						u[i] = math.Pow(v, float64(3-p))
					}
					for i, h := range unit(u, eps) {
						out[i] += ws[p] * h
					}
				}
				return out
			})
		}
		kerneltest.Must(t, norm.Poly(t.Context(), dev, x, w, b, y, eps))
		kerneltest.Near(t, "y", y, f(), tolerance)
		if gradients {
			kerneltest.Must(t, norm.PolyBackward(t.Context(), dev, dy, x, w, dx, dw, db, eps))
			kerneltest.Near(t, "dx", dx, slopes(xs, dys, f), 4*tolerance)
			kerneltest.Near(t, "dw", dw, slopes(ws, dys, f), 2*tolerance)
			kerneltest.Near(t, "db", db, slopes(bs, dys, f), 2*tolerance)
		}
	})
}

func TestPoly(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testPoly[float32](t, 4e-5) })
	t.Run("float16", func(t *testing.T) { testPoly[dtype.Float16](t, 2e-3) })
	t.Run("bfloat16", func(t *testing.T) { testPoly[dtype.BFloat16](t, 1e-2) })
}

// TestLongGradients: rows of several tiles, and more rows than there are blocks; the formulas are those that differences confirm above.
func TestLongGradients(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const rows, cols = 300, 2500 // two tiles of columns of a tanh, and three of rows for each block
	x, xs := kerneltest.Random[float32](t, dev, r, rows, cols)
	dy, dys := kerneltest.Random[float32](t, dev, r, rows, cols)
	w, ws := kerneltest.Random[float32](t, dev, r, cols)
	alpha, _ := kerneltest.Tensor[float32](t, dev, []float64{0.5}, 1)
	dx, dalpha := kerneltest.New[float32](t, dev, rows, cols), kerneltest.New[float32](t, dev, 1)
	dw, db := kerneltest.New[float32](t, dev, cols), kerneltest.New[float32](t, dev, cols)
	kerneltest.Must(t, norm.DynamicTanhBackward(t.Context(), dev, dy, x, alpha, w, dx, dalpha, dw, db))
	wantX, wantA, wantW, wantB := make([]float64, rows*cols), []float64{0}, make([]float64, cols), make([]float64, cols)
	for i, v := range xs {
		h := math.Tanh(0.5 * v)
		g := dys[i] * ws[i%cols] * (1 - h*h)
		wantX[i] = g * 0.5
		wantA[0] += g * v
		wantW[i%cols] += dys[i] * h
		wantB[i%cols] += dys[i]
	}
	kerneltest.Near(t, "dx", dx, wantX, 2e-5)
	kerneltest.Near(t, "dalpha", dalpha, wantA, 1e-4)
	kerneltest.Near(t, "dw", dw, wantW, 5e-5)
	kerneltest.Near(t, "db", db, wantB, 5e-5)
}

// TestPolyLongGradients is the same for sums of powers.
func TestPolyLongGradients(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range [][2]int{{2, 8300}, {300, 1500}} {
		rows, cols := s[0], s[1]
		x, xs := kerneltest.Random[float32](t, dev, r, rows, cols)
		dy, dys := kerneltest.Random[float32](t, dev, r, rows, cols)
		w, ws := kerneltest.Random[float32](t, dev, r, 3)
		dx, dw, db := kerneltest.New[float32](t, dev, rows, cols), kerneltest.New[float32](t, dev, 3), kerneltest.New[float32](t, dev, 1)
		kerneltest.Must(t, norm.PolyBackward(t.Context(), dev, dy, x, w, dx, dw, db, eps))
		wantX, wantW, wantB := make([]float64, rows*cols), make([]float64, 3), []float64{0}
		for i := 0; i < len(xs); i += cols {
			for p := range 3 {
				e := float64(3 - p)
				mean, along := 0.0, 0.0
				for j, v := range xs[i : i+cols] {
					mean += math.Pow(v, 2*e) / float64(cols)
					along += dys[i+j] * math.Pow(v, e)
				}
				root := math.Sqrt(mean + eps)
				wantW[p] += along / root
				for j, v := range xs[i : i+cols] {
					wantX[i+j] += ws[p] * e * math.Pow(v, e-1) / root * (dys[i+j] - math.Pow(v, e)/(root*root)*along/float64(cols))
				}
			}
		}
		for _, d := range dys {
			wantB[0] += d
		}
		kerneltest.Near(t, fmt.Sprint("dx ", s), dx, wantX, 1e-4)
		kerneltest.Near(t, fmt.Sprint("dw ", s), dw, wantW, 1e-4)
		kerneltest.Near(t, fmt.Sprint("db ", s), db, wantB, 1e-3) // a sum of many numbers of both signs
	}
}

// TestNoEps: rows that a tile has behind the last one add nothing to sums, though 1/√0 is infinite.
func TestNoEps(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const rows, cols = 3, 5 // a tile of four rows
	x, xs := kerneltest.Random[float32](t, dev, r, rows, cols)
	w, ws := kerneltest.Random[float32](t, dev, r, cols)
	dy, dys := kerneltest.Random[float32](t, dev, r, rows, cols)
	dx, dw := kerneltest.New[float32](t, dev, rows, cols), kerneltest.New[float32](t, dev, cols)
	kerneltest.Must(t, norm.RMSBackward(t.Context(), dev, dy, x, w, dx, dw, 0))
	f := func() []float64 {
		return byRow(xs, cols, func(row []float64, _ int) []float64 {
			h := unit(row, 0)
			for j := range h {
				h[j] *= ws[j]
			}
			return h
		})
	}
	kerneltest.Near(t, "dw", dw, slopes(ws, dys, f), 2e-5)
	kerneltest.Near(t, "dx", dx, slopes(xs, dys, f), 2e-5)
}

func TestFormMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	kerneltest.Mismatch(t, norm.RMSAdd(t.Context(), dev, x(2, 3), x(3), x(3, 3), 1, eps),
		"norm.RMSAdd: residual has shape [3 3], expected [rows cols]: axis 0 is 3, but rows is 2 along axis 0 of x")
	kerneltest.Mismatch(t, norm.GatedRMSBackward(t.Context(), dev, x(1, 8193), x(1, 8193), x(1, 8193), x(8193), x(1, 8193), x(1, 8193), x(8193), eps),
		"norm.GatedRMSBackward: rows have 8193 elements, expected at most 8192")
	kerneltest.Mismatch(t, norm.RMSOffsetBackward(t.Context(), dev, x(1, 8193), x(1, 8193), x(8193), x(1, 8193), x(8193), 1, eps),
		"norm.RMSOffsetBackward: rows have 8193 elements, expected at most 8192")
	kerneltest.Mismatch(t, norm.DynamicTanh(t.Context(), dev, x(2, 3), x(2), x(3), x(3), x(2, 3)), "norm.DynamicTanh: alpha has shape [2], expected [1]: axis 0 is 2")
	kerneltest.Mismatch(t, norm.Poly(t.Context(), dev, x(2, 3), x(4), x(1), x(2, 3), eps), "norm.Poly: w has shape [4], expected [3]: axis 0 is 4")
}
