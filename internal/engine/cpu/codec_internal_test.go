package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/tileir"
)

// TestNarrowingMatchesCodec holds the loops that round float32, which are written for speed, and those that widen against
// the codec of the table, for each float narrower than 32 bits and each rounding mode that is a direction.
func TestNarrowingMatchesCodec(t *testing.T) {
	xs := numbers32(20_000)
	for _, row := range elem.Table {
		if row.Format == nil || row.Bits >= 32 {
			continue
		}
		e, ok := tileir.ElemByName(row.IR)
		if !ok {
			t.Errorf("%s: Tile IR has no such element", row.Name)
			continue
		}
		modes := []rounding{tileir.RoundingNearestEven, tileir.RoundingZero}
		if e == tileir.F16 || e == tileir.BF16 {
			modes = append(modes, tileir.RoundingNegativeInf, tileir.RoundingPositiveInf)
		}
		for _, mode := range modes {
			run := narrowing(e, mode)
			if run == nil || toFloat64[e] == nil || row.Bits <= 16 && widening[e] == nil {
				t.Errorf("%s: a conversion is missing", row.Name)
				continue
			}
			out := make([]uint64, len(xs))
			run(ptr(&out[0]), ptr(&xs[0]), nil, nil, len(xs))
			for i, x := range xs {
				got := element(ptr(&out[0]), i, row.Size)
				want := row.Format.Encode(float64(x), directions[mode], row.Bits <= 8) << row.Format.Pad
				value, exact := row.Format.Decode(got>>row.Format.Pad), 0.0
				toFloat64[e](ptr(&exact), ptr(&got), nil, nil, 1)
				if got != want && !(x != x && value != value) || math.Float64bits(exact) != math.Float64bits(value) && value == value {
					t.Fatalf("%s of %v in mode %d is %#x (%v), want %#x (%v)", row.Name, x, mode, got, exact, want, row.Format.Decode(want>>row.Format.Pad))
				}
			}
		}
	}
}

// element reads an element of so many bytes.
func element(p ptr, i, size int) (bits uint64) {
	for k, b := range slice[byte](p, (i+1)*size)[i*size:] {
		bits |= uint64(b) << (8 * k)
	}
	return bits
}

// numbers32 are numbers of every magnitude, many of them ties, and those that no format treats as others.
func numbers32(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	inf := float32(math.Inf(1))
	xs := []float32{0, float32(math.Copysign(0, -1)), inf, -inf, float32(math.NaN()), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32}
	for len(xs) < n {
		bits := r.Uint32()
		if r.IntN(2) == 0 {
			bits = bits&^(1<<uint(r.IntN(23))-1) + uint32(r.IntN(3)) - 1
		}
		if x := math.Float32frombits(bits); x == x {
			xs = append(xs, x)
		}
	}
	return xs
}

func BenchmarkNarrowSmall(b *testing.B) {
	xs := numbers32(4096)
	for i := range xs {
		xs[i] = float32(math.Ldexp(float64(xs[i]), -int(math.Ilogb(float64(xs[i])))+i%12-6))
	}
	out, run := make([]byte, len(xs)), narrowing(tileir.F8E4M3FN, tileir.RoundingNearestEven)
	for b.Loop() {
		run(ptr(&out[0]), ptr(&xs[0]), nil, nil, len(xs))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(xs)), "ns/element")
}
