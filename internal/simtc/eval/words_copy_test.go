package eval_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/cute"
)

const rows = "(32,16):(16,1)"

func TestCopy(t *testing.T) {
	x := fill(512, func(i int) float32 { return float32(i) })
	half := fill(512, func(i int) uint16 { return uint16(i) })
	for _, c := range []struct {
		name string
		at   any
	}{{"plain", plainRows}, {"padded", paddedRows}, {"columns", columns}, {"swizzled", swizzledRows}} {
		t.Run(c.name, func(t *testing.T) {
			out, out16 := make([]float32, 512), make([]uint16, 512)
			run(t, everywhere[:2], copies[float32], view{x, rows}, view{out, rows}, c.at)
			equal(t, "float32", out, x)
			run(t, everywhere[:2], copies[cute.Float16], view{half, rows}, view{out16, rows}, c.at)
			equal(t, "Float16", out16, half)
			run(t, everywhere[:1], copies[int16], view{half, rows}, view{out16, rows}, c.at)
			equal(t, "int16", out16, half)
		})
	}
	b, outB := fill(512, func(i int) bool { return i*i%3 == 1 }), make([]bool, 512)
	run(t, everywhere[:1], copies[bool], view{b, rows}, view{outB, rows}, plainRows)
	equal(t, "bool", outB, b)
	c, outC := fill(512, func(i int) int8 { return int8(i) }), make([]int8, 512)
	run(t, everywhere[:1], copies[int8], view{c, rows}, view{outC, rows}, paddedRows) // rows at multiples of 2 bytes
	equal(t, "int8", outC, c)
	d, outD := fill(512, func(i int) float64 { return float64(i) }), make([]float64, 512)
	run(t, everywhere[:1], copies[float64], view{d, rows}, view{outD, rows}, plainRows)
	equal(t, "float64", outD, d)
}

// TestCopyWidth holds the instructions against what layouts and alignments allow.
func TestCopyWidth(t *testing.T) {
	for _, c := range []struct {
		from     string
		at       any
		ld, st   string
		leftover string // what must not be there
	}{
		{rows, plainRows, "ld.global.v4.b32", "st.shared.v4.b32", "st.shared.b32"},
		{rows, paddedRows, "ld.global.v4.b32", "st.shared.v2.b32", "st.shared.v4.b32"},
		{rows, columns, "ld.global.v4.b32", "st.shared.b32", "st.shared.v2.b32"},
		{rows, swizzledRows, "ld.global.v4.b32", "st.shared.v4.b32", "st.shared.b32"},
		{"(32,16):(?{div=4},1)", plainRows, "ld.global.v4.b32", "st.shared.v4.b32", "ld.global.b32"},
		{"(32,16):(?{div=2},1)", plainRows, "ld.global.v2.b32", "st.shared.v4.b32", "ld.global.v4.b32"},
		{"(32,16):(?,1)", plainRows, "ld.global.b32", "st.shared.v4.b32", "ld.global.v2.b32"},
		{"(32,16):(16,?)", plainRows, "ld.global.b32", "st.shared.v4.b32", "ld.global.v2.b32"},
	} {
		data := make([]float32, 512)
		text := evaluateOn(t, copies[float32], view{data, c.from}, view{data, rows}, c.at).Module.String()
		if !strings.Contains(text, c.ld) || !strings.Contains(text, c.st) || strings.Contains(text, c.leftover) {
			t.Errorf("%s: want %s and %s, and no %s in\n%s", c.from, c.ld, c.st, c.leftover, text)
		}
	}
}

func TestCopyIf(t *testing.T) {
	for _, n := range []int{0, 5, 11, 16} {
		x, old := fill(512, func(i int) int32 { return int32(i + 1) }), int32(-1)
		out := fill(512, func(int) int32 { return old })
		run(t, everywhere[:2], copiesIf[int32], view{x, rows}, view{out, rows}, n)
		out8, x8 := fill(512, func(int) int8 { return -1 }), fill(512, func(i int) int8 { return int8(i) })
		run(t, everywhere[:1], copiesIf[int8], view{x8, rows}, view{out8, rows}, n)
		x16 := fill(544, func(i int) int16 { return int16(i) })
		run(t, everywhere[:1], copiesIf[int16], view{x16, "(32,16):(17,1)"}, view{fill(544, func(int) int16 { return -1 }), "(32,16):(17,1)"}, n)
		for i := range x {
			want, want8 := old, int8(-1)
			switch k := i % 16; {
			case k < n:
				want, want8 = x[i], x8[i]
			case n > k/8*8:
				want, want8 = 0, 0
			}
			if out[i] != want || out8[i] != want8 {
				t.Fatalf("n = %d: out[%d] = %d and %d, want %d and %d", n, i, out[i], out8[i], want, want8)
			}
		}
	}
}

func TestCpAsync(t *testing.T) {
	x, out := fill(512, func(i int) float32 { return float32(i + 1) }), make([]float32, 512)
	run(t, everywhere[:2], asyncCopies[float32], view{x, rows}, view{out, rows}, 7)
	for i, got := range out {
		want := x[(31-i/16)*16+i%16]
		if i%16 >= 8 {
			want = 0
		}
		if got != want {
			t.Fatalf("out[%d] = %v, want %v", i, got, want)
		}
	}
	fails(t, "CpAsync copies 4, 8 or 16 contiguous bytes at once", asyncCopies[int8], view{x, "(32,16):(1,32)"}, view{out, rows}, 7)
}

func TestOverlay(t *testing.T) {
	out := make([]uint32, 32)
	run(t, everywhere[:1], overlays, line(out))
	fails(t, "the Overlay takes bytes 4 to 132 of memory that has 128 bytes", overlayBeyond, line(out))
	equal(t, "out", out, fill(32, func(i int) uint32 { return uint32(31 - i) }))
}
