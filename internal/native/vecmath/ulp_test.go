package vecmath_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vecmath"
	"github.com/cutile-go/cutile/internal/native/vecmath/mathloops"
)

// reference is a function in float64.
type reference func(x float64) float64

// references are the functions of one operand.
var references = map[string]reference{
	"Exp": math.Exp, "Exp2": math.Exp2, "Log": math.Log, "Log2": log2, "Sin": math.Sin, "Cos": math.Cos, "Tan": math.Tan,
	"Sinh": math.Sinh, "Cosh": math.Cosh, "Tanh": math.Tanh, "Rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) }, "Sqrt": math.Sqrt,
}

// log2 keeps the digits of logarithms near 1, which [math.Log2] does not.
func log2(x float64) float64 {
	if x > 0.5 && x < 2 {
		return math.Log1p(x-1) * math.Log2E
	}
	return math.Log2(x)
}

// ulps is the distance of a result from the exact one in units in the last place of float32, those of a subnormal number
// where it is smaller. A result beyond the greatest number counts as the next power of two. A wrong sign is infinitely far.
func ulps(got float32, want float64) float64 {
	g := float64(got)
	switch {
	case want != want && g != g:
		return 0
	case want != want || g != g || math.Signbit(g) != math.Signbit(want) || math.IsInf(want, 0) && !math.IsInf(g, 0):
		return math.Inf(1)
	case math.Abs(want) >= 0x1p128:
		want = math.Copysign(0x1p128, want)
	}
	if math.IsInf(g, 0) {
		g = math.Copysign(0x1p128, g)
	}
	if want == 0 {
		return math.Abs(g) / 0x1p-149
	}
	return math.Abs(g-want) * math.Ldexp(1, 23-max(math.Ilogb(want), -126))
}

// worst is the greatest error of a function of one operand, and where it is.
type worst struct {
	ulps float64
	at   float32
}

func (w *worst) see(name string, d, a []float32) {
	ref := references[name]
	for i, x := range a {
		want := ref(float64(x))
		if w.ulps >= 0.5 && d[i] == float32(want) && d[i] != 0 {
			continue // cannot be worse, and counting takes long
		}
		if u := ulps(d[i], want); u > w.ulps {
			*w = worst{u, x}
		}
	}
}

func (w *worst) check(t *testing.T, f *vecmath.Function) {
	t.Helper()
	d := []float32{w.at}
	mathloops.Unary[f.Name](d, d)
	t.Logf("%s: the greatest error is %.4f ulp, at %v (%#08x)", f.Name, w.ulps, w.at, math.Float32bits(w.at))
	if !(w.ulps <= f.ULP) {
		t.Errorf("%s(%v) = %v, want %v, which is %.4f ulp away; the bound is %g", f.Name, w.at, d[0], references[f.Name](float64(w.at)), w.ulps, f.ULP)
	}
}
