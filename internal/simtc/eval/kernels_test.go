package eval_test

import "github.com/cutile-go/cutile/cute"

func scaleKernel(x cute.Tensor[float32], f float32) (_ cute.Kernel) {
	i := cute.BlockIdx().X*cute.BlockDim().X + cute.ThreadIdx().X
	if i < x.Size() {
		x.Set(f*x.At(i), i)
	}
	return
}

func scale(x cute.Tensor[float32], f float32) {
	scaleKernel(x, f).Launch(cute.Launch{Grid: cute.D3(cute.CeilDiv(x.Size(), 256), 1, 1), Block: cute.D3(256, 1, 1)})
}

type epilogue = func(float32) float32

func relu(x float32) float32 { return max(x, 0) }

func addKernel(gA, gB, gC cute.Tensor[float32], gCrd cute.CoordTensor, shape cute.Shape, tv cute.Layout, epi cute.Constexpr[epilogue]) (_ cute.Kernel) {
	tid, bid := cute.I(cute.ThreadIdx().X), cute.I(cute.BlockIdx().X)
	a := cute.Composition(gA.Slice(cute.All, bid), tv).Slice(tid, cute.All)
	b := cute.Composition(gB.Slice(cute.All, bid), tv).Slice(tid, cute.All)
	c := cute.Composition(gC.Slice(cute.All, bid), tv).Slice(tid, cute.All)
	crd := cute.Composition(gCrd.Slice(cute.All, bid), tv).Slice(tid, cute.All)
	for i := range cute.Unroll(c.Size()) {
		if cute.ElemLess(crd.At(i), shape) {
			c.Set(epi.V(a.At(i)+b.At(i)), i)
		}
	}
	return
}

func add(a, b, c cute.Tensor[float32], epi cute.Constexpr[epilogue]) {
	thr := cute.MakeOrderedLayout(cute.S(4, 32), cute.S(1, 0))
	val := cute.MakeOrderedLayout(cute.S(4, 4), cute.S(1, 0))
	tiler, tv := cute.MakeLayoutTV(thr, val)
	gA, gB, gC := cute.ZippedDivide(a, tiler), cute.ZippedDivide(b, tiler), cute.ZippedDivide(c, tiler)
	gCrd := cute.ZippedDivide(cute.Identity(c.Shape()), tiler)
	addKernel(gA, gB, gC, gCrd, c.Shape(), tv, epi).Launch(cute.Launch{
		Grid:  cute.D3(gC.Size(1), 1, 1),
		Block: cute.D3(tv.Size(0), 1, 1),
	})
}
