package norm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/norm"
	"github.com/cutile-go/cutile/tile"
)

const eps = 1e-5

// shapes has short rows that share a block, rows longer than any tile, and none at all.
var shapes = [][2]int{{1, 1}, {37, 5}, {150, 257}, {3, 8192}, {5, 8300}, {0, 5}, {5, 0}}

type element interface {
	norm.Float
	kerneltest.Num
}

// rms is the reference: y, and the gradients of x and w given that of y.
func rms(x, w, dy []float64, cols int) (y, dx, dw []float64) {
	y, dx, dw = make([]float64, len(x)), make([]float64, len(x)), make([]float64, cols)
	for i := 0; i < len(x); i += max(cols, 1) {
		squares := 0.0
		for _, v := range x[i : i+cols] {
			squares += v * v
		}
		r := 1 / math.Sqrt(squares/float64(cols)+eps)
		along := 0.0
		for j := range cols {
			y[i+j] = x[i+j] * r * w[j]
			along += dy[i+j] * w[j] * x[i+j] * r / float64(cols)
		}
		for j := range cols {
			dx[i+j] = r * (dy[i+j]*w[j] - x[i+j]*r*along)
			dw[j] += dy[i+j] * x[i+j] * r
		}
	}
	return y, dx, dw
}

func testRMS[E element](t *testing.T, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range shapes {
		x, xs := kerneltest.Random[E](t, dev, r, s[0], s[1])
		w, ws := kerneltest.Random[E](t, dev, r, s[1])
		dy, dys := kerneltest.Random[E](t, dev, r, s[0], s[1])
		y, dx, dw := kerneltest.New[E](t, dev, s[0], s[1]), kerneltest.New[E](t, dev, s[0], s[1]), kerneltest.New[E](t, dev, s[1])
		wantY, wantX, wantW := rms(xs, ws, dys, s[1])
		kerneltest.Must(t, norm.RMS(t.Context(), dev, x, w, y, eps))
		kerneltest.Near(t, fmt.Sprint("y ", s), y, wantY, tolerance)
		err := norm.RMSBackward(t.Context(), dev, dy, x, w, dx, dw, eps)
		if s[1] > 8192 {
			kerneltest.Mismatch(t, err, "norm.RMSBackward: rows have 8300 elements, expected at most 8192")
			continue
		}
		kerneltest.Must(t, err)
		kerneltest.Near(t, fmt.Sprint("dx ", s), dx, wantX, tolerance)
		kerneltest.Near(t, fmt.Sprint("dw ", s), dw, wantW, tolerance)
	}
}

func TestRMS(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testRMS[float32](t, 2e-5) })
	t.Run("bfloat16", func(t *testing.T) { testRMS[dtype.BFloat16](t, 1e-2) })
}

func TestAddRMS(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range shapes {
		x, xs := kerneltest.Random[float32](t, dev, r, s[0], s[1])
		z, zs := kerneltest.Random[float32](t, dev, r, s[0], s[1])
		w, ws := kerneltest.Random[float32](t, dev, r, s[1])
		y := kerneltest.New[float32](t, dev, s[0], s[1])
		err := norm.AddRMS(t.Context(), dev, x, z, w, y, eps)
		if s[1] > 8192 {
			kerneltest.Mismatch(t, err, "norm.AddRMS: rows have 8300 elements, expected at most 8192")
			continue
		}
		kerneltest.Must(t, err)
		for i := range xs {
			xs[i] += zs[i]
		}
		want, _, _ := rms(xs, ws, xs, s[1])
		kerneltest.Near(t, fmt.Sprint("residual ", s), z, xs, 1e-6)
		kerneltest.Near(t, fmt.Sprint("y ", s), y, want, 1e-5)
	}
}

// layer is the reference of layer normalisation and its gradients.
type layer struct{ y, mean, rstd, dx, dw, db []float64 }

func reference(x, w, b, dy []float64, rows, cols int) (l layer) {
	l.y, l.dx, l.dw, l.db = make([]float64, len(x)), make([]float64, len(x)), make([]float64, cols), make([]float64, cols)
	n := float64(cols)
	for i := range rows {
		x, dy, y, dx := x[i*cols:][:cols], dy[i*cols:][:cols], l.y[i*cols:], l.dx[i*cols:]
		mean, variance := 0.0, 0.0
		for _, v := range x {
			mean += v / n
		}
		for _, v := range x {
			variance += (v - mean) * (v - mean) / n
		}
		r := 1 / math.Sqrt(variance+eps)
		common, along := 0.0, 0.0
		for j, v := range x {
			h := (v - mean) * r
			y[j] = h*w[j] + b[j]
			common += dy[j] * w[j] / n
			along += dy[j] * w[j] * h / n
			l.dw[j] += dy[j] * h
			l.db[j] += dy[j]
		}
		for j, v := range x {
			dx[j] = (dy[j]*w[j] - common - (v-mean)*r*along) * r
		}
		l.mean, l.rstd = append(l.mean, mean), append(l.rstd, r)
	}
	return l
}

