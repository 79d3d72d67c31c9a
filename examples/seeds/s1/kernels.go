package main

import (
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tile/op"
)

type (
	d1 = tile.D1
	d2 = tile.D2
)

// addF is one function for tiles of every rank: the operation, with its attributes.
func addF[T tile.FloatTile](x, y T, rounding op.Rounding, flush bool) T {
	return op.AddF(x, y, rounding, flush)
}

// add is one kernel for tiles of every rank: the index has a number for each axis.
func add[T tile.FloatTile](x, y tile.In[T], z tile.Out[T]) {
	at := make([]int, op.Rank[T]())
	for i := range at {
		at[i] = z.Index(i)
	}
	z.Store(addF(x.Load(at...), y.Load(at...), op.NearestEven, false))
}

// addNumbers adds tiles of rank 0, single numbers.
func addNumbers(x, y tile.F32, z tile.Out[tile.F32T1[tile.D1]]) {
	z.Store(tile.F32T1[tile.D1](addF(x, y, op.NearestEven, false)))
}

// matrices is the seed's kernel over matrices, with both attributes at the call.
func matrices[A, B tile.Dim](x, y tile.In[tile.F32T2[A, B]], z tile.Out[tile.F32T2[A, B]]) {
	z.Store(op.AddF(x.Load(0, 0), y.Load(0, 0), op.NearestEven, false))
}

// lateMark is refused, since an attribute must be known when the kernel is compiled.
func lateMark(x tile.In[tile.F32T1[d2]], n int, z tile.Out[tile.F32T1[d2]]) {
	rounding := op.Zero
	if n > 0 {
		rounding = op.NegativeInf
	}
	z.Store(addF(x.Load(0), x.Load(0), rounding, false))
}

// ranks are the kernels, by rank. The Go compiler makes the methods of all tiles that come of one by reductions: extents of 1
// at the greatest ranks keep these few.
var ranks = []any{
	addNumbers, add[tile.F32T1[d2]], add[tile.F32T2[d2, d2]], add[tile.F32T3[d2, d2, d2]], add[tile.F32T4[d2, d2, d2, d2]],
	add[tile.F32T5[d2, d1, d1, d1, d2]], add[tile.F32T6[d2, d1, d1, d1, d1, d2]],
}

// types are the tile types, by rank.
var types = []any{
	tile.F32(0), tile.F32T1[d2](0), tile.F32T2[d2, d2](0), tile.F32T3[d2, d2, d2](0), tile.F32T4[d2, d2, d2, d2](0),
	tile.F32T5[d2, d1, d1, d1, d2](0), tile.F32T6[d2, d1, d1, d1, d1, d2](0),
}
