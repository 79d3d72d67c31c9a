package norm

import (
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// TestTile: rows of up to 8192 elements are read at once, longer ones in tiles of 2048; short rows share a tile of up to 2048
// elements, and no more than 16 of them.
func TestTile(t *testing.T) {
	for _, c := range []struct{ rows, cols, r, c int }{
		{1000, 1, 16, 1}, {1000, 128, 16, 128}, {1000, 129, 8, 256}, {1000, 1024, 2, 1024}, {1000, 1025, 1, 2048},
		{1000, 8192, 1, 8192}, {1000, 8193, 1, 2048}, {3, 64, 4, 64}, {17, 64, 16, 64},
	} {
		if r, col := tileFor(shape.Extents{"rows": c.rows, "cols": c.cols}); r != c.r || col != c.c {
			t.Errorf("[%d %d]: tiles of [%d %d], want [%d %d]", c.rows, c.cols, r, col, c.r, c.c)
		}
	}
}

// TestSums: a backward pass keeps a row of sums for each tile of rows, but no more than 128.
func TestSums(t *testing.T) {
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, c := range []struct{ rows, r, want int }{{0, 16, 1}, {1, 16, 1}, {32, 16, 2}, {33, 16, 3}, {127, 1, 127}, {128, 1, 128}, {129, 1, 128}, {100000, 16, 128}} {
		s, err := sumsFor(dev, shape.Extents{"rows": c.rows, "cols": 5}, c.r)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Shape(); got[0] != c.want || got[1] != 5 {
			t.Errorf("%d rows in tiles of %d: sums of shape %v, want [%d 5]", c.rows, c.r, got, c.want)
		}
		s.Close()
	}
}
