package cutile_test

import "github.com/cutile-go/cutile/tile"

// The kernels of this file own tiles in turn.

// countBlocks stores how many blocks there are, in each tile.
func countBlocks[N tile.Dim](z tile.Persistent[tile.I32T1[N]]) {
	for n := range z.Count() {
		z.Store(tile.I32T1[N](tile.NumBlocks(0)), n)
	}
}

// countMore is the same for three blocks at once on each multiprocessor, or two on GPUs of the fake driver's architecture.
//
//cutile:entry occupancy=3 sm_90.occupancy=2
func countMore[N tile.Dim](z tile.Persistent[tile.I32T1[N]]) { countBlocks(z) }

// countPairs is the same for blocks that take two multiprocessors each.
//
//cutile:entry num_ctas=2 occupancy=4
func countPairs[N tile.Dim](z tile.Persistent[tile.I32T1[N]]) { countBlocks(z) }
