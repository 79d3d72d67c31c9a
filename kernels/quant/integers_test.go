package quant_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/quant"
)

// restored is the matrix that integers and scales stand for, in float64.
func restored(values []int8, scales []float32, group int) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(v) * float64(scales[i/group])
	}
	return out
}

// unpacked gives the integers of bytes that hold two each.
func unpacked(bytes []uint8) []int8 {
	var out []int8
	for _, b := range bytes {
		for _, half := range []uint8{b & 15, b >> 4} {
			v := int8(half)
			if half > 7 {
				v -= 16
			}
			out = append(out, v)
		}
	}
	return out
}

// TestIntegerRounding: no element is further from its own number than half a step, and the greatest of a group is exact.
func TestIntegerRounding(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const rows, k = 7, 192
	for _, group := range []int{16, 32, 64} {
		x := random(r, rows, k)
		for i := range group {
			x[k+i] = 0 // a group of zeros
		}
		eight, err := quant.Int8FromSlice(dev, x, rows, k, group)
		kerneltest.Must(t, err)
		four, err := quant.Int4FromSlice(dev, x, rows, k, group)
		kerneltest.Must(t, err)
		for most, got := range map[float64][]float64{
			127: restored(read(t, eight.Values), read(t, eight.Scales), group), 7: restored(unpacked(read(t, four.Values)), read(t, four.Scales), group),
		} {
			for i, v := range x {
				peak := 0.0
				for _, u := range x[i/group*group:][:group] {
					peak = max(peak, math.Abs(float64(u)))
				}
				d := math.Abs(float64(v) - got[i])
				if d > peak/most/2*(1+1e-6) || math.Abs(float64(v)) == peak && d > 1e-7*peak {
					t.Fatalf("integers up to %v, groups of %d: element %d is %v, rounded to %v", most, group, i, v, got[i])
				}
			}
		}
		kerneltest.Must(t, eight.Close())
		kerneltest.Must(t, four.Close())
	}
}

func linear[E interface {
	quant.Float
	kerneltest.Num
}](t *testing.T, tolerance float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range []struct{ m, n, k, group int }{{1, 1, 16, 16}, {70, 33, 96, 32}, {3, 130, 256, 128}, {5, 17, 64, 16}, {0, 3, 16, 16}, {2, 3, 0, 16}} {
		x, xs := kerneltest.Random[E](t, dev, r, s.m, s.k)
		w := random(r, s.n, s.k)
		eight, err := quant.Int8FromSlice(dev, w, s.n, s.k, s.group)
		kerneltest.Must(t, err)
		four, err := quant.Int4FromSlice(dev, w, s.n, s.k, s.group)
		kerneltest.Must(t, err)
		product := func(ws []float64) []float64 {
			out := make([]float64, s.m*s.n)
			for i := range out {
				for l := range s.k {
					out[i] += xs[i/s.n*s.k+l] * ws[i%s.n*s.k+l]
				}
			}
			return out
		}
		y := kerneltest.New[float32](t, dev, s.m, s.n)
		kerneltest.Must(t, quant.RunLinearInt8(t.Context(), dev, x, eight, y))
		kerneltest.Near(t, fmt.Sprint("int8 ", s), y, product(restored(read(t, eight.Values), read(t, eight.Scales), s.group)), tolerance)
		kerneltest.Must(t, quant.RunLinearInt4(t.Context(), dev, x, four, y))
		kerneltest.Near(t, fmt.Sprint("int4 ", s), y, product(restored(unpacked(read(t, four.Values)), read(t, four.Scales), s.group)), tolerance)
	}
}

func TestIntegerLinear(t *testing.T) {
	t.Run("float32", func(t *testing.T) { linear[float32](t, 2e-5) })
	t.Run("float16", func(t *testing.T) { linear[dtype.Float16](t, 2e-5) })
	t.Run("bfloat16", func(t *testing.T) { linear[dtype.BFloat16](t, 2e-5) })
}

func TestIntegerMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	for _, group := range []int{0, 8, 48, 512} {
		_, err := quant.Int8FromSlice(dev, make([]float32, 96), 2, 48, group)
		kerneltest.Mismatch(t, err, fmt.Sprintf("quant.Int8FromSlice: the group is %d, expected a power of two from 16 to 256", group))
	}
	_, err := quant.Int4FromSlice(dev, make([]float32, 96), 2, 48, 32)
	kerneltest.Mismatch(t, err, "quant.Int4FromSlice: the shape is [2 48], expected rows of a multiple of 32 elements")
	eight, err := quant.Int8FromSlice(dev, make([]float32, 96), 3, 32, 16)
	kerneltest.Must(t, err)
	four, err := quant.Int4FromSlice(dev, make([]float32, 96), 3, 32, 16)
	kerneltest.Must(t, err)
	kerneltest.Mismatch(t, quant.RunLinearInt8(ctx, dev, x(2, 16), eight, x(2, 3)),
		"quant.RunLinearInt8: w.Values has shape [3 32], expected [n k]: axis 1 is 32, but k is 16 along axis 1 of x")
	kerneltest.Mismatch(t, quant.RunLinearInt4(ctx, dev, x(2, 16), four, x(2, 3)),
		"quant.RunLinearInt4: x has rows of 16 elements and w.Values of 16 bytes, expected half as many bytes")
	eight.Group = 32
	kerneltest.Mismatch(t, quant.RunLinearInt8(ctx, dev, x(2, 32), eight, x(2, 3)),
		"quant.RunLinearInt8: rows have 32 elements and 2 scales, expected a scale for each 32")
	kerneltest.Mismatch(t, quant.RunLinearInt4(ctx, dev, x(2, 32), (*quant.Int4)(nil), x(2, 3)), "quant.RunLinearInt4: w is nil, expected a matrix")
}
