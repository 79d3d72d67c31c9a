package dtype_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
)

// TestFloats holds conversions of slices against those of single numbers, which other tests hold against the definitions of
// the formats: every special number, ties, their neighbours, and random numbers of every magnitude.
func TestFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	numbers := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, 1e300, -1e300, 1 << 24, 65504, 65519.99, 65520, 448, 464, 465, 0x1p-127, 0x1.8p-127, 0x1.7p-127}
	for range 300_000 {
		f := math.Float64frombits(r.Uint64()&^(0x7ff<<52) | uint64(1023-160+r.IntN(320))<<52)
		if r.IntN(2) == 0 { // a number of few digits, or one close to it
			f = math.Float64frombits(math.Float64bits(f)&^(1<<48-1) + uint64(r.IntN(3)) - 1)
		}
		numbers = append(numbers, f, float64(float32(f)))
	}
	floats[dtype.Float16](t, numbers)
	floats[dtype.BFloat16](t, numbers)
	floats[dtype.TensorFloat32](t, numbers)
	floats[dtype.Float8E4M3FN](t, numbers)
	floats[dtype.Float8E5M2](t, numbers)
	floats[dtype.Float8E8M0FNU](t, numbers)
	floats[dtype.Float8E5M3FNU](t, numbers)
	floats[float32](t, numbers)
	floats[float64](t, numbers)
	if got := dtype.Floats[dtype.Float16]([]float32(nil)); len(got) != 0 {
		t.Error(got)
	}
}

func floats[E dtype.Float](t *testing.T, numbers []float64) {
	t.Helper()
	typ := dtype.Of[E]()
	singles := make([]float32, len(numbers))
	for i, f := range numbers {
		singles[i] = float32(f)
	}
	from64, from32 := dtype.Floats[E](numbers), dtype.Floats[E](singles)
	to32, to64 := dtype.Float32s(from64), dtype.Float64s(from64)
	same := func(what string, i int, got, want float64) {
		if math.Float64bits(got) != math.Float64bits(want) && (got == got || want == want) {
			t.Fatalf("%v of %v (%x): %s gives %v, want %v", typ, numbers[i], numbers[i], what, got, want)
		}
	}
	for i, f := range numbers {
		bits := typ.FloatBits(f)
		value := typ.FloatFromBits(bits)
		if got := bitsOf(from64[i]); got != bits && f == f {
			t.Fatalf("%v of %v is %#x, want %#x", typ, f, got, bits)
		}
		if got, want := bitsOf(from32[i]), typ.FloatBits(float64(singles[i])); got != want && f == f {
			t.Fatalf("%v of the float32 %v is %#x, want %#x", typ, singles[i], got, want)
		}
		same("Float64s", i, to64[i], value)
		same("Float32s", i, float64(to32[i]), float64(float32(value)))
	}
}

func bitsOf[E dtype.Float](x E) uint64 {
	b := unsafe.Slice((*byte)(unsafe.Pointer(&x)), unsafe.Sizeof(x))
	n := uint64(0)
	for i, x := range b {
		n |= uint64(x) << (8 * i)
	}
	return n
}

// TestFloatsOracle compares with ml_dtypes, which has no greatest finite number in the place of infinities.
func TestFloatsOracle(t *testing.T) {
	var xs []float32
	var want [][]string
	for _, line := range strings.Split(strings.TrimSpace(smallFloats), "\n") {
		words := strings.Fields(line)
		bits, err := strconv.ParseUint(words[0], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		if x := math.Float32frombits(uint32(bits)); math.Abs(float64(x)) <= 448 {
			xs, want = append(xs, x), append(want, words[1:])
		}
	}
	if len(xs) < 100 {
		t.Fatalf("%d numbers", len(xs))
	}
	for i, b := range dtype.Floats[dtype.Float8E4M3FN](xs) {
		if got := strconv.FormatUint(uint64(b), 16); got != strings.TrimLeft(want[i][0], "0") && want[i][0] != "00" {
			t.Errorf("float8_e4m3fn of %v is %s, want %s", xs[i], got, want[i][0])
		}
	}
	for i, b := range dtype.Floats[dtype.Float8E5M2](xs) {
		if got := strconv.FormatUint(uint64(b), 16); got != strings.TrimLeft(want[i][1], "0") && want[i][1] != "00" {
			t.Errorf("float8_e5m2 of %v is %s, want %s", xs[i], got, want[i][1])
		}
	}
}

func BenchmarkFloats(b *testing.B) {
	xs := make([]float32, 1<<20)
	for i := range xs {
		xs[i] = float32(i%1000) - 500.3
	}
	b.Run("float16", func(b *testing.B) { benchmarkFloats[dtype.Float16](b, xs) })
	b.Run("bfloat16", func(b *testing.B) { benchmarkFloats[dtype.BFloat16](b, xs) })
	b.Run("float8_e4m3fn", func(b *testing.B) { benchmarkFloats[dtype.Float8E4M3FN](b, xs) })
}

func benchmarkFloats[E dtype.Float](b *testing.B, xs []float32) {
	b.SetBytes(int64(4 * len(xs)))
	for b.Loop() {
		dtype.Floats[E](xs)
	}
}
