package emu_test

import (
	"math"
	"testing"
)

// One rounding at the end: a large accumulator keeps what small products give together.
func TestMMARounding(t *testing.T) {
	one := func(x [][]int) [][]int { return x }
	ones := make([][]int, 16)
	for i := range ones {
		ones[i] = make([]int, 16)
		for j := range ones[i] {
			ones[i][j] = 1
		}
	}
	at := fragments["m16n8k16 16"]
	b := make([][]int, 16)
	for i := range b {
		b[i] = ones[i][:8]
	}
	acc := make([][]int, 16)
	for i := range acc {
		acc[i] = make([]int, 8)
		for j := range acc[i] {
			acc[i][j] = 1 << 25 // units of 4
		}
	}
	got := runMMA(t, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 32, 16, registers(one(ones), "f16", at[0]), registers(b, "f16",
		at[1]), registers(acc, "f32", at[2]))
	if want := uint64(math.Float32bits(1<<25 + 16)); got[0][0] != want {
		t.Errorf("%#x, want %#x", got[0][0], want)
	}
}
