package languagetest_test

import (
	"math"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

type doubles = tile.F64T1[tile.D1]

// number runs a function of floats in a kernel.
func number(f func(float64) float64, x float64, out tile.Out[doubles]) {
	out.Store(doubles(f(x)))
}

// asks runs a function of floats on the CPU engine.
func asks(t *testing.T, dev *cutile.Device, f func(float64) float64, x float64) (float64, error) {
	out := zeros[float64](t, dev, 1)
	err := cutile.Launch(t.Context(), dev, number, f, x, out)
	if err != nil {
		return 0, err
	}
	return values(t, out)[0], nil
}

const halfTenth tile.F16 = 0.1

// A constant that is converted to an element type and back is rounded on the way.
func TestConstantsAreRounded(t *testing.T) {
	const inner = tile.F64(tile.F16(1) / 3)
	dev := open(t)
	for _, c := range []struct {
		name string
		f    func(float64) float64
		elem dtype.Type
		of   float64
	}{
		{"f16", func(float64) float64 { return float64(tile.F16(0.1)) }, dtype.F16, 0.1},
		{"f16 to f32", func(float64) float64 { return float64(tile.F32(tile.F16(0.1))) }, dtype.F16, 0.1},
		{"bf16", func(float64) float64 { return float64(tile.BF16(0.1)) }, dtype.BF16, 0.1},
		{"tf32", func(float64) float64 { return float64(tile.TF32(0.1)) }, dtype.TF32, 0.1},
		{"f32", func(float64) float64 { return float64(tile.F32(0.1)) }, dtype.F32, 0.1},
		{"float32", func(float64) float64 { return float64(float32(0.1)) }, dtype.F32, 0.1},
		{"f8e4m3", func(float64) float64 { return float64(tile.F8E4M3(0.1)) }, dtype.F8E4M3FN, 0.1},
		{"f8e5m2", func(float64) float64 { return float64(tile.F8E5M2(0.1)) }, dtype.F8E5M2, 0.1},
		{"f8e8m0", func(float64) float64 { return float64(tile.F8E8M0(4)) }, dtype.F64, 4},
		{"f4e2m1", func(float64) float64 { return float64(tile.F4E2M1(0.6)) }, dtype.F64, 0.5},
		{"to even", func(float64) float64 { return float64(tile.F16(2049)) }, dtype.F64, 2048},
		{"difference", func(float64) float64 { return float64(tile.F32(tile.F16(2049) - 2048)) }, dtype.F64, 0},
		{"product", func(float64) float64 { return float64(tile.F16(0.1) * 3) }, dtype.F16, 0.0999755859375 * 3},
		{"of a tile", func(float64) float64 { return float64(tile.F32(tile.F16T1[tile.D4](0.1))) }, dtype.F16, 0.1},
		{"declared", func(float64) float64 { return float64(halfTenth) }, dtype.F16, 0.1},
		{"declared inside", func(float64) float64 { return float64(inner) }, dtype.F16, 1 / 3.},
		{"double rounding", func(float64) float64 { return float64(tile.F16(1 + 0x1p-11 + 0x1p-60)) }, dtype.F64, 1 + 0x1p-10},
		{"exact", func(float64) float64 { const big = 1 << 80; return float64(tile.F16(big * 0.1 / big)) }, dtype.F16, 0.1},
		{"comparison", func(float64) float64 {
			if tile.F16(2049) == 2048 && tile.F16(0.1) != tile.F16(0.1)*1.5 {
				return 1
			}
			return 0
		}, dtype.F64, 1},
		{"integers", func(float64) float64 { return float64(tile.F32(tile.I8(100)/7) + tile.F32(tile.I4(7)>>1)) }, dtype.F64, 17},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := asks(t, dev, c.f, 0)
			if err != nil {
				t.Fatal(err)
			}
			if want := c.elem.FloatFromBits(c.elem.FloatBits(c.of)); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// narrowTo converts a constant to a type that is a parameter.
func narrowTo[T tile.NumTile]() T { return T(300) }

// A constant that a typed step does not hold is refused, as Go refuses a constant that overflows.
func TestConstantsThatDoNotFit(t *testing.T) {
	dev := open(t)
	for want, f := range map[string]func(float64) float64{
		"the constant 300 does not fit in int8":          func(float64) float64 { return float64(tile.F32(tile.I8(300))) },
		"the constant 70000 does not fit in float16":     func(float64) float64 { return float64(tile.F32(tile.F16(70000))) },
		"the constant 120000 does not fit in float16":    func(float64) float64 { return float64(tile.F16(60000) * 2) },
		"the constant 8 does not fit in int4":            func(float64) float64 { return float64(tile.I4(7) + 1) },
		"the constant 256 does not fit in uint8":         func(float64) float64 { return float64(tile.U8(255) + 1) },
		"the constant 500 does not fit in float8_e4m3fn": func(float64) float64 { return float64(tile.F8E4M3(500)) },
		"the constant 300 does not fit in uint8":         func(float64) float64 { return float64(narrowTo[tile.U8]()) },
		"the constant +Inf is not an integer":            func(float64) float64 { return float64(int32(math.Inf(1))) },
		"division by zero":                               func(float64) float64 { return float64(1 / tile.F16(1e-9)) },
		"the constant 128 does not fit in int8":          func(x float64) float64 { n := tile.I8(1); return x + float64(n+128) },
		"the constant 100000 does not fit in float16":    func(x float64) float64 { n := tile.F16(1); return x + float64(n*100000) },
	} {
		if _, err := asks(t, dev, f, 0); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "constants_test.go:") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
