package softmax

import "testing"

// TestTile: rows of up to 8192 elements are read at once, longer ones in tiles of 2048; short rows share a tile of up to 2048
// elements, and no more than 16 of them.
func TestTile(t *testing.T) {
	for _, c := range []struct{ rows, cols, r, c int }{
		{1000, 1, 16, 1}, {1000, 100, 16, 128}, {1000, 128, 16, 128}, {1000, 129, 8, 256}, {1000, 1024, 2, 1024}, {1000, 1025, 1, 2048},
		{1000, 8192, 1, 8192}, {1000, 8193, 1, 2048}, {1000, 100000, 1, 2048}, {3, 64, 4, 64}, {1, 64, 1, 64}, {17, 64, 16, 64},
	} {
		if r, col := tileFor(c.rows, c.cols); r != c.r || col != c.c {
			t.Errorf("[%d %d]: tiles of [%d %d], want [%d %d]", c.rows, c.cols, r, col, c.r, c.c)
		}
	}
}
