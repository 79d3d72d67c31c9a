package vecmath_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vecmath"
	"github.com/cutile-go/cutile/internal/native/vecmath/mathloops"
)

// edges are numbers that functions of two operands treat in ways of their own.
var edges = []float32{
	0, float32(math.Copysign(0, -1)), 0x1p-149, -0x1p-149, 0x1p-126, -0x1p-126, 1 - 0x1p-24, 1, 1 + 0x1p-23, -1 + 0x1p-24, -1, -1 - 0x1p-23, 0.5, -0.5, 1.5, -1.5,
	2, -2, 3, -3, 1<<23 + 0.5, 1<<23 + 1, -1<<23 - 1, 1<<24 - 1, 1 << 24, 127, 128, -126, -149, -150, -151, math.MaxFloat32, -math.MaxFloat32,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
}

// pairs are all pairs of edges, and others.
func pairs() (a, b []float32) {
	r := seeded()
	for _, x := range edges {
		for _, y := range edges {
			a, b = append(a, x), append(b, y)
		}
	}
	for range 200000 {
		x := math.Float32frombits(r.Uint32())
		y := math.Float32frombits(r.Uint32())
		a, b = append(a, x, float32(r.NormFloat64()), float32(r.ExpFloat64()*4)), append(b, y, float32(r.NormFloat64()), float32(r.NormFloat64()*20))
		// Powers that are near the limits, and points of similar coordinates.
		p := float32(math.Exp(r.NormFloat64()))
		a, b = append(a, p, x), append(b, float32((r.Float64()*290-160)/math.Log2(float64(p))), x*float32(math.Exp(r.NormFloat64())))
	}
	return a, b
}

// TestBinary compares functions of two floats with float64.
func TestBinary(t *testing.T) {
	a, b := pairs()
	d := make([]float32, len(a))
	for name, ref := range map[string]func(x, y float64) float64{"Atan2": math.Atan2, "PowF": math.Pow, "RemF": math.Mod} {
		mathloops.Binary[name](d, a, b)
		most, bound := 0.0, vecmath.ByName(name).ULP
		for i := range d {
			want := ref(float64(a[i]), float64(b[i]))
			u := ulps(d[i], want)
			most = max(most, u)
			if !(u <= bound) {
				t.Errorf("%s(%v, %v) = %v, want %v, which is %.4f ulp away; the bound is %g", name, a[i], b[i], d[i], want, u, bound)
				break
			}
		}
		t.Logf("%s: the greatest error of %d results is %.4f ulp", name, len(d), most)
	}
}

// TestPowInt compares powers with integers with float64, and the parity of exponents that float64 does not have.
func TestPowInt(t *testing.T) {
	r := seeded()
	var a []float32
	var n32 []int32
	var n64 []int64
	for _, x := range edges {
		for _, n := range []int32{0, 1, -1, 2, -2, 3, -3, 127, 128, 149, -150, 1<<24 + 1, math.MaxInt32, math.MinInt32, math.MinInt32 + 1} {
			a, n32, n64 = append(a, x), append(n32, n), append(n64, int64(n))
		}
	}
	for range 100000 {
		n := int32(r.Uint32()) >> r.IntN(32)
		a, n32, n64 = append(a, float32(r.NormFloat64()), float32(math.Exp(80/float64(n)))), append(n32, n, n), append(n64, int64(n), int64(n))
	}
	d, e := make([]float32, len(a)), make([]float32, len(a))
	mathloops.PowI32(d, a, n32)
	mathloops.PowI64(e, a, n64)
	for i := range d {
		want := math.Pow(float64(a[i]), float64(n32[i]))
		if u := ulps(d[i], want); !(u <= vecmath.ByName("PowI32").ULP) || math.Float32bits(d[i]) != math.Float32bits(e[i]) && d[i] == d[i] {
			t.Fatalf("%v to the power of %d is %v and %v, want %v", a[i], n32[i], d[i], e[i], want)
		}
	}
	for n, want := range map[int64]float32{1<<62 + 1: -1, math.MaxInt64: -1, math.MinInt64: 1, math.MinInt64 + 1: -1} {
		if mathloops.PowI64(d[:1], []float32{-1}, []int64{n}); d[0] != want {
			t.Errorf("-1 to the power of %d is %v", n, d[0])
		}
	}
}
