package languagetest_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// pairs are operands of floats: they round, overflow, cancel, and have every special value.
func pairs() [24][2]float32 {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	zero := float32(0)
	return [...][2]float32{
		{16777216, 1}, {0.1, 0.2}, {1, 3}, {3e38, 10}, {-3e38, 3e38}, {1e-40, 3}, {1e-45, 2}, {0, -5}, {0, 0}, {-zero, 0}, {-zero, -zero},
		{1, 0}, {-1, 0}, {inf, 1}, {inf, -inf}, {-inf, 0}, {nan, 1}, {2, nan}, {nan, nan}, {448.1, 0.5}, {-129.9, 255.5}, {5e9, -5e9}, {1e19, -1e19}, {1.5, 2.5},
	}
}

// onKnown runs a function on pairs that are known when the kernel is compiled.
func onKnown(f func(a, b float32) float64, out tile.InOut[doubles]) {
	for i, p := range pairs() {
		out.Store(doubles(f(p[0], p[1])), i)
	}
}

// onArguments runs a function on numbers of the launch.
func onArguments(f func(a, b float32) float64, a, b float32, out tile.Out[doubles]) {
	out.Store(doubles(f(a, b)))
}

func flag(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

// Variables that are known when the kernel is compiled compute in their type, as on the host and at run time.
func TestKnownFloats(t *testing.T) {
	dev := open(t)
	for _, c := range []struct {
		name string
		f    func(a, b float32) float64
	}{
		{"sum", func(a, b float32) float64 { return float64(a + b) }},
		{"absorbed", func(a, b float32) float64 { return flag(a+1 == a) + 2*flag(a+b == a) }},
		{"cancelled", func(a, b float32) float64 { return float64((a + b) - a) }},
		{"difference", func(a, b float32) float64 { return float64(a - b) }},
		{"product", func(a, b float32) float64 { return float64(a * b) }},
		{"overflow and back", func(a, b float32) float64 { return float64(a * 10 / 10) }},
		{"quotient", func(a, b float32) float64 { return float64(a / b) }},
		{"quotient of a constant", func(a, b float32) float64 { return float64(a/3 + 0.1) }},
		{"negated", func(a, b float32) float64 { return float64(-a) }},
		{"sign of zero", func(a, b float32) float64 { x := a - a; y := -x; return float64(1/y + b) }},
		{"in float64", func(a, b float32) float64 { return (float64(a) + float64(b)) * 0.1 }},
		{"to float32", func(a, b float32) float64 { x := float64(a) * 3e5; return float64(float32(x)) }},
		{"compared", func(a, b float32) float64 {
			return flag(a < b) + 2*flag(a <= b) + 4*flag(a == b) + 8*flag(a != b) + 16*flag(a > b) + 32*flag(a >= b) + 64*flag(a != a)
		}},
		{"compared with a constant", func(a, b float32) float64 { return flag(a == 0.1) + 2*flag(b < 0.2) + 4*flag(a != 0) }},
		{"least", func(a, b float32) float64 { return float64(min(a, b)) + 2*float64(min(a, 0.1)) }},
		{"greatest", func(a, b float32) float64 { return float64(max(a, b)) }},
		{"greatest inverted", func(a, b float32) float64 { return 1 / float64(max(a, b)*0) }},
		{"compound", func(a, b float32) float64 {
			a += b
			a *= 3
			a -= b
			a /= 7
			a++
			return float64(a)
		}},
		{"fields", func(a, b float32) float64 {
			s := struct{ x, y [1]float32 }{[1]float32{a}, [1]float32{b}}
			s.x[0] += s.y[0]
			return float64(s.x[0] - a)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			known := zeros[float64](t, dev, len(pairs()))
			if err := cutile.Launch(t.Context(), dev.Grid(1), onKnown, c.f, known); err != nil {
				t.Fatal(err)
			}
			out, folded := zeros[float64](t, dev, 1), values(t, known)
			for i, p := range pairs() {
				if err := cutile.Launch(t.Context(), dev, onArguments, c.f, p[0], p[1], out); err != nil {
					t.Fatal(err)
				}
				want := c.f(p[0], p[1])
				if !identical(folded[i], want) {
					t.Errorf("known: f(%g, %g) = %g, want %g", p[0], p[1], folded[i], want)
				}
				if got := values(t, out)[0]; !identical(got, want) {
					t.Errorf("at run time: f(%g, %g) = %g, want %g", p[0], p[1], got, want)
				}
			}
		})
	}
}

// identical reports whether two numbers are the same: NaN is itself, and zeros have signs.
func identical(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// A float that no integer of the type is becomes the nearest one, and NaN zero, folded and at run time. Go leaves that
// to the machine.
func TestFloatsToIntegers(t *testing.T) {
	dev := open(t)
	saturated := func(x float32, least, greatest float64) float64 {
		if x != x {
			return 0
		}
		return math.Trunc(min(max(float64(x), least), greatest))
	}
	for _, c := range []struct {
		name            string
		f               func(a, b float32) float64
		least, greatest float64
	}{
		{"int8", func(a, b float32) float64 { return float64(int8(a)) }, -128, 127},
		{"uint8", func(a, b float32) float64 { return float64(uint8(a)) }, 0, 255},
		{"int16", func(a, b float32) float64 { return float64(int16(a)) }, -1 << 15, 1<<15 - 1},
		{"uint16", func(a, b float32) float64 { return float64(uint16(a)) }, 0, 1<<16 - 1},
		{"int32", func(a, b float32) float64 { return float64(int32(a)) }, -1 << 31, 1<<31 - 1},
		{"uint32", func(a, b float32) float64 { return float64(uint32(a)) }, 0, 1<<32 - 1},
		{"int64", func(a, b float32) float64 { return float64(int64(a)) }, -1 << 63, 1 << 63},
		{"uint64", func(a, b float32) float64 { return float64(uint64(a)) }, 0, 1 << 64},
		{"int", func(a, b float32) float64 { return float64(int(a)) }, -1 << 63, 1 << 63},
		{"of float64", func(a, b float32) float64 { return float64(int32(float64(a))) }, -1 << 31, 1<<31 - 1},
		{"I8", func(a, b float32) float64 { return float64(tile.F32(tile.I8(a))) }, -128, 127},
	} {
		t.Run(c.name, func(t *testing.T) {
			known := zeros[float64](t, dev, len(pairs()))
			if err := cutile.Launch(t.Context(), dev.Grid(1), onKnown, c.f, known); err != nil {
				t.Fatal(err)
			}
			out, folded := zeros[float64](t, dev, 1), values(t, known)
			for i, p := range pairs() {
				if err := cutile.Launch(t.Context(), dev, onArguments, c.f, p[0], p[1], out); err != nil {
					t.Fatal(err)
				}
				want := saturated(p[0], c.least, c.greatest) + 0
				if folded[i] != want {
					t.Errorf("known: of %g: %g, want %g", p[0], folded[i], want)
				}
				if got := values(t, out)[0]; got != want {
					t.Errorf("at run time: of %g: %g, want %g", p[0], got, want)
				}
			}
		})
	}
}
