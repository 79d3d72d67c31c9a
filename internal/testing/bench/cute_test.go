package bench

import (
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/examples/cute/sgemm"
)

// BenchmarkCute is the SIMT level on a matrix product of 256 x 256 x 256: compiling it for its first call ("compile", the
// front end warm), a call on the emulator, and the emulator's time as a multiple of that of three plain loops in Go.
func BenchmarkCute(b *testing.B) {
	const n = 256
	dev, err := cutile.Open("cpu")
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	data := make([]float32, n*n)
	for i := range data {
		data[i] = float32(i%19) / 19
	}
	x, _ := cutile.FromSlice(dev, data, n, n)
	y, _ := cutile.FromSlice(dev, data, n, n)
	z, _ := cutile.NewTensor[float32](dev, n, n)
	a, bb, c := cute.Of[float32](x), cute.Of[float32](y), cute.Of[float32](z)
	if err := sgemm.Run(sgemm.Default, a, bb, c, cute.C(sgemm.Identity)); err != nil {
		b.Fatal(err)
	}
	b.Run("compile", func(b *testing.B) {
		for b.Loop() {
			e, err := cute.Compile(b.Context(), sgemm.Run, sgemm.Default, a, bb, c, sgemm.Identity)
			if err != nil {
				b.Fatal(err)
			}
			_ = e.Close()
		}
	})
	b.Run("emulate", func(b *testing.B) {
		var plain, emulated time.Duration
		for b.Loop() {
			start := time.Now()
			if err := sgemm.Run(sgemm.Default, a, bb, c, cute.C(sgemm.Identity)); err != nil {
				b.Fatal(err)
			}
			if _, err := z.Slice(); err != nil {
				b.Fatal(err)
			}
			emulated += time.Since(start)
			start = time.Now()
			product(data, data, n)
			plain += time.Since(start)
		}
		b.ReportMetric(float64(emulated)/float64(plain), "x-plain-loops")
	})
}

// product is A * B^T with three loops.
func product(a, b []float32, n int) []float32 {
	c := make([]float32, n*n)
	for i := range n {
		for j := range n {
			s := float32(0)
			for k := range n {
				s += a[i*n+k] * b[j*n+k]
			}
			c[i*n+j] = s
		}
	}
	return c
}
