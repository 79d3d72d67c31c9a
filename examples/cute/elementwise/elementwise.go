// Package elementwise computes epilogue(a + b) for matrices of any shape. It is the first example of the SIMT level. A
// block computes a tile of (16,128), and each of its 128 threads computes (4,4) neighbours.
package elementwise

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

// Epilogue is applied to each sum. It is known when the kernel is compiled, and is inlined.
type Epilogue = func(float32) float32

// ReLU returns max(x, 0).
func ReLU(x float32) float32 { return max(x, 0) }

// Identity returns x.
func Identity(x float32) float32 { return x }

// add launches a block for each tile.
func add(a, b, c cute.Tensor[float32], epi cute.Constexpr[Epilogue]) error {
	threads := cute.MakeOrderedLayout(cute.S(4, 32), cute.S(1, 0)) // the second mode is fastest, as in memory
	values := cute.MakeOrderedLayout(cute.S(4, 4), cute.S(1, 0))
	tile, tv := cute.MakeLayoutTV(threads, values) // tv maps (thread, value) to a position in the tile

	// ((TileM,TileN),(M,N)): the position in a tile, and the tile
	tA, tB, tC := cute.ZippedDivide(a, tile), cute.ZippedDivide(b, tile), cute.ZippedDivide(c, tile)
	crd := cute.ZippedDivide(cute.Identity(c.Shape()), tile)

	addTile(tA, tB, tC, crd, c.Shape(), tv, epi).Launch(cute.Launch{
		Grid:  cute.D3(tC.Size(1), 1, 1),
		Block: cute.D3(tv.Size(0), 1, 1),
	})
	return nil
}

// addTile is the work of a thread. It finds its values and their coordinates, and leaves out values beyond the edges.
func addTile(tA, tB, tC cute.Tensor[float32], tCrd cute.CoordTensor, shape cute.Shape, tv cute.Layout,
	epi cute.Constexpr[Epilogue]) (_ cute.Kernel) {
	a, b, c, crd := mine(tA, tv), mine(tB, tv), mine(tC, tv), mine(tCrd, tv)
	ra, rb, rc := cute.MakeFragmentLike(a), cute.MakeFragmentLike(b), cute.MakeFragmentLike(c) // in registers
	sum := func(x, y float32) float32 { return epi.V(x + y) }

	if cute.ElemLess(crd.At(crd.Size()-1), shape) { // the last value is inside, so all of them are, and no predicates are needed
		cute.Copy(a, ra)
		cute.Copy(b, rb)
		cute.Map2(rc, ra, rb, sum)
		cute.Copy(rc, c)
		return
	}
	inside := cute.MakeRmem[bool](c.Shape())
	for i := range cute.Unroll(c.Size()) {
		inside.Set(cute.ElemLess(crd.At(i), shape), i)
	}
	cute.CopyIf(inside, a, ra)
	cute.CopyIf(inside, b, rb)
	cute.Map2(rc, ra, rb, sum)
	cute.CopyIf(inside, rc, c)
	return
}

// mine returns the values of this thread in the tile of this block.
func mine[V cute.View[V]](tiles V, tv cute.Layout) V {
	tile := tiles.Slice(cute.All, cute.I(cute.BlockIdx().X))
	return cute.Composition(tile, tv).Slice(cute.I(cute.ThreadIdx().X), cute.All)
}

// Add computes c = epi(a + b) for matrices of equal shape.
var Add = cute.Jit(add)
