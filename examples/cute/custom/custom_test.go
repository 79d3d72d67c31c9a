package custom_test

import (
	"math/big"
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/examples/cute/custom"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)

// data returns inputs for n elements, and their values in float64.
func data(n int) (x []float32, q []int8) {
	x, q = make([]float32, n), make([]int8, n)
	for i := range n {
		x[i], q[i] = float32(i%23)/4-2, int8(i%200-100)
	}
	return x, q
}

func TestApply(t *testing.T) {
	dev := simttest.Device(t)
	functions := []struct {
		f    custom.Function
		want func(x, y, factor float64) float64
	}{
		{custom.ScaledSum, func(x, y, factor float64) float64 { return factor * (x + y) }},
		{custom.Clip, func(x, y, limit float64) float64 { return max(-limit, min(limit, x-y)) }},
	}
	for _, shape := range [][]int{{1}, {1000}, {1, 1}, {7, 33}, {3, 5, 17}, {2, 3, 4, 5}} {
		n := 1
		for _, s := range shape {
			n *= s
		}
		x, q := data(n)
		for _, f := range functions {
			a, b, out := simttest.Tensor(t, dev, x, shape...), simttest.Tensor(t, dev, q, shape...), simttest.Tensor(t, dev, make([]float32, n), shape...)
			y := custom.Quantized{Data: b, Scale: 0.125, Zero: 3}
			got := simttest.Call(t, out, custom.Apply, cute.Of[float32](a), y, float32(1.5), cute.Of[float32](out), cute.C(f.f))
			want := make([]float64, n)
			for i := range want {
				want[i] = f.want(float64(x[i]), 0.125*(float64(q[i])-3), 1.5)
			}
			simttest.Near(t, got, want, 1e-6)
		}
	}
}

// A view whose axes are in another order than memory, and a factor that an adapter converts to a number.
func TestAdapter(t *testing.T) {
	dev := simttest.Device(t)
	x, q := data(6)
	a, b, out := simttest.Tensor(t, dev, x, 2, 3), simttest.Tensor(t, dev, q, 3, 2), simttest.Tensor(t, dev, make([]float32, 6), 2, 3)
	y := custom.Quantized{Data: b.T(), Scale: 1}
	if _, err := cute.Call(t.Context(), custom.Apply, a, y, big.NewRat(1, 3), out, custom.ScaledSum); err != nil {
		t.Fatal(err)
	}
	got, err := out.Slice()
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for i := range 6 {
		want = append(want, (float64(x[i])+float64(q[i%3*2+i/3]))/3)
	}
	simttest.Near(t, got, want, 1e-6)
}

func TestAssemble(t *testing.T) {
	dev := simttest.Device(t)
	x, q := data(24)
	a, y := simttest.Tensor(t, dev, x, 2, 3, 4), custom.Quantized{Data: simttest.Tensor(t, dev, q, 2, 3, 4)}
	simttest.Assemble(t, simttest.Archs, custom.Apply, a, y, 1.0, a, custom.Clip)
}
