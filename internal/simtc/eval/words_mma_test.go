package eval_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
)

// product is C + A B^T of matrices by rows.
func product(m, n, k int, a, b, c []float64) []float64 {
	return fill(m*n, func(i int) float64 {
		sum := c[i]
		for l := range k {
			sum += a[i/n*k+l] * b[i%n*k+l]
		}
		return sum
	})
}

// small is n numbers of few bits, whose products add up exactly.
func small(n int, seed uint64) []float64 {
	r := noise(n, seed, dtype.F64)
	return fill(n, func(i int) float64 { return float64(int(r[i] * 8)) })
}

func TestTensorOp(t *testing.T) {
	a, b := small(64*32, 1), small(64*32, 2)
	for _, d := range []struct {
		typ dtype.Type
		fn  any
	}{{dtype.F16, tensorOp[cute.Float16]}, {dtype.BF16, tensorOp[cute.BFloat16]}} {
		out := make([]float32, 64*64)
		run(t, everywhere, d.fn, view{bitsOf(d.typ, a), "(64,32):(32,1)"}, view{bitsOf(d.typ, b), "(64,32):(32,1)"}, view{out, "(64,64):(64,1)"})
		for i, w := range product(64, 64, 32, a, b, make([]float64, 64*64)) {
			if float64(out[i]) != w {
				t.Fatalf("%v: C[%d,%d] = %v, want %v", d.typ, i/64, i%64, out[i], w)
			}
		}
	}
}

func TestRingGemm(t *testing.T) {
	const k = 160
	a, b, out := small(64*k, 1), small(64*k, 2), make([]float32, 64*64)
	run(t, everywhere[:2], ringGemm[cute.Float16], view{bitsOf(dtype.F16, a), "(64,160):(160,1)"}, view{bitsOf(dtype.F16, b), "(64,160):(160,1)"}, view{out, "(64,64):(64,1)"})
	for i, w := range product(64, 64, k, a, b, make([]float64, 64*64)) {
		if float64(out[i]) != w {
			t.Fatalf("C[%d,%d] = %v, want %v", i/64, i%64, out[i], w)
		}
	}
}

// coded is numbers as memory has them.
func coded(typ string, xs []float64) any {
	switch typ {
	case "f32":
		return fill(len(xs), func(i int) float32 { return float32(xs[i]) })
	case "f64":
		return append([]float64(nil), xs...)
	case "s32":
		return fill(len(xs), func(i int) int32 { return int32(xs[i]) })
	case "s8":
		return fill(len(xs), func(i int) int8 { return int8(xs[i]) })
	}
	d := map[string]dtype.Type{"f16": dtype.F16, "e4m3": dtype.F8E4M3FN}[typ]
	if d.Size() == 1 {
		return fill(len(xs), func(i int) uint8 { return uint8(d.FloatBits(xs[i])) })
	}
	return bitsOf(d, xs)
}

func TestMma(t *testing.T) {
	for _, c := range []struct {
		m, n, k int
		in, acc string
		fn      any
		targets []string
	}{
		{16, 8, 16, "f16", "f16", plainMma[cute.Float16, cute.Float16, cute.Float16], everywhere},
		{16, 8, 8, "f16", "f32", plainMma[cute.Float16, cute.Float16, float32], turing[:2]},
		{16, 8, 8, "f32", "f32", plainMma[cute.TFloat32, cute.TFloat32, float32], everywhere},
		{16, 8, 4, "f32", "f32", plainMma[cute.TFloat32, cute.TFloat32, float32], everywhere[:1]},
		{16, 8, 32, "s8", "s32", plainMma[int8, int8, int32], everywhere},
		{16, 8, 16, "s8", "s32", plainMma[int8, int8, int32], everywhere[:1]},
		{16, 8, 32, "e4m3", "f32", plainMma[cute.Float8E4M3FN, cute.Float8E4M3FN, float32], hopper},
		{8, 8, 4, "f64", "f64", plainMma[float64, float64, float64], everywhere},
	} {
		t.Run(fmt.Sprintf("%dx%dx%d.%s.%s", c.m, c.n, c.k, c.acc, c.in), func(t *testing.T) {
			m, n, k := 2*c.m, 2*c.n, 2*c.k
			testMma(t, c.targets, m, n, k, c.in, c.acc, c.fn, constexpr(c.m), constexpr(c.n), constexpr(c.k))
		})
	}
	t.Run("fma.f32", func(t *testing.T) { testMma(t, turing, 16, 8, 3, "f32", "f32", plainFMA[float32]) })
	t.Run("fma.f16", func(t *testing.T) { testMma(t, everywhere[:1], 8, 4, 2, "f16", "f16", plainFMA[cute.Float16]) })
	fails(t, "there is no instruction that multiplies", plainMma[float32, float32, float32],
		line(make([]float32, 1)), line(make([]float32, 1)), line(make([]float32, 1)), constexpr(16), constexpr(8), constexpr(8))
}

