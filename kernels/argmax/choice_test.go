package argmax

import "testing"

// TestParts: rows go into as many parts as give 128 blocks, each of four tiles at least.
func TestParts(t *testing.T) {
	for _, c := range []struct{ blocks, tiles, want int }{
		{1, 1000, 128}, {1, 512, 128}, {1, 511, 127}, {1, 8, 2}, {1, 7, 1}, {1, 1, 1}, {127, 1000, 2}, {128, 1000, 1}, {500, 1000, 1}, {43, 1000, 3},
	} {
		if got := partsFor(c.blocks, c.tiles); got != c.want {
			t.Errorf("%d blocks, %d tiles: %d parts, want %d", c.blocks, c.tiles, got, c.want)
		}
	}
}
