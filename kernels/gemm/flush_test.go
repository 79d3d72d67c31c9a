package gemm_test

import (
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
)

// TestFlushToZero multiplies by subnormal numbers, which are zeros for machine code of devices that may take them so.
func TestFlushToZero(t *testing.T) {
	const n, tiny = 32, float32(0x1p-130)
	target, err := host.Choose()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		options []cutile.Option
		want    float32
	}{{nil, n * tiny}, {[]cutile.Option{cutile.WithFlushToZero()}, 0}} {
		dev, err := cutile.Open("cpu", c.options...)
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		ones, small := make([]float64, n*n), make([]float64, n*n)
		for i := range ones {
			ones[i], small[i] = 1, float64(tiny)
		}
		a, _ := kerneltest.Tensor[float32](t, dev, ones, n, n)
		b, _ := kerneltest.Tensor[float32](t, dev, small, n, n)
		product := kerneltest.New[float32](t, dev, n, n)
		kerneltest.Must(t, gemm.Run(t.Context(), dev, a, b, product))
		got, err := product.Slice()
		if err != nil {
			t.Fatal(err)
		}
		if target.Level == host.LevelNone {
			c.want = n * tiny
		}
		for i, x := range got {
			if x != c.want {
				t.Fatalf("%d options: element %d is %v, want %v", len(c.options), i, x, c.want)
			}
		}
	}
}
