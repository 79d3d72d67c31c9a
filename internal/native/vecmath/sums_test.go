package vecmath_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vecmath"
)

// TestBySums compares the exponential functions for machines that round slowly with those for CPUs, bit by bit.
func TestBySums(t *testing.T) {
	xs := sample(seeded())
	for i := range 1 << 18 { // where results are neither 0 nor infinite
		xs = append(xs, float32(i)*0x1p-10-165+float32(i%7)*0x1p-14)
	}
	for name, c := range map[string][2]func(b *vec.Builder, x vec.Reg) vec.Reg{
		"exp": {vecmath.Exp, vecmath.ExpBySums}, "exp2": {vecmath.Exp2, vecmath.Exp2BySums},
	} {
		compare(t, name, xs, []float32(nil), convert[float32](vec.F32, vec.F32, c[1], xs), convert[float32](vec.F32, vec.F32, c[0], xs))
	}
}
