package quant_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/quant"
)

// TestRound holds what kernels round against what the host rounds, byte by byte.
func TestRound(t *testing.T) {
	dev, r, ctx := kerneltest.CPU(t), kerneltest.Rand(), t.Context()
	for _, e := range []struct{ rows, k int }{{1, 32}, {37, 288}, {16, 256}, {0, 32}, {3, 0}} {
		x := random(r, e.rows, e.k)
		if len(x) > 1000 {
			clear(x[64:128])                 // blocks of zeros
			copy(x, []float32{448, 0, -449}) // and on either side of a power of two
			copy(x[32:], []float32{447.99997, 448.00003})
		}
		wide := make([]float64, len(x))
		for i, v := range x {
			wide[i] = float64(v)
		}
		from, _ := kerneltest.Tensor[float32](t, dev, wide, e.rows, e.k)

		eight, err := quant.MXFP8FromSlice(dev, x, e.rows, e.k)
		kerneltest.Must(t, err)
		to8, err := quant.NewMXFP8(dev, e.rows, e.k)
		kerneltest.Must(t, err)
		kerneltest.Must(t, quant.RunRoundMXFP8(ctx, dev, from, to8))
		if got, want := read(t, to8.Values), read(t, eight.Values); !slices.Equal(got, want) {
			t.Errorf("%v: the values of MXFP8 are %v, want %v", e, got, want)
		}
		if got, want := read(t, to8.Scales), read(t, eight.Scales); !slices.Equal(got, want) {
			t.Errorf("%v: the scales of MXFP8 are %v, want %v", e, got, want)
		}

		four, err := quant.NVFP4FromSlice(dev, x, e.rows, e.k)
		kerneltest.Must(t, err)
		to4, err := quant.NewNVFP4(dev, e.rows, e.k, max(float32(peak(x)), 1e-30))
		kerneltest.Must(t, err)
		kerneltest.Must(t, quant.RunRoundNVFP4(ctx, dev, from, to4))
		if got, want := read(t, to4.Values), read(t, four.Values); !bytes.Equal(got, want) {
			t.Errorf("%v: the values of NVFP4 are %x, want %x", e, got, want)
		}
		if got, want := read(t, to4.Scales), read(t, four.Scales); !slices.Equal(got, want) {
			t.Errorf("%v: the scales of NVFP4 are %v, want %v", e, got, want)
		}
	}
}

// TestRoundTooLarge rounds what is greater than a matrix of NVFP4 is for.
func TestRoundTooLarge(t *testing.T) {
	dev := kerneltest.CPU(t)
	values := make([]float64, 16)
	copy(values, []float64{1000, -300, 6, -2.5})
	x, _ := kerneltest.Tensor[dtype.BFloat16](t, dev, values, 1, 16)
	to, err := quant.NewNVFP4(dev, 1, 16, 42) // the factor is 1/64, the greatest scale 448
	kerneltest.Must(t, err)
	kerneltest.Must(t, quant.RunRoundNVFP4(t.Context(), dev, x, to))
	got, err := to.Slice()
	kerneltest.Must(t, err)
	if want := []float32{42, -42, 7, -3.5, 0}; !slices.Equal(got[:5], want) {
		t.Errorf("the numbers are %v, want %v", got[:5], want)
	}
}

// TestRoundNaN has a NaN in one block, which must not get lost.
func TestRoundNaN(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	values := make([]float64, 64)
	for i := range values {
		values[i] = float64(i%5 - 2)
	}
	values[40] = math.NaN()
	x, _ := kerneltest.Tensor[float32](t, dev, values, 1, 64)
	to8, err := quant.NewMXFP8(dev, 1, 64)
	kerneltest.Must(t, err)
	kerneltest.Must(t, quant.RunRoundMXFP8(ctx, dev, x, to8))
	to4, err := quant.NewNVFP4(dev, 1, 64, 42)
	kerneltest.Must(t, err)
	kerneltest.Must(t, quant.RunRoundNVFP4(ctx, dev, x, to4))
	for _, c := range []struct {
		m     interface{ Slice() ([]float32, error) }
		block int
	}{{to8, 32}, {to4, 16}} {
		got, err := c.m.Slice()
		kerneltest.Must(t, err)
		for i, v := range got {
			if want := i/c.block == 40/c.block; (v != v) != want {
				t.Errorf("%T: element %d is %v; is it NaN: want %v", c.m, i, v, want)
			}
		}
	}
}