// shifted gives numbers around 100, of which a variance by squares would leave little.
func shifted[E element](t *testing.T, dev *cutile.Device, r *rand.Rand, by float64, rows, cols int) (*cutile.Tensor[E], []float64) {
	values := make([]float64, rows*cols)
	for i := range values {
		values[i] = by + r.NormFloat64()
	}
	return kerneltest.Tensor[E](t, dev, values, rows, cols)
}

func testLayer[E element](t *testing.T, shift, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range shapes {
		rows, cols := s[0], s[1]
		x, xs := shifted[E](t, dev, r, shift, rows, cols)
		w, ws := kerneltest.Random[E](t, dev, r, cols)
		b, bs := kerneltest.Random[E](t, dev, r, cols)
		dy, dys := kerneltest.Random[E](t, dev, r, rows, cols)
		y, dx := kerneltest.New[E](t, dev, rows, cols), kerneltest.New[E](t, dev, rows, cols)
		dw, db := kerneltest.New[E](t, dev, cols), kerneltest.New[E](t, dev, cols)
		mean, rstd := kerneltest.New[float32](t, dev, rows), kerneltest.New[float32](t, dev, rows)
		kerneltest.Must(t, norm.Layer(t.Context(), dev, x, w, b, y, mean, rstd, eps))
		kerneltest.Must(t, norm.LayerBackward(t.Context(), dev, dy, x, w, mean, rstd, dx, dw, db))
		want := reference(xs, ws, bs, dys, rows, cols)
		if cols > 0 {
			kerneltest.Near(t, fmt.Sprint("mean ", s), mean, want.mean, 1e-5)
		}
		if cols > 1 { // else it is 1/√eps, very far from x
			kerneltest.Near(t, fmt.Sprint("rstd ", s), rstd, want.rstd, tolerance)
		}
		kerneltest.Near(t, fmt.Sprint("y ", s), y, want.y, tolerance)
		kerneltest.Near(t, fmt.Sprint("dx ", s), dx, want.dx, tolerance)
		kerneltest.Near(t, fmt.Sprint("dw ", s), dw, want.dw, tolerance)
		kerneltest.Near(t, fmt.Sprint("db ", s), db, want.db, tolerance)
	}
}

func TestLayer(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testLayer[float32](t, 100, 2e-3) })
	t.Run("float32 around 0", func(t *testing.T) { testLayer[float32](t, 0, 2e-5) })
	t.Run("float16", func(t *testing.T) { testLayer[dtype.Float16](t, 1, 2e-3) })
}

// TestFewSums: backward kernels with fewer rows of sums than tiles of rows add up several tiles in each.
func TestFewSums(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const rows, cols, sums = 11, 6, 2 // six tiles of two rows
	x, xs := kerneltest.Random[float32](t, dev, r, rows, cols)
	w, ws := kerneltest.Random[float32](t, dev, r, cols)
	dy, dys := kerneltest.Random[float32](t, dev, r, rows, cols)
	want := reference(xs, ws, ws, dys, rows, cols)
	mean, _ := kerneltest.Tensor[float32](t, dev, want.mean, rows)
	rstd, _ := kerneltest.Tensor[float32](t, dev, want.rstd, rows)
	_, wantRMSX, wantRMS := rms(xs, ws, dys, cols)
	dx, dw, db := kerneltest.New[float32](t, dev, rows, cols), kerneltest.New[float32](t, dev, sums, cols), kerneltest.New[float32](t, dev, sums, cols)
	total := kerneltest.New[float32](t, dev, cols)
	holds := func(what string, sums *cutile.Tensor[float32], want []float64) {
		kerneltest.Must(t, cutile.Launch(t.Context(), dev, norm.SumRows[float32, tile.D2, tile.D8], sums, total))
		kerneltest.Near(t, what, total, want, 2e-5)
	}
	kerneltest.Must(t, cutile.Launch(t.Context(), dev, norm.LayerBackwardW[float32, tile.D2, tile.D4], dy, x, mean, rstd, dw, db))
	holds("dw", dw, want.dw)
	holds("db", db, want.db)
	kerneltest.Must(t, cutile.Launch(t.Context(), dev, norm.LayerBackwardRows[float32, tile.D2, tile.D8], dy, x, w, mean, rstd, dx, dw, db))
	kerneltest.Near(t, "dx", dx, want.dx, 2e-5)
	holds("dw of rows", dw, want.dw)
	holds("db of rows", db, want.db)
	kerneltest.Must(t, cutile.Launch(t.Context(), dev, norm.RMSBackwardRows[float32, tile.D2, tile.D8], dy, x, w, dx, dw, float32(0), float32(eps)))
	kerneltest.Near(t, "dx of rms", dx, wantRMSX, 2e-5)
	holds("dw of rms", dw, wantRMS)
}

