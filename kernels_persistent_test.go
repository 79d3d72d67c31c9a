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

// The kernels below multiply matrices; in all but the first one, the loop over k stands in another loop or branch.

func plainProduct[M, N, K tile.Dim](a tile.In[tile.F32T2[M, K]], b tile.In[tile.F32T2[K, N]], c tile.Out[tile.F32T2[M, N]]) {
	var sum tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		sum = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), sum)
	}
	c.Store(sum)
}

func residentProduct[M, N, K tile.Dim](a tile.In[tile.F32T2[M, K]], b tile.In[tile.F32T2[K, N]], c tile.Persistent[tile.F32T2[M, N]]) {
	c = c.Grouped(8)
	for n := range c.Count() {
		var sum tile.F32T2[M, N]
		for k := range a.Tiles(1) {
			sum = tile.Dot(a.Load(c.Index(n, 0), k), b.Load(k, c.Index(n, 1)), sum)
		}
		c.Store(sum, n)
	}
}

// turnsProduct counts its tiles in ints, and adds up k in parts.
func turnsProduct[M, N, K tile.Dim](a tile.In[tile.F32T2[M, K]], b tile.In[tile.F32T2[K, N]], c tile.InOut[tile.F32T2[M, N]], parts int) {
	each := (a.Tiles(1) + parts - 1) / parts
	for t := tile.BlockID(0); t < c.Tiles(0)*c.Tiles(1); t += tile.NumBlocks(0) {
		var sum tile.F32T2[M, N]
		for part := range parts {
			for k := range min(each, max(a.Tiles(1)-part*each, 0)) {
				sum = tile.Dot(a.Load(t/c.Tiles(1), part*each+k), b.Load(part*each+k, t%c.Tiles(1)), sum)
			}
		}
		c.Store(sum, t/c.Tiles(1), t%c.Tiles(1))
	}
}

// slicedProduct makes windows of the factors in loops and branches.
func slicedProduct[M, N, K tile.Dim](a tile.In[tile.F32T2[M, K]], b tile.In[tile.F32T2[K, N]], c tile.InOut[tile.F32T2[M, N]]) {
	i := tile.BlockID(0)
	for j := range c.Tiles(1) {
		columns := b.Slice(1, j*tile.Extent[N](), (j+1)*tile.Extent[N]())
		var sum tile.F32T2[M, N]
		if i%2 == 0 {
			for k := range a.Tiles(1) {
				sum = tile.Dot(a.Load(i, k), columns.Load(k, 0), sum)
			}
		} else {
			for k := range a.Tiles(1) {
				sum = tile.Dot(a.Slice(0, i*tile.Extent[M](), a.Len(0)).Load(0, k), columns.Load(k, 0), sum)
			}
		}
		c.Store(sum, i, j)
	}
}

// besideOut owns the tiles of z in turn, and has an Out beside it.
func besideOut(o tile.Out[tile.I32T2[tile.D4, tile.D4]], z tile.Persistent[tile.I32T1[tile.D4]]) {
	o.Store(tile.I32T2[tile.D4, tile.D4](5))
	for n := range z.Count() {
		z.Store(z.Load(n)+1, n)
	}
}
