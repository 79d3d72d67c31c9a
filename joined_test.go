package cutile_test

import (
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// TestJoinedBounds: a loop's bound that branches join is proved where each branch is, on a device that tests each promise,
// and the sums are those of Go.
func TestJoinedBounds(t *testing.T) {
	dev := open(t)
	x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
	at := zeros[int32](t, dev, 1)
	launch := func(want string, k any, args ...any) {
		t.Helper()
		must(t, cutile.Launch(t.Context(), dev, k, args...))
		holds(t, want, z.Narrow(0, 0, 1), want)
	}
	// The first elements of the tiles are 1, 17, 33 and 49.
	launch("[100]", firstOnly[tile.D16], x, z, false)
	launch("[1]", firstOnly[tile.D16], x, z, true)
	launch("[100]", causalSum[tile.D16], x, z, false)
	launch("[1]", causalSum[tile.D16], x, z, true)
	holds(t, "causal, the last block", z.Narrow(0, 48, 49), "[100]")
	for k, want := range map[int32]string{0: "[100]", 1: "[18]", 2: "[99]", -1: "[100]", -2: "[0]"} {
		must(t, at.Fill(t.Context(), k))
		launch(want, nestedBounds[tile.D16], x, at, z)
	}
	for k, want := range map[int32]string{0: "[100]", 1: "[1]", 2: "[18]", 3: "[1]", 4: "[100]"} {
		must(t, at.Fill(t.Context(), k))
		launch(want, switchedBounds[tile.D16], x, at, z)
	}
	launch("[100]", outsideIfSaid[tile.D16], x, z, false, 3)
	launch("[100]", outsideIfSaid[tile.D16], x, z, true, 2)

	none := x.Narrow(0, 0, 0)
	must(t, cutile.Launch(t.Context(), dev, firstOnly[tile.D16], x.Narrow(0, 0, 16), z, true))
	fails(t, cutile.Launch(t.Context(), dev, firstOnly[tile.D16], none, z, true), "indices 0 to 0 of tiles of 16 in an extent of 0")
	fails(t, cutile.Launch(t.Context(), dev, unboundedBranches[tile.D16], x, at, z),
		"Load at axis 0 may leave the tensor: nothing bounds the index through the branch at line 82: it comes from memory")
	fails(t, cutile.Launch(t.Context(), dev, outsideBranch[tile.D16], x, at, z, false), "indices 0 to 4 of tiles of 16 in an extent of 64")
	fails(t, cutile.Launch(t.Context(), dev, outsideIfSaid[tile.D16], x, z, true, 3), "indices 0 to 6 of tiles of 16 in an extent of 64")
}
