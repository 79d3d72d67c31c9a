package simttest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/dtype"
)

// Float32s rounds numbers.
func Float32s(x []float64) []float32 { return each(x, func(v float64) float32 { return float32(v) }) }

// Float16s rounds numbers.
func Float16s(x []float64) []dtype.Float16 { return each(x, dtype.Float16FromFloat64) }

func each[To any](x []float64, f func(float64) To) []To {
	out := make([]To, len(x))
	for i, v := range x {
		out[i] = f(v)
	}
	return out
}

// Near holds what a kernel computed against a reference. Each number may differ by tolerance, times its size where that is
// above 1.
func Near[E float32 | dtype.Float16](t testing.TB, got []E, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d elements, want %d", len(got), len(want))
	}
	for i, w := range want {
		if g := number(got[i]); !(math.Abs(g-w) <= tolerance*max(1, math.Abs(w))) {
			t.Fatalf("element %d is %v, want %v", i, g, w)
		}
	}
}

func number[E float32 | dtype.Float16](x E) float64 {
	if h, ok := any(x).(dtype.Float16); ok {
		return h.Float64()
	}
	return float64(any(x).(float32))
}

// Numbers are n numbers from -2 up to 2, which a float16 has, too; another seed gives others.
func Numbers(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(r.IntN(64)-32) / 16
	}
	return x
}

// Product is the product of a (m,k) and the transpose of b (n,k).
func Product(a, b []float64, m, n, k int) []float64 {
	c := make([]float64, m*n)
	for i := range c {
		for p := range k {
			c[i] += a[i/n*k+p] * b[i%n*k+p]
		}
	}
	return c
}
