package cutile_test

import "github.com/cutile-go/cutile/tile"

// blockNumbers stores the number of each block.
func blockNumbers(z tile.Out[tile.I32T1[tile.D4]]) { z.Store(tile.I32T1[tile.D4](z.Index(0))) }

// enqueue stores the number of its block at the place that a counter gives.
func enqueue(counter, z tile.Ptr[int32]) {
	at := tile.AtomicAdd(counter, tile.I32(0), tile.I32(1), true)
	tile.Scatter(z, at, tile.I32(tile.BlockID(0)), true)
}

// narrow rounds to bytes.
func narrow(x tile.In[tile4], z tile.Out[tile.I8T1[tile.D4]]) {
	z.Store(tile.I8T1[tile.D4](x.Load(z.Index(0))))
}

// addressed stores how far its argument lies behind a multiple of 16.
func addressed(x tile.Ptr[float32], z tile.Out[tile.I32T1[tile.D1]]) {
	z.Store(tile.I32T1[tile.D1](tile.I32(tile.Address(x) % 16)))
}

// overwritten is stored by each block, by one after the other.
func overwritten(turn, z tile.Ptr[int32]) {
	me := tile.I32(tile.BlockID(0))
	for tile.GatherOrdered[tile.I32](turn, tile.I32(0), true, 0, tile.Acquire, tile.DeviceScope) != me {
	}
	tile.Scatter(z, tile.I32(0), me, true)
	tile.ScatterOrdered(turn, tile.I32(0), me+1, true, tile.Release, tile.DeviceScope)
}

// storedTwice stores its tile twice, and then reads it.
func storedTwice(z tile.InOut[tile4]) {
	i := tile.BlockID(0)
	z.Store(1, i)
	z.Store(z.Load(i)+1, i)
	tile.Assert(z.Load(i) > 1, "z is 2")
}

// readBeside stores what it reads of another tensor.
func readBeside(x tile.In[tile.F32T1[tile.D16]], z tile.InOut[tile.F32T1[tile.D16]]) {
	i := tile.BlockID(0)
	z.Store(x.Load(i), i)
}
