package dtype_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/dtype"
)

func TestHolds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		t   dtype.Type
		f   float64
		yes bool
	}{
		{dtype.F16, 65504, true}, {dtype.F16, 65519, true}, {dtype.F16, 65520, false}, {dtype.F16, inf, true}, {dtype.F16, nan, true},
		{dtype.F32, 1e39, false}, {dtype.F64, 1e300, true}, {dtype.TF32, 1e39, false}, {dtype.BF16, -1e39, false},
		{dtype.F8E4M3FN, 448, true}, {dtype.F8E4M3FN, 449, false}, {dtype.F8E4M3FN, -448, true}, {dtype.F8E4M3FN, inf, false}, {dtype.F8E4M3FN, nan, true},
		{dtype.F8E5M2, 57344, true}, {dtype.F8E5M2, -57345, false}, {dtype.F8E5M2, -inf, false}, {dtype.F8E4M3FN, 1e-30, true},
		{dtype.F8E8M0FNU, 0x1p127, true}, {dtype.F8E8M0FNU, 0, true}, {dtype.F8E8M0FNU, -1, false}, {dtype.F8E8M0FNU, 0x1.8p127, false},
		{dtype.F4E2M1FN, 6, true}, {dtype.F4E2M1FN, 7, false}, {dtype.F4E2M1FN, nan, false}, {dtype.F8E5M3FNU, 114688, true}, {dtype.F8E5M3FNU, 114689, false}, {dtype.F8E5M3FNU, -1, false},
	} {
		if got := c.t.Holds(c.f); got != c.yes {
			t.Errorf("%v holds %v: %t", c.t, c.f, got)
		}
	}
}

// TestFloatBits holds that the conversions by type are those of the Go types.
func TestFloatBits(t *testing.T) {
	for _, c := range []struct {
		t    dtype.Type
		want uint64
	}{
		{dtype.F16, 0x3e00}, {dtype.BF16, 0x3fc0}, {dtype.F32, 0x3fc00000}, {dtype.F64, 0x3ff8000000000000}, {dtype.TF32, 0x3fc00000},
		{dtype.F8E4M3FN, 0x3c}, {dtype.F8E5M2, 0x3e}, {dtype.F8E8M0FNU, 0x80}, {dtype.F8E5M3FNU, 0x7c}, {dtype.F4E2M1FN, 3},
	} {
		if got := c.t.FloatBits(1.5); got != c.want {
			t.Errorf("%v of 1.5 is %#x, want %#x", c.t, got, c.want)
		}
		if want := 1.5; c.t != dtype.F8E8M0FNU && c.t.FloatFromBits(c.want) != want {
			t.Errorf("%v %#x is %v", c.t, c.want, c.t.FloatFromBits(c.want))
		}
	}
}