func testMma(t *testing.T, targets []string, m, n, k int, in, acc string, fn any, more ...any) {
	t.Helper()
	a, b, c := small(m*k, 1), small(n*k, 2), small(m*n, 3)
	out := coded(acc, c)
	rows := func(m, n int) string { return fmt.Sprintf("(%d,%d):(%d,1)", m, n, n) }
	args := append([]any{view{coded(in, a), rows(m, k)}, view{coded(in, b), rows(n, k)}, view{out, rows(m, n)}}, more...)
	run(t, targets, fn, args...)
	got, want := reflect.ValueOf(out), reflect.ValueOf(coded(acc, product(m, n, k, a, b, c)))
	for i := range m * n {
		if !got.Index(i).Equal(want.Index(i)) {
			t.Fatalf("C[%d,%d] = %v, want %v", i/n, i%n, got.Index(i), want.Index(i))
		}
	}
}

func TestStMatrix(t *testing.T) {
	x, out := fill(256, func(i int) uint16 { return uint16(i) }), make([]uint16, 256)
	run(t, hopper, stMatrix, view{x, "(16,16):(16,1)"}, view{out, "(16,16):(16,1)"})
	equal(t, "out", out, x)
}

// TestScatteredCopy copies to registers that lie in any order: what a predicate leaves out keeps its value.
func TestScatteredCopy(t *testing.T) {
	for _, order := range []func() cute.IntTuple{columnsFirst, rowsFirst, columnsLast} {
		scattered[float32](t, scatteredCopies[float32], 4, order)
		scattered[uint16](t, scatteredCopies[uint16], 8, order)
		scattered[uint8](t, scatteredCopies[uint8], 16, order)
		scattered[int64](t, scatteredCopies[int64], 2, order)
	}
}

func scattered[T scatteredElem](t *testing.T, f any, wide int, order func() cute.IntTuple) {
	t.Helper()
	const n = 64 * 64
	x, out := fill(n, func(i int) T { return T(i%97 + 1) }), make([]T, n)
	run(t, everywhere[:2], f, view{x, "(64,64):(64,1)"}, view{out, "(64,64):(64,1)"}, 13, constexpr(wide), order)
	for i, got := range out {
		first := i/64 < 13 && i%64 < 16
		if first && got != x[i] || !first && got < 150 {
			t.Fatalf("%T, %d at once: out[%d,%d] = %v of %v: what the predicate leaves out keeps its value", got, wide, i/64, i%64, got, x[i])
		}
	}
}

func TestTiledCopy(t *testing.T) {
	x, out := fill(32*32, func(i int) float32 { return float32(i + 1) }), make([]float32, 32*32)
	run(t, everywhere[:2], tiledCopies, view{x, "(32,32):(32,1)"}, view{out, "(32,32):(32,1)"}, 13)
	for i, got := range out {
		want := x[i]
		if i/32 >= 13 || i%32 >= 16 {
			want = 0
		}
		if got != want {
			t.Fatalf("out[%d,%d] = %v, want %v", i/32, i%32, got, want)
		}
	}
	fails(t, "universal.128 moves 4 contiguous elements", tiledCopies, view{x, "(32,32):(1,32)"}, view{out, "(32,32):(32,1)"}, 13)
}
