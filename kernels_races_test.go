package cutile_test

import "github.com/cutile-go/cutile/tile"

// The kernels of this file race between blocks, or nearly do.

type tile4 = tile.F32T1[tile.D4]

func countPlain(x tile.In[tile.I32T1[tile.D4]], bins tile.Ptr[int32]) {
	v := x.Load(tile.BlockID(0))
	n := tile.Gather[tile.I32T1[tile.D4]](bins, v, true, 0)
	tile.Scatter(bins, v, n+1, true)
}

// partAt reads the part of x that begins at an element.
func partAt(x tile.In[tile4], from int, z tile.InOut[tile4]) {
	z.Store(x.Slice(0, from, x.Len(0)).Load(0), 0)
}

func countAtomic(x tile.In[tile.I32T1[tile.D4]], bins tile.Ptr[int32]) {
	tile.AtomicAdd(bins, x.Load(tile.BlockID(0)), tile.I32T1[tile.D4](1), true)
}

// countMixed reads the bins while other blocks may still count.
func countMixed(x tile.In[tile.I32T1[tile.D4]], bins tile.Ptr[int32], z tile.Out[tile.I32T1[tile.D4]]) {
	tile.AtomicAdd(bins, x.Load(tile.BlockID(0)), tile.I32T1[tile.D4](1), true)
	z.Store(tile.Gather[tile.I32T1[tile.D4]](bins, tile.Iota[tile.D4](), true, 0))
}

// countWithin counts with atomics that are atomic within a block alone.
func countWithin(x tile.In[tile.I32T1[tile.D4]], bins tile.Ptr[int32]) {
	tile.Atomic(bins, x.Load(tile.BlockID(0)), tile.I32T1[tile.D4](1), true, tile.RMWAdd, tile.Relaxed, tile.BlockScope)
}

// splitK adds up parts: the block that comes last sums what all have stored.
func splitK(x tile.In[tile4], parts tile.InOut[tile4], done tile.Ptr[int32], z tile.InOut[tile4]) {
	i := tile.BlockID(0)
	parts.Store(x.Load(i)*2, i)
	ticket := tile.Atomic(done, tile.I32(0), tile.I32(1), true, tile.RMWAdd, tile.AcqRel, tile.DeviceScope)
	if int(ticket) == parts.Tiles(0)-1 {
		var sum tile4
		for k := range parts.Tiles(0) {
			sum += parts.Load(k)
		}
		z.Store(sum, 0)
	}
}

// splitKRelaxed is splitK with a counter that orders nothing.
func splitKRelaxed(x tile.In[tile4], parts tile.InOut[tile4], done tile.Ptr[int32], z tile.InOut[tile4]) {
	i := tile.BlockID(0)
	parts.Store(x.Load(i)*2, i)
	ticket := tile.AtomicAdd(done, tile.I32(0), tile.I32(1), true)
	if int(ticket) == parts.Tiles(0)-1 {
		var sum tile4
		for k := range parts.Tiles(0) {
			sum += parts.Load(k)
		}
		z.Store(sum, 0)
	}
}

// relay passes a number from block to block by a flag that each waits for.
func relay(flag, value tile.Ptr[int32]) {
	me := tile.I32(tile.BlockID(0))
	for tile.GatherOrdered[tile.I32](flag, tile.I32(0), true, 0, tile.Acquire, tile.DeviceScope) != me {
	}
	v := tile.Gather[tile.I32](value, tile.I32(0), true, 0)
	tile.Scatter(value, tile.I32(0), v*3+me, true)
	tile.ScatterOrdered(flag, tile.I32(0), me+1, true, tile.Release, tile.DeviceScope)
}

// relayRelaxed waits with loads that acquire nothing.
func relayRelaxed(flag, value tile.Ptr[int32]) {
	me := tile.I32(tile.BlockID(0))
	for tile.GatherOrdered[tile.I32](flag, tile.I32(0), true, 0, tile.Relaxed, tile.DeviceScope) != me {
	}
	v := tile.Gather[tile.I32](value, tile.I32(0), true, 0)
	tile.Scatter(value, tile.I32(0), v*3+me, true)
	tile.ScatterOrdered(flag, tile.I32(0), me+1, true, tile.Release, tile.DeviceScope)
}

// smoothInPlace reads what the next block writes.
func smoothInPlace(x tile.InOut[tile4]) {
	i := tile.BlockID(0)
	x.Store(x.Load(i)+x.Load(min(i+1, x.Tiles(0)-1)), i)
}

func smooth(x tile.In[tile4], z tile.InOut[tile4]) {
	i := tile.BlockID(0)
	z.Store(x.Load(i)+x.Load(min(i+1, x.Tiles(0)-1)), i)
}

// sameTile stores one value into one tile from every two blocks.
func sameTile(z tile.InOut[tile4], every int) { z.Store(7, tile.BlockID(0)/every) }

// lastTwo stores into one element from the last two blocks of a grid of any axes alone.
func lastTwo(z tile.InOut[tile4]) {
	n := tile.NumBlocks(0) * tile.NumBlocks(1) * tile.NumBlocks(2)
	me := tile.BlockID(0) + tile.NumBlocks(0)*(tile.BlockID(1)+tile.NumBlocks(1)*tile.BlockID(2))
	if me >= n-2 {
		z.Store(1, 0)
	}
}

// meet writes an element from two blocks by coordinates, in a loop and a function: block i stores rows i to i+n-1.
func meet(x tile.In[rows4], y tile.InOut[rows4], n int) {
	for k := range n {
		putRow(both{x, y}, tile.BlockID(0)+k)
	}
}

type rows4 = tile.F32T2[tile.D2, tile.D4]

