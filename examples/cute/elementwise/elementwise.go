// Package elementwise computes epilogue(a + b) on matrices of any shape.
package elementwise

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

// Epilogue is applied to each sum. It is known when the kernel is compiled, and leaves no call behind.
type Epilogue = func(float32) float32

// ReLU is max(x, 0).
func ReLU(x float32) float32 { return max(x, 0) }

// Identity is x.
func Identity(x float32) float32 { return x }

// kernel adds one tile of (16,128), each thread (4,4) values of it.
func kernel(gA, gB, gC cute.Tensor[float32], gCrd cute.CoordTensor, shape cute.Shape, tv cute.Layout, epi cute.Constexpr[Epilogue]) (_ cute.Kernel) {
	me, bid := cute.I(cute.ThreadIdx().X), cute.I(cute.BlockIdx().X)

	// ((TileM,TileN),Rest) -> this block's tile -> (thread,value) -> this thread's values
	a := cute.Composition(gA.Slice(cute.All, bid), tv).Slice(me, cute.All)
	b := cute.Composition(gB.Slice(cute.All, bid), tv).Slice(me, cute.All)
	c := cute.Composition(gC.Slice(cute.All, bid), tv).Slice(me, cute.All)
	crd := cute.Composition(gCrd.Slice(cute.All, bid), tv).Slice(me, cute.All)

	for i := range cute.Unroll(c.Size()) {
		if cute.ElemLess(crd.At(i), shape) {
			c.Set(epi.V(a.At(i)+b.At(i)), i)
		}
	}
	return
}

func add(a, b, c cute.Tensor[float32], epi cute.Constexpr[Epilogue]) error {
	threads := cute.MakeOrderedLayout(cute.S(4, 32), cute.S(1, 0))
	values := cute.MakeOrderedLayout(cute.S(4, 4), cute.S(1, 0))
	tiler, tv := cute.MakeLayoutTV(threads, values)

	gA, gB, gC := cute.ZippedDivide(a, tiler), cute.ZippedDivide(b, tiler), cute.ZippedDivide(c, tiler)
	gCrd := cute.ZippedDivide(cute.Identity(c.Shape()), tiler)

	kernel(gA, gB, gC, gCrd, c.Shape(), tv, epi).Launch(cute.Launch{
		Grid:  cute.D3(gC.Size(1), 1, 1),
		Block: cute.D3(tv.Size(0), 1, 1),
	})
	return nil
}

// Add computes c = epi(a + b) of matrices of one shape.
var Add = cute.Jit(add)