// TestLayer rounds on the device what a layer is given.
func TestLayer(t *testing.T) {
	dev, r, ctx := kerneltest.CPU(t), kerneltest.Rand(), t.Context()
	const tokens, in, out = 21, 160, 40
	x, _ := kerneltest.Random[dtype.Float16](t, dev, r, tokens, in)
	weights := random(r, out, in)
	y := kerneltest.New[float32](t, dev, tokens, out)

	w8, err := quant.MXFP8FromSlice(dev, weights, out, in)
	kerneltest.Must(t, err)
	x8, err := quant.NewMXFP8(dev, tokens, in)
	kerneltest.Must(t, err)
	kerneltest.Must(t, quant.RunRoundMXFP8(ctx, dev, x, x8))
	kerneltest.Must(t, quant.RunLinearMXFP8(ctx, dev, x8, w8, y))
	kerneltest.Near(t, "layer of MXFP8", y, product(t, x8, w8, tokens, out, in), 1e-4)

	w4, err := quant.NVFP4FromSlice(dev, weights, out, in)
	kerneltest.Must(t, err)
	x4, err := quant.NewNVFP4(dev, tokens, in, 4)
	kerneltest.Must(t, err)
	kerneltest.Must(t, quant.RunRoundNVFP4(ctx, dev, x, x4))
	kerneltest.Must(t, quant.RunLinearNVFP4(ctx, dev, x4, w4, y))
	kerneltest.Near(t, "layer of NVFP4", y, product(t, x4, w4, tokens, out, in), 1e-4)
}

func TestRoundMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	_, err := quant.NewMXFP8(dev, 3, 33)
	kerneltest.Mismatch(t, err, "quant.NewMXFP8: the shape is [3 33], expected rows of a multiple of 32 elements")
	_, err = quant.NewNVFP4(dev, 3, 32, 0)
	kerneltest.Mismatch(t, err, "quant.NewNVFP4: the greatest magnitude is 0, expected a positive number")
	x := kerneltest.New[float32](t, dev, 3, 64)
	eight, err := quant.NewMXFP8(dev, 3, 32)
	kerneltest.Must(t, err)
	kerneltest.Mismatch(t, quant.RunRoundMXFP8(ctx, dev, x, eight),
		"quant.RunRoundMXFP8: to.Values has shape [3 32], expected [m k]: axis 1 is 32, but k is 64 along axis 1 of x")
	kerneltest.Mismatch(t, quant.RunRoundMXFP8(ctx, dev, x, nil), "quant.RunRoundMXFP8: to is nil, expected a matrix")
	four, err := quant.NewNVFP4(dev, 3, 32, 1)
	kerneltest.Must(t, err)
	kerneltest.Mismatch(t, quant.RunRoundNVFP4(ctx, dev, x, four),
		"quant.RunRoundNVFP4: rows have 64 elements, but there are 16 bytes, expected two elements in each")
	four.Scales = four.Scales.Narrow(1, 0, 1)
	kerneltest.Mismatch(t, quant.RunRoundNVFP4(ctx, dev, x.Narrow(1, 0, 32), four),
		"quant.RunRoundNVFP4: rows have 32 elements and 1 scales, expected a scale for each 16")
	kerneltest.Mismatch(t, quant.RunRoundNVFP4(ctx, dev, x, nil), "quant.RunRoundNVFP4: to is nil, expected a matrix")
}
