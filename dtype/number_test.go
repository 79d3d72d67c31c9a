package dtype_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/elem"
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

// TestRows holds that the rows of the table stand in the order of the constants.
func TestRows(t *testing.T) {
	for i, row := range elem.Table {
		if goType := dtype.Type(i).GoType(); (goType == nil) != (i == 0) || goType != nil && goType.Name() != row.Go {
			t.Errorf("%v is %v in Go, and %s in its row", dtype.Type(i), goType, row.Go)
		}
	}
	if n := len(elem.Table); dtype.Type(n).String() != fmt.Sprintf("Type(%d)", n) {
		t.Errorf("%d rows, but a type %v", n, dtype.Type(n))
	}
}

// TestQuickConversions holds the conversions of wide formats, which are written for speed, against the codec.
func TestQuickConversions(t *testing.T) {
	for _, c := range []struct {
		t     dtype.Type
		quick func(float64) uint64
		value func(uint64) float64
	}{
		{dtype.F16, func(f float64) uint64 { return uint64(dtype.Float16FromFloat64(f)) }, func(b uint64) float64 { return dtype.Float16(b).Float64() }},
		{dtype.BF16, func(f float64) uint64 { return uint64(dtype.BFloat16FromFloat64(f)) }, func(b uint64) float64 { return dtype.BFloat16(b).Float64() }},
		{dtype.TF32, func(f float64) uint64 { return uint64(dtype.TensorFloat32FromFloat64(f)) }, func(b uint64) float64 { return dtype.TensorFloat32(b).Float64() }},
		{dtype.F32, func(f float64) uint64 { return uint64(math.Float32bits(float32(f))) }, func(b uint64) float64 { return float64(math.Float32frombits(uint32(b))) }},
	} {
		r := rand.New(rand.NewPCG(5, 6))
		specials := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1), 65504, 65519.99, 65520, 5e-324}
		for i := range 100_000 {
			f := math.Float64frombits(r.Uint64()&^(0x7ff<<52) | uint64(1023-160+r.IntN(320))<<52)
			if i%3 == 0 { // a tie, or nearly so
				f = math.Float64frombits(math.Float64bits(f)&^(1<<30-1) + uint64(r.IntN(3)) - 1)
			}
			if i < len(specials) {
				f = specials[i]
			}
			got, want := c.quick(f), c.t.FloatBits(f)
			if got != want {
				t.Fatalf("%v of %v is %#x, want %#x", c.t, f, got, want)
			}
			if x, y := c.value(got), c.t.FloatFromBits(got); math.Float64bits(x) != math.Float64bits(y) && x == x {
				t.Fatalf("%v %#x is %v, want %v", c.t, got, x, y)
			}
		}
	}
}
