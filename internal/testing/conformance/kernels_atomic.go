package conformance

import "github.com/cutile-go/cutile/tile"

// The kernels of this file share memory among blocks, or keep it from launch to launch.

// updates folds x into words of memory by every operation, one after another along the memory.
func updates[T tile.IntTile, E tile.NumElem](x tile.In[T], at tile.In[tile.I32T1[tile.D16]], p tile.Ptr[E], n int) {
	i := tile.BlockID(0)
	v, k := x.Load(i), at.Load(i)
	inside := k >= 0
	base := tile.I32T1[tile.D16](tile.I32(n))
	tile.AtomicAdd(p, k, v, inside)
	tile.AtomicMax(p, k+base, v, inside)
	tile.AtomicMin(p, k+base*2, v, inside)
	tile.AtomicAnd(p, k+base*3, v, inside)
	tile.AtomicOr(p, k+base*4, v, inside)
	tile.AtomicXor(p, k+base*5, v, inside)
	tile.Atomic(p, k+base*6, v, inside, tile.RMWAdd, tile.AcqRel, tile.SystemScope)
	tile.Atomic(p, k+base*7, v, inside, tile.RMWMax, tile.Release, tile.DeviceScope)
}

// swaps exchanges and compares; offsets are distinct.
func swaps[T tile.NumTile, E tile.NumElem](x tile.In[T], p tile.Ptr[E], was, had tile.Out[T]) {
	v, at := x.Load(0), tile.Iota[tile.D16]()
	was.Store(tile.AtomicExchange(p, at, v, at < 12))
	had.Store(tile.CompareAndSwap(p, at, v, v+1, at > 3))
	tile.CompareAndSwapOrdered(p, at, v, v+5, at < 2, tile.Relaxed, tile.BlockScope)
}

// accumulate folds tiles into tiles where blocks meet.
func accumulate[T tile.NumTile](x tile.In[T], sum tile.InOut[T]) {
	i := tile.BlockID(0)
	sum.Accumulate(tile.RMWAdd, x.Load(i), i%2)
}

// accumulateInts folds by the operations of integers, and windows.
func accumulateInts[T tile.IntTile](x tile.In[T], high, low, bits, sum tile.InOut[T]) {
	i := tile.BlockID(0)
	v := x.Load(i)
	high.Accumulate(tile.RMWMax, v, 0)
	low.AccumulateIn(tile.RMWMin, tile.DeviceScope, v, 0)
	bits.Accumulate(tile.RMWXor, v, 0)
	tile.AccumulateWindow(sum, []int{2}, tile.RMWAdd, v, i)
}

// handOver passes a number from block to block through a flag: each adds to it in turn.
func handOver(flag, value tile.Ptr[int32]) {
	me := tile.I32(tile.BlockID(0))
	for tile.GatherOrdered[tile.I32](flag, tile.I32(0), true, 0, tile.Acquire, tile.DeviceScope) != me {
	}
	v := tile.Gather[tile.I32](value, tile.I32(0), true, 0)
	tile.Scatter(value, tile.I32(0), v*3+me, true)
	tile.ScatterOrdered(flag, tile.I32(0), me+1, true, tile.Release, tile.DeviceScope)
}

//cutile:state
var counters = tile.Global[int32](5, 6, 7)

//cutile:state
var primes = tile.Table[int16](2, 3, 5, 7, 11, 13, 17, 19)

// globals counts in memory of the module, where blocks meet.
func globals(seen tile.Out[tile.I32T1[tile.D4]], z tile.Out[tile.I16T1[tile.D8]]) {
	at := tile.Iota[tile.D4]()
	seen.Store(tile.AtomicAdd(counters, at, tile.I32T1[tile.D4](0), true))
	z.Store(tile.Gather[tile.I16T1[tile.D8]](primes, 7-tile.Iota[tile.D8](), true, 0))
}

// tally counts blocks in a global, then the last block tells.
func tally(z tile.Ptr[int32], n int) {
	t := tile.AtomicAdd(counters, tile.I32(3), tile.I32(1), true)
	if t == tile.I32(n-1) {
		tile.Scatter(z, tile.I32(0), t+1, true)
	}
}

// scratch turns a tile around in memory of the block, which it sees as bytes, too.
func scratch(x tile.In[tile.I32T1[tile.D8]], y tile.Out[tile.I32T1[tile.D8]], b tile.Out[tile.U8T1[tile.D32]]) {
	at := tile.Iota[tile.D8]()
	p := tile.Scratch[int32](8)
	tile.Scatter(p, 7-at, x.Load(y.Index(0)), true)
	y.Store(tile.Gather[tile.I32T1[tile.D8]](p, at, true, 0))
	q := tile.Reinterpret[uint8](p)
	tile.Scatter(q, tile.I32(0), tile.U8(255), true)
	tile.FenceAlias(p, q)
	b.Store(tile.Gather[tile.U8T1[tile.D32]](q, tile.Iota[tile.D32](), true, 0))
}

// waits lets the next grid start and waits for the one before, which changes nothing where it runs alone.
func waits(x tile.InOut[tile.F32T1[tile.D8]]) {
	tile.WaitGrid()
	x.Store(x.Load(0)+1, 0)
	tile.LaunchDependents()
	x.Store(x.Load(0)*2, 0)
}

// orderedViews loads and stores through views with an ordering.
func orderedViews(x tile.InOut[tile.I32T1[tile.D8]]) {
	v := x.LoadOrdered(tile.Acquire, tile.DeviceScope, 0)
	x.StoreOrdered(tile.Release, tile.SystemScope, v+1, 1)
}

// hinted loads and stores through views with hints.
func hinted(x tile.InOut[tile.I32T1[tile.D8]], y tile.In[tile.I32T1[tile.D8]]) {
	h := tile.Hints{Latency: 3, NoTMA: 1, By: []tile.ArchHint{{Arch: "sm_100", Latency: 5, NoTMA: 0}}}
	x.StoreHint(h, x.LoadHint(h, 1)*2+y.LoadHint(h, 1), 0)
}

// inBounds promises that its tiles lie inside the tensor.
func inBounds(x tile.InOut[tile.I32T1[tile.D8]], n int) {
	h := tile.Hints{InBounds: []bool{true}}
	x.StoreHint(h, x.LoadHint(h, n)+1, 0) // inside
}

// tuned has hints for the assembler.
//
//cutile:entry occupancy=2 sm_100.num_ctas=2
func tuned(x tile.InOut[tile.I32T1[tile.D8]]) { x.Store(x.Load(1), 0) }

// promises states what is true of its arguments.
func promises(x tile.Ptr[int32], n int, z tile.Out[tile.I32T1[tile.D8]]) {
	n = tile.AssumeBetween(tile.AssumeDivBy(n, 8), 0, 64)
	k := tile.AssumeAtMost(tile.AssumeAtLeast(n/8, 0), 8)
	at := tile.AssumeDivEvery(tile.Iota[tile.D8]()+tile.I32T1[tile.D8](tile.I32(n)), 8, 8, 0)
	twice := tile.AssumeRuns(tile.Iota[tile.D8]()/2, 2)
	z.Store(tile.Gather[tile.I32T1[tile.D8]](x, at, true, 0) + twice + tile.I32T1[tile.D8](tile.I32(k)))
}

// broken promises what does not hold.
func broken(n int, z tile.Out[tile.I32T1[tile.D8]]) {
	z.Store(tile.I32T1[tile.D8](tile.I32(tile.AssumeDivBy(n, 8)))) // promise
}
