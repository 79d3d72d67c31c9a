package bench

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/names"
)

// TestTicks: round values on the axis, and few of them, whatever lies on it.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		values []float64
		log    bool
		n      int
		want   string
	}{
		{[]float64{0, 10}, false, 5, "[0 5 10]"}, {[]float64{1, 1000}, true, 5, "[1 10 100 1000]"}, {[]float64{3, 30}, true, 8, "[5 10 20]"},
		{[]float64{-3, 3}, false, 4, "[-2 0 2]"}, {[]float64{100, 120}, true, 4, "[100 120]"}, {nil, false, 2, "[0 1]"},
	} {
		a := newAxis(c.values, c.log, false)
		if got := fmt.Sprint(a.ticks(c.n)); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
	for _, lo := range []float64{-math.MaxFloat64, -1e17, -1, 0, 5e-324, 1e-300, 1, 1e17, 1e300} {
		for _, hi := range []float64{0, 5e-324, 1, 1e17, 1e17 + 16, math.Nextafter(1, 2), 1e300, math.MaxFloat64} {
			for _, log := range []bool{false, true} {
				a := newAxis([]float64{lo, hi, math.NaN(), math.Inf(1)}, log, false)
				list := a.ticks(6)
				if len(list) > 24 {
					t.Errorf("%g to %g: %d ticks", lo, hi, len(list))
				}
				for i, v := range list {
					if !(v >= a.lo && v <= a.hi) || i > 0 && v <= list[i-1] {
						t.Errorf("%g to %g, logarithmic %v: the ticks are %v", lo, hi, log, list)
					}
				}
			}
		}
	}
}

// TestUnits: numbers for people.
func TestUnits(t *testing.T) {
	for got, want := range map[string]string{
		unit(1234, "B/s"): "1.23 kB/s", unit(999.9, "B/s"): "1.00 kB/s", unit(0, "s"): "0 s", unit(1e-12, "s"): "0.00100 ns", unit(12345, "s"): "12300 s", unit(1e22, "B/s"): "10000 EB/s",
		unit(math.Inf(1), "s"): "+Inf s", number(4096): "4096", number(0.25): "0.25", number(1e20): "1e+20", short(1 << 20): "1Mi", short(3 << 30): "3Gi", short(1e6): "1M", short(100000): "100000",
		short(math.Copysign(0, -1)): "0", names.ThreeDigits(9.996): "10.0", names.ThreeDigits(123456): "123000", tick("B/s")(2e9): "2 GB/s", tick("")(0.5): "500 m",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
