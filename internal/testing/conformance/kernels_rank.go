package conformance

import "github.com/cutile-go/cutile/tile"

// The kernels of this file use tiles of ranks 0, 5 and 6.

type dims = tile.Dim

// rank5 computes with results of its argument's type, of types that follow from it, and of a type that is named.
func rank5[A, B, C, D, F dims](x tile.In[tile.F32T5[A, B, C, D, F]], same tile.Out[tile.F32T5[A, B, C, D, F]], sum tile.Out[tile.F32T5[A, B, tile.D1, D, F]], turned tile.Out[tile.F32T5[F, D, C, B, A]], at tile.Out[tile.I32T5[A, B, C, D, tile.D1]]) {
	v := x.Load(0, 0, 0, 0, 0)
	same.Store(tile.Where(v > 0, v+v, -v))
	sum.Store(v.Sum2())
	turned.Store(tile.Permute[tile.F32T5[F, D, C, B, A]](v, 4, 3, 2, 1, 0))
	at.Store(v.ArgMax4())
}

// rank6 does the same with six axes, and swaps the last two.
func rank6[A, B, C, D, F, G dims](x tile.In[tile.I16T6[A, B, C, D, F, G]], same tile.Out[tile.I16T6[A, B, C, D, F, G]], peak tile.Out[tile.I16T6[A, tile.D1, C, D, F, G]], turned tile.Out[tile.I16T6[A, B, C, D, G, F]], some tile.Out[tile.BoolTile6[A, B, C, D, F, tile.D1]]) {
	i, j := same.Index(0), same.Index(5)
	v := x.Load(i, same.Index(1), same.Index(2), same.Index(3), same.Index(4), j)
	same.Store(tile.CumSum(max(v, -v), 5, tile.Forward))
	peak.Store(v.Max1())
	turned.Store(v.T())
	positive := tile.BoolTile6[A, B, C, D, F, G](v > 0)
	some.Store(positive.Any5())
}

// addf is one function for every rank.
func addf[T tile.FloatTile](x, y T) T { return tile.AddRound(x, y, tile.RoundEven, false) }

// spread6 gives every rank the shape of six axes, from one element up, and adds at each.
func spread6[A, B, C, D, F, G dims](x tile.In[tile.F64T1[G]], n float64, z tile.Out[tile.F64T6[A, B, C, D, F, G]]) {
	scalar := addf(tile.F64(n), 1)
	line := addf(x.Load(0), tile.F64T1[G](scalar))
	table := addf(tile.F64T2[F, G](line), 2)
	cube := addf(tile.F64T3[D, F, G](table), 3)
	four := addf(tile.F64T4[C, D, F, G](cube), 4)
	five := addf(tile.Broadcast[tile.F64T5[B, C, D, F, G]](four), tile.F64T5[B, C, D, F, G](scalar))
	z.Store(addf(tile.F64T6[A, B, C, D, F, G](five), 6))
}