type both struct {
	x tile.In[rows4]
	y tile.InOut[rows4]
}

func putRow(s both, row int) {
	r, c := tile.I32T1[tile.D4](tile.I32(row)), tile.Iota[tile.D4]()
	tile.ScatterAt(s.y, tile.GatherAt[tile4](s.x, -1, r, c), r, c)
}

// readNext reads by coordinates, in a part of a part, what the next block writes.
func readNext(y tile.InOut[rows4], z tile.InOut[tile4]) {
	me, c := tile.I32T1[tile.D4](tile.I32(tile.BlockID(0))), tile.Iota[tile.D4]()
	part := y.Slice(0, 1, 9).Slice(1, 0, 9).Slice(1, 1, 9)
	tile.ScatterAt(part, tile4(7), me, c)
	z.Store(tile.GatherAtInOut[tile4](part, -1, me+1, c), tile.BlockID(0))
}

// slices stores four elements a step apart from block to block.
func slices4(z tile.InOut[tile.F32T2[tile.D1, tile.D4]], step int) {
	from := tile.BlockID(0) * step
	z.Slice(1, from, from+4).Store(1, 1, 0)
}

func accumulate(x tile.In[tile4], sum tile.InOut[tile4]) {
	sum.Accumulate(tile.RMWAdd, x.Load(tile.BlockID(0)), 0)
}

func accumulateThenRead(x tile.In[tile4], sum tile.InOut[tile4], z tile.InOut[tile4]) {
	sum.Accumulate(tile.RMWAdd, x.Load(tile.BlockID(0)), 0)
	z.Store(sum.Load(0), tile.BlockID(0))
}

//cutile:state
var shared = tile.Global(make([]int32, 8)...)

// toGlobal stores each block's number at a place of the module's memory.
func toGlobal(every int) {
	me := tile.I32(tile.BlockID(0))
	tile.Scatter(shared, me/tile.I32(every), me, true)
}

// bytes stores one byte a block.
func bytes(z tile.Ptr[int8], every int) {
	tile.Scatter(z, tile.I32(tile.BlockID(0))/tile.I32(every), tile.I8(1), true)
}

// recast stores words through a pointer to bytes that was made one to words.
func recast(z tile.Ptr[int8], step int) {
	tile.Scatter(tile.Reinterpret[int32](z), tile.I32(tile.BlockID(0))*tile.I32(step)/4, tile.I32(1), true)
	tile.Scatter(z, tile.I32(tile.BlockID(0))*tile.I32(step)+3, tile.I8(1), true)
}

// outOfOrder keeps the block that stores last: which one that is depends on the order of blocks.
func outOfOrder(last tile.Ptr[int32]) {
	tile.AtomicExchange(last, tile.I32(0), tile.I32(tile.BlockID(0)), true)
}

// readAt and storeAt reach the tile at an index, which may lie outside.
func readAt(x tile.In[tile4], at int, z tile.Out[tile4]) { z.Store(x.Load(at)) }

// readEmpty reads a part without elements.
func readEmpty(x tile.In[tile4], at int, z tile.Out[tile4]) { z.Store(x.Slice(0, 10, 10).Load(at)) }

func storeAt(x tile.In[tile4], at int, z tile.InOut[tile4]) { z.Store(x.Load(0), at) }

// readAtMeant means it.
//
//cutile:outside
func readAtMeant(x tile.In[tile4], at int, z tile.Out[tile4]) { z.Store(x.Load(at)) }

func copyPointers(x, z tile.Ptr[float32]) {
	at := tile.Iota[tile.D4]()
	tile.Scatter(z, at, tile.Gather[tile4](x, at, true, 0), true)
}

// byStrides reads a matrix of 2 by 2 through its pointer, with its strides.
func byStrides(x tile.Ptr[float32], rows, cols int32, z tile.Out[tile4]) {
	at := tile.Iota[tile.D4]()
	z.Store(tile.Gather[tile4](x, at/2*tile.I32T1[tile.D4](rows)+at%2*tile.I32T1[tile.D4](cols), true, 0))
}

// addSame wants tensors of the same extents, of tiles that differ.
func addSame(x, y tile.In[tile.F32T2[tile.D2, tile.D4]], z tile.Out[tile.F32T2[tile.D2, tile.D4]]) {
	tile.RequireSame(x, y)
	tile.RequireSame(y, z)
	z.Store(x.Load(z.Index(0), z.Index(1)) + y.Load(z.Index(0), z.Index(1)))
}

// matrices wants that the products fit, and a number.
func matrices(x tile.In[tile.F32T2[tile.D4, tile.D8]], y tile.In[tile.F32T2[tile.D8, tile.D4]], inner int, z tile.Out[tile.F32T2[tile.D4, tile.D4]]) {
	tile.RequireEqual(x.Len(1), y.Len(0))
	tile.RequireEqual(x.Len(1), inner)
	tile.RequireEqual(z.Len(1), 6)
	z.Store(tile.Dot(x.Load(z.Index(0), 0), y.Load(0, z.Index(1)), tile.F32T2[tile.D4, tile.D4](0)))
}

func ranksDiffer(x tile.In[tile4], z tile.Out[tile.F32T2[tile.D2, tile.D4]]) { tile.RequireSame(x, z) }

func requireComputed(x tile.In[tile4], z tile.Out[tile4]) { tile.RequireEqual(x.Len(0)*2, z.Len(0)) }

func requireInBranch(x tile.In[tile4], z tile.Out[tile4]) {
	if z.Index(0) > 0 {
		tile.RequireSame(x, z)
	}
}

func requireConstants(z tile.Out[tile4]) { tile.RequireEqual(tile.Extent[tile.D4](), 5) }
