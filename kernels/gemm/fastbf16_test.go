package gemm_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// TestFastBF16 compares products of a device that may add in pairs with float64: docs/numerics.md has the bound.
func TestFastBF16(t *testing.T) {
	const m, n, k = 70, 90, 300
	dev, err := cutile.Open("cpu", cutile.WithFastBF16())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	r := kerneltest.Rand()
	a, as := kerneltest.Random[dtype.BFloat16](t, dev, r, m, k)
	b, bs := kerneltest.Random[dtype.BFloat16](t, dev, r, k, n)
	c := kerneltest.New[float32](t, dev, m, n)
	kerneltest.Must(t, gemm.Run(t.Context(), dev, a, b, c))
	got, err := c.Slice()
	if err != nil {
		t.Fatal(err)
	}
	exact, sums := multiply(as, bs, m, n, k), multiply(absolute(as), absolute(bs), m, n, k)
	for i, x := range got {
		if bound := math.Ldexp(2*k*sums[i], -24); math.Abs(float64(x)-exact[i]) > bound {
			t.Fatalf("element %d is %v, exactly %v: they may differ by %.3g", i, x, exact[i], bound)
		}
	}
}

func absolute(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Abs(v)
	}
	return out
}
