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

// storeTile stores the block's tile of some number.
func storeTile(z tile.Persistent[tile.I32T1[tile.D4]], n int) { z.Store(tile.I32T1[tile.D4](77), n) }

func storeFar(z tile.Persistent[tile.I32T1[tile.D4]]) { z.Store(tile.I32T1[tile.D4](77), 1<<40) }

// insideRows and insideGroups need no masks, whatever the number of blocks is.
//
//cutile:nochecks
func insideRows(z tile.Persistent[tile.I32T2[tile.D4, tile.D4]]) {
	for n := range z.Count() {
		z.Store(z.Load(n)+1, n)
	}
}

//cutile:nochecks
func insideGroups(z tile.Persistent[tile.I32T2[tile.D4, tile.D4]]) { insideRows(z.Grouped(3)) }

// inBranch orders its tiles as a truth value says, which is not known when it is compiled.
func inBranch(z tile.Persistent[tile.I32T2[tile.D4, tile.D4]], grouped bool) {
	if grouped {
		z = z.Grouped(2)
	}
	insideRows(z)
}
