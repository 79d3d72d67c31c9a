package gemm

import (
	"testing"

	"github.com/cutile-go/cutile/internal/native/host"
)

// TestTileText: a tile says how it multiplies.
func TestTileText(t *testing.T) {
	wide := Target{Level: host.LevelAVX512, Features: host.LevelAVX512.Requires()}
	for _, c := range []struct {
		spec TileSpec
		want string
	}{
		{TileSpec{F32, 64, 64, 32, RowMajor(32, 4), RowMajor(64, 4)}, "product of f32, 64 by 64 by 32: blocks of 8 by 32, a loop over k, A in place, B in place"},
		{TileSpec{F16, 64, 64, 8, RowMajor(8, 2), RowMajor(64, 2)}, "product of f16, 64 by 64 by 8: blocks of 8 by 32, 8 steps of k without a loop, A packed, B packed"},
	} {
		tile, err := NewTile(wide, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if tile.String() != c.want {
			t.Errorf("got %q, want %q", tile, c.want)
		}
	}
}

// TestTilesText: so does one with tile registers.
func TestTilesText(t *testing.T) {
	interpretTiles(t)
	tile, err := NewTile(tilesTarget, TileSpec{S8U8, 40, 70, 64, RowMajor(64, 1), RowMajor(70, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if want := "product of s8*u8, 40 by 70 by 64: blocks of 32 by 32 in tile registers, a loop over k, A in place, B packed"; tile.String() != want {
		t.Errorf("got %q, want %q", tile, want)
	}
}
