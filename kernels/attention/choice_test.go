package attention

import "testing"

// TestParts: a cache goes into as many parts as give 256 blocks, each of two tiles at least, and no more than can be merged.
func TestParts(t *testing.T) {
	for _, c := range []struct{ pairs, tiles, want int }{
		{1, 1000, 64}, {4, 1000, 64}, {5, 1000, 52}, {8, 1000, 32}, {255, 1000, 2}, {256, 1000, 1}, {1000, 1000, 1}, {1, 12, 6}, {1, 13, 6}, {1, 2, 1}, {1, 1, 1}, {1, 0, 1},
	} {
		if got := partsFor(c.pairs, c.tiles); got != c.want {
			t.Errorf("%d pairs, %d tiles: %d parts, want %d", c.pairs, c.tiles, got, c.want)
		}
	}
}
