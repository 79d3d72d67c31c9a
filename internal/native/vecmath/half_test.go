package vecmath_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/native/vecmath/mathloops"
)

// TestHalf computes with every number of 16 bits as the engine does, in float32 with a rounding afterwards.
func TestHalf(t *testing.T) {
	const bound = 0.501
	for _, name := range []string{"f16", "bf16"} {
		f := elem.ByIR(name).Format
		a, d := make([]float32, 1<<16), make([]float32, 1<<16)
		for code := range a {
			a[code] = float32(f.Decode(uint64(code)))
		}
		for function, loop := range mathloops.Unary {
			loop(d, a)
			most := 0.0
			for i, x := range a {
				want := references[function](float64(x))
				got := f.Decode(f.Encode(float64(d[i]), elem.Nearest, false))
				u := formatUlps(f, got, want)
				if most = max(most, u); !(u <= bound) {
					t.Errorf("%s of %s: %v becomes %v, want %v, which is %.4f ulp away; the bound is %g", function, name, x, got, want, u, bound)
					break
				}
			}
			t.Logf("%s of %s: the greatest error is %.4f ulp", function, name, most)
		}
	}
}

// formatUlps is [ulps] for a format.
func formatUlps(f *elem.Format, got, want float64) float64 {
	if want != want && got != got {
		return 0
	}
	low, high := f.Exponents()
	limit := math.Ldexp(1, high+1) // what infinity counts as
	got, want = max(-limit, min(limit, got)), max(-limit, min(limit, want))
	if got == want {
		return 0
	}
	return math.Abs(got-want) * math.Ldexp(1, f.Man-max(low, math.Ilogb(want)))
}
