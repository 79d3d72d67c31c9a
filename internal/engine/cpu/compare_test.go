package cpu_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestCompareFloats: every predicate, ordered and unordered, of numbers, infinities, zeros and NaN, in every float type and
// by scalars. An ordered comparison with NaN does not hold, an unordered one does.
func TestCompareFloats(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	special := []float64{0, math.Copysign(0, -1), 1, -1, 2, 0.5, math.Inf(1), math.Inf(-1), math.NaN(), -0.25, 448, 4}
	var x, y []float64
	for _, a := range special {
		for _, b := range special {
			x, y = append(x, a), append(y, b)
		}
	}
	for len(x) < 256 {
		x, y = append(x, 1), append(y, 1)
	}
	predicates := map[tileir.Int]func(a, b float64) bool{
		tileir.CompareEqual: func(a, b float64) bool { return a == b }, tileir.CompareNotEqual: func(a, b float64) bool { return a < b || a > b },
		tileir.CompareLessThan: func(a, b float64) bool { return a < b }, tileir.CompareLessThanOrEqual: func(a, b float64) bool { return a <= b },
		tileir.CompareGreaterThan: func(a, b float64) bool { return a > b }, tileir.CompareGreaterThanOrEqual: func(a, b float64) bool { return a >= b },
	}
	for _, f := range formats {
		in := []input{{f.elem, f.encode(x)}, {f.elem, f.encode(y)}}
		for p, holds := range predicates {
			for _, ordering := range []tileir.Int{tileir.CompareOrdered, tileir.CompareUnordered} {
				as := attrs{"comparison_predicate": p, "comparison_ordering": ordering}
				got, err := runTiles(t, d, in, func(k *kernel, args vals) *tileir.Value {
					return k.one("cmpf", args, as, tileir.Tile(tileir.I1, len(x)))
				})
				if err != nil {
					t.Fatal(err)
				}
				for i, g := range got {
					want := holds(x[i], y[i]) || ordering == tileir.CompareUnordered && (x[i] != x[i] || y[i] != y[i])
					if (g != 0) != want || g > 1 {
						t.Errorf("%v: predicate %d, ordering %d of %g and %g: %d, want %t", f.elem, p, ordering, x[i], y[i], g, want)
					}
				}
			}
		}
	}
}

// TestCompareInts: every predicate, signed and unsigned, in every width and for truth values.
func TestCompareInts(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	special := []int64{0, 1, -1, 2, -2, math.MaxInt8, math.MinInt8, math.MaxInt16, math.MinInt16, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, 100, -100, 7}
	var x, y []int64
	for _, a := range special {
		for _, b := range special {
			x, y = append(x, a), append(y, b)
		}
	}
	holds := map[tileir.Int]func(c int) bool{
		tileir.CompareEqual: func(c int) bool { return c == 0 }, tileir.CompareNotEqual: func(c int) bool { return c != 0 },
		tileir.CompareLessThan: func(c int) bool { return c < 0 }, tileir.CompareLessThanOrEqual: func(c int) bool { return c <= 0 },
		tileir.CompareGreaterThan: func(c int) bool { return c > 0 }, tileir.CompareGreaterThanOrEqual: func(c int) bool { return c >= 0 },
	}
	for _, e := range append([]tileir.Elem{tileir.I1}, sizes...) {
		bits := e.Bits()
		encode := func(v []int64) []byte {
			if e != tileir.I1 {
				return encodeInts(e, v)
			}
			out := make([]byte, len(v))
			for i := range v {
				out[i] = byte(v[i] & 1)
			}
			return out
		}
		for p, of := range holds {
			for _, signed := range []bool{false, true} {
				sign := tileir.Unsigned
				if signed {
					sign = tileir.Signed
				}
				got, err := runTiles(t, d, []input{{e, encode(x)}, {e, encode(y)}}, func(k *kernel, args vals) *tileir.Value {
					return k.one("cmpi", args, attrs{"comparison_predicate": p, "signedness": sign}, tileir.Tile(tileir.I1, len(x)))
				})
				if err != nil {
					t.Fatal(err)
				}
				for i, g := range got {
					if want := of(ordering(x[i], y[i], bits, signed)); (g != 0) != want || g > 1 {
						t.Errorf("%v: predicate %d, signed %t, of %d and %d: %d, want %t", e, p, signed, x[i], y[i], g, want)
					}
				}
			}
		}
	}
}

// ordering compares the low bits of two numbers: -1, 0 or 1.
func ordering(x, y int64, bits int, signed bool) int {
	a, b := uint64(x)<<(64-bits), uint64(y)<<(64-bits)
	if signed { // the least number becomes 0
		a, b = a^1<<63, b^1<<63
	}
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
