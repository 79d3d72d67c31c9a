package gemm

import (
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// TestBlocks: the tiles that are chosen for a shape. Rows along k have 128 bytes, tiles are large where that still gives
// 128 blocks, and none is much larger than the matrix.
func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		m, n, k               int
		half, single, double8 block // for elements of 2, 4 and 1 bytes
	}{
		{4096, 4096, 4096, block{128, 128, 64}, block{128, 128, 32}, block{128, 128, 128}},
		{2048, 1024, 4096, block{128, 128, 64}, block{128, 128, 32}, block{128, 128, 128}}, // 128 blocks
		{2048, 1023, 4096, block{128, 128, 64}, block{128, 128, 32}, block{128, 128, 128}},
		{2048, 896, 4096, block{64, 64, 64}, block{64, 64, 32}, block{64, 64, 128}}, // 112 blocks
		{64, 64, 64, block{64, 64, 64}, block{64, 64, 32}, block{64, 64, 64}},
		{65, 33, 17, block{64, 64, 32}, block{64, 64, 32}, block{64, 64, 32}},
		{1, 1, 1, block{16, 16, 16}, block{16, 16, 16}, block{16, 16, 16}},
		{17, 1 << 20, 16, block{32, 128, 16}, block{32, 128, 16}, block{32, 128, 16}},
	} {
		x := shape.Extents{"m": c.m, "n": c.n, "k": c.k}
		if got := blockFor[dtype.Float16](x); got != c.half {
			t.Errorf("%v of float16: %v, want %v", x, got, c.half)
		}
		if got := blockFor[float32](x); got != c.single {
			t.Errorf("%v of float32: %v, want %v", x, got, c.single)
		}
		if got := blockFor[int8](x); got != c.double8 {
			t.Errorf("%v of int8: %v, want %v", x, got, c.double8)
		}
	}
	if got, want := blockFor[float64](shape.Extents{"m": 4096, "n": 4096, "k": 4096}), (block{64, 64, 16}); got != want {
		t.Errorf("of float64: %v, want %v", got, want)
	}
	if got := (block{64, 32, 16}).blocks(shape.Extents{"m": 65, "n": 64, "k": 1000}); got != 2*2 {
		t.Errorf("%d blocks, want 4", got)
	}
}

// TestParts: a product goes into as many parts as give 128 blocks, each with four steps at least.
func TestParts(t *testing.T) {
	for _, c := range []struct{ tiles, steps, want int }{
		{1, 1000, 128}, {1, 512, 128}, {1, 511, 127}, {1, 8, 2}, {1, 7, 1}, {1, 1, 1}, {127, 1000, 2}, {128, 1000, 1}, {129, 1000, 1}, {43, 1000, 3}, {10, 0, 1},
	} {
		if got := partsFor(c.tiles, c.steps); got != c.want {
			t.Errorf("%d tiles, %d steps: %d parts, want %d", c.tiles, c.steps, got, c.want)
		}
	}
}
