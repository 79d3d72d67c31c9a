package cutile_test

import (
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/tile"
)

// many prints more than devices keep between two waits.
func many() {
	tile.Print("block %d of %d, %d, %d\n", tile.BlockID(0), tile.NumBlocks(0), tile.BlockID(1), tile.BlockID(2))
}

// addOne is a kernel of package cute.
func addOne(x cute.Tensor[float32]) (_ cute.Kernel) {
	x.Set(x.At(0)+1, 0)
	return
}

func runAddOne(x cute.Tensor[float32]) error {
	addOne(x).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(1, 1, 1)})
	return nil
}

//cutile:state
var counters = tile.Global[int32](1, 1, 1, 1)

// count stores how often its block has run: 1, and 10 for each time before.
func count[B tile.Dim](z tile.Out[tile.I32T1[B]]) {
	z.Store(tile.I32T1[B](tile.AtomicAdd(counters, tile.I32(z.Index(0)), tile.I32(10), true)))
}

// countedProduct is a product that counts as [count] does.
func countedProduct(a, b tile.In[tile.F16T2[tile.D64, tile.D64]], c tile.Out[tile.F32T2[tile.D64, tile.D64]], n tile.InOut[tile.I32T1[tile.D1]]) {
	var sum tile.F32T2[tile.D64, tile.D64]
	for k := range a.Tiles(1) {
		sum = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), sum)
	}
	c.Store(sum)
	n.Store(tile.I32T1[tile.D1](tile.AtomicAdd(counters, tile.I32(0), tile.I32(10), true)), 0)
}

// roomy asks for memory of its block twice.
func roomy[A, B tile.Dim](z tile.Out[tile.I32T1[tile.D8]], _ tile.Size[A], _ tile.Size[B]) {
	x, y := tile.Scratch[int32](tile.Extent[A]()), tile.Scratch[int32](tile.Extent[B]())
	tile.Scatter(x, tile.I32(0), tile.I32(1), true)
	tile.Scatter(y, tile.I32(0), tile.I32(2), true)
	z.Store(tile.I32T1[tile.D8](tile.Gather[tile.I32](x, tile.I32(0), true, 0) + tile.Gather[tile.I32](y, tile.I32(0), true, 0)))
}