// TestLayerFarAway: long rows far from 0, one number of which is far from all others, where a walk starts from it.
func TestLayerFarAway(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const rows, cols = 2, 40_001
	values := make([]float64, rows*cols)
	for i := range values {
		values[i] = 3000 + r.NormFloat64()
	}
	values[7] = -5e4
	x, xs := kerneltest.Tensor[float32](t, dev, values, rows, cols)
	w, ws := kerneltest.Random[float32](t, dev, r, cols)
	y := kerneltest.New[float32](t, dev, rows, cols)
	mean, rstd := kerneltest.New[float32](t, dev, rows), kerneltest.New[float32](t, dev, rows)
	kerneltest.Must(t, norm.Layer(t.Context(), dev, x, w, w, y, mean, rstd, eps))
	want := reference(xs, ws, ws, xs, rows, cols)
	kerneltest.Near(t, "mean", mean, want.mean, 1e-6)
	got, err := rstd.Slice()
	kerneltest.Must(t, err)
	for i, r := range want.rstd {
		if d := math.Abs(float64(got[i])/r - 1); !(d < 2e-6) {
			t.Errorf("rstd of row %d is %v, want %v", i, got[i], r)
		}
	}
	kerneltest.Near(t, "y", y, want.y, 2e-3)
}

// TestLayerBackwardAdd: sums over two batches.
func TestLayerBackwardAdd(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range shapes {
		rows, cols := s[0], s[1]
		x, xs := kerneltest.Random[float32](t, dev, r, rows, cols)
		w, ws := kerneltest.Random[float32](t, dev, r, cols)
		dy, dys := kerneltest.Random[float32](t, dev, r, rows, cols)
		want := reference(xs, ws, ws, dys, rows, cols)
		mean, _ := kerneltest.Tensor[float32](t, dev, want.mean, len(want.mean))
		rstd, _ := kerneltest.Tensor[float32](t, dev, want.rstd, len(want.rstd))
		dx := kerneltest.New[float32](t, dev, rows, cols)
		dw, db := kerneltest.New[float32](t, dev, cols), kerneltest.New[float32](t, dev, cols)
		kerneltest.Must(t, dw.Fill(t.Context(), 0))
		kerneltest.Must(t, db.Fill(t.Context(), 0))
		for range 2 {
			err := norm.LayerBackwardAdd(t.Context(), dev, dy, x, w, mean, rstd, dx, dw, db)
			if cols > 8192 {
				kerneltest.Mismatch(t, err, "norm.LayerBackwardAdd: rows have 8300 elements, expected at most 8192")
				continue
			}
			kerneltest.Must(t, err)
		}
		if cols > 8192 {
			continue
		}
		for j := range cols {
			want.dw[j], want.db[j] = 2*want.dw[j], 2*want.db[j]
		}
		kerneltest.Near(t, fmt.Sprint("dx ", s), dx, want.dx, 2e-5)
		kerneltest.Near(t, fmt.Sprint("dw ", s), dw, want.dw, 2e-5)
		kerneltest.Near(t, fmt.Sprint("db ", s), db, want.db, 2e-5)
	}
}

func TestMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	kerneltest.Mismatch(t, norm.RMS(t.Context(), dev, x(2, 3), x(2), x(2, 3), eps),
		"norm.RMS: w has shape [2], expected [cols]: axis 0 is 2, but cols is 3 along axis 1 of x")
	kerneltest.Mismatch(t, norm.Layer(t.Context(), dev, x(2, 3), x(3), x(3), x(2, 3), x(3), x(2, 1), eps),
		"norm.Layer: mean has shape [3], expected [rows]: axis 0 is 3, but rows is 2 along axis 0 of x",
		"norm.Layer: rstd has shape [2 1] of rank 2, expected rank 1: [rows]")
	kerneltest.Mismatch(t, norm.LayerBackward(t.Context(), dev, x(2, 3), x(2, 3), x(3), x(2), x(2), x(2, 3), nil, x(3)),
		"norm.LayerBackward: dw is nil, expected a tensor")
	kerneltest.Mismatch(t, norm.LayerBackwardAdd(t.Context(), dev, x(2, 3), x(2, 3), x(3), x(2), x(2), x(2, 3), x(3), x(3, 2).Select(1, 0)),
		"norm.LayerBackwardAdd: db has strides [2], expected contiguous elements")
}
