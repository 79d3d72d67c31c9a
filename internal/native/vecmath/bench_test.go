package vecmath_test

import (
	"math"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/native/vecmath"
	"github.com/cutile-go/cutile/internal/native/vecmath/mathloops"
)

// BenchmarkLoops prints the time of an element in the loop that is generated, and its ratio to that of the same function
// of package math, computed in float64 and rounded.
func BenchmarkLoops(b *testing.B) {
	const n = 1024
	a, d := make([]float32, n), make([]float32, n)
	r := seeded()
	for i := range a {
		a[i] = float32(math.Abs(r.NormFloat64() * 4))
	}
	for i := range vecmath.Functions {
		f := &vecmath.Functions[i]
		loop, ref := mathloops.Unary[f.Name], references[f.Name]
		if loop == nil {
			continue
		}
		b.Run(f.Name, func(b *testing.B) {
			ours, plain := time.Hour, time.Hour // the least that was seen
			for b.Loop() {
				start := time.Now()
				loop(d, a)
				middle := time.Now()
				for i, x := range a {
					d[i] = float32(ref(float64(x)))
				}
				ours, plain = min(ours, middle.Sub(start)), min(plain, time.Since(middle))
			}
			b.ReportMetric(float64(ours.Nanoseconds())/n, "ns/element")
			b.ReportMetric(ours.Seconds()/plain.Seconds(), "of-math")
			b.ReportMetric(0, "ns/op")
		})
	}
}
