package eval_test

import (
	"fmt"

	"github.com/cutile-go/cutile/cute"
)

// onHost prints layouts and tuples: the same in ordinary Go as when it is compiled.
func onHost() {
	l := cute.MakeLayout(cute.S(4, 1, 6), cute.S(1, 0, 8))
	fmt.Println(cute.MakeIdentityLayout(cute.S(4, 6)), cute.Filter(l), cute.FilterZeros(l), cute.Flatten(cute.Prepend(l, cute.MakeLayout(cute.S(2, 3)))))
	fmt.Println(cute.Append(l, cute.MakeLayout(cute.I(2), cute.I(64))), cute.MaxCommon(l, cute.MakeLayout(cute.S(24))), cute.RecastLayout(cute.MakeLayout(cute.S(8, 4)), 16, 8))
	fmt.Println(cute.CeilDivEach(cute.S(10, 7), cute.S(4, 7)), cute.RoundUpEach(cute.S(10, 7), cute.S(4, 7)), cute.ShapeDiv(cute.S(12, 3), cute.S(4, 6)), cute.CrdToIdx(cute.S(3, 0, 2), l))
	fmt.Println(cute.IdxToCrd(13, l.Shape()), cute.CeilDiv(10, 4), l.At(3, 0, 2), l.At(7), l.Index(cute.S(1, 0, 5)), l.Size(), l.Size(2), l.Cosize(), l.Rank(), l.Depth())
	fmt.Println(cute.Coalesce(l), cute.CoalesceBy(l, cute.S(1, 1)), cute.SelectModes(l, 2, 0), cute.GroupModes(l, 0, 2), l.Mode(2), l.Slice(cute.All, cute.I(0), cute.I(3)))
	fmt.Println(cute.Complement(cute.MakeLayout(cute.S(2, 4), cute.S(1, 6)), 24), cute.LeftInverse(cute.MakeLayout(cute.S(4, 2), cute.S(2, 1))), cute.RightInverse(cute.MakeLayout(cute.S(4, 2), cute.S(2, 1))))
	a, b := cute.MakeLayout(cute.S(12, 8), cute.S(8, 1)), cute.S(4, 2)
	fmt.Println(cute.LogicalDivide(a, b), cute.ZippedDivide(a, b), cute.TiledDivide(a, b), cute.FlatDivide(a, b), cute.Composition(a, cute.Tile{cute.MakeLayout(cute.I(3), cute.I(4)), cute.All}))
	c, d := cute.MakeLayout(cute.S(2, 2)), cute.MakeLayout(cute.S(3, 4))
	fmt.Println(cute.LogicalProduct(c, d), cute.ZippedProduct(c, d), cute.TiledProduct(c, d), cute.FlatProduct(c, d), cute.BlockedProduct(c, d), cute.RakedProduct(c, d))
	s := cute.Swizzle{Bits: 2, Base: 0, Shift: 3}.Of(cute.MakeOrderedLayout(cute.S(8, 8), cute.S(1, 0)))
	tiler, tv := cute.MakeLayoutTV(c, d)
	fmt.Println(s, s.Inner(), s.At(3, 5), cute.TileToShape(s, cute.S(16, 16), cute.S(0, 1)), tiler, tv)
	t := cute.Nest(cute.I(2), cute.S(3, 4))
	fmt.Println(t, t.Rank(), t.Depth(), t.Size(), t.Size(1), t.Mode(1), t.At(1, 0), t.Flatten(), cute.ElemLess(cute.S(1, 2), cute.S(2, 2)), l.Shape(2), l.Stride(0), l.Layout())
}

// placesKernel uses words for places and memory: thread i writes i and what it knows of its grid.
func placesKernel(x, y, out cute.Tensor[int64]) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	s := cute.Alloc[int32](cute.MakeLayout(cute.S(64)), 0)
	pairs := cute.Recast[int64](s)
	pairs.Set(int64(i), i)
	cute.SyncWarp(0xffffffff)
	g := cute.GridDim()
	low := int64(s.At(2 * i))
	cute.Assert(low >= 0, "no thread has a number below 0")
	mine := cute.LocalPartition(x, cute.MakeLayout(cute.S(32)), i) // one element, that of the thread
	v := cute.Vec[int64](mine.At(0) + int64(cute.WarpIdx()))
	low += cute.Where(v > 100, v, 0).At(0)
	out.Set(low+int64(1000*g.X+100*g.Y+10*g.Z+cute.SmemBytes())+x.WithLayout(cute.MakeLayout(cute.S(2, 16))).AtCoord(cute.S(i%2, i/2))+y.At(i), i)
	return
}

func places(x, y, out cute.Tensor[int64]) {
	placesKernel(x, y, out).Launch(cute.Launch{Block: cute.D3(32, 1, 1)})
}
