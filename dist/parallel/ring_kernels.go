package parallel

import "github.com/cutile-go/cutile/tile"

// The kernels of this file have tensors [batch, heads, tokens, dim], and sums [batch, heads, tokens]: the logarithms to base 2 of the sums of
// weights. A block has M tokens of one head, of which D elements hold the whole rows.

// at is the block's tile of rows, along the axes of its Out.
func at[M tile.Dim](x tile.Out[tile.F32T3[tile.D1, tile.D1, M]]) (batch, head, i int) {
	return x.Index(0), x.Index(1), x.Index(2)
}

// joinParts adds attention to some keys to that to others: both are weighted by their sums of weights. acc and sums are the result so far.
//
//cutile:entry
func joinParts[E tile.FloatElem, M, D tile.Dim](o tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]], more tile.In[tile.F32T3[tile.D1, tile.D1, M]],
	acc tile.InOut[tile.F32T4[tile.D1, tile.D1, M, D]], sums tile.Out[tile.F32T3[tile.D1, tile.D1, M]]) {
	batch, head, i := at(sums)
	a, b := tile.Reshape[tile.F32T2[M, tile.D1]](sums.Load()), tile.Reshape[tile.F32T2[M, tile.D1]](more.Load(batch, head, i))
	top := max(a, b)
	sum := top + tile.Log2(tile.Exp2(a-top)+tile.Exp2(b-top))
	x := tile.Reshape[tile.F32T2[M, D]](acc.Load(batch, head, i, 0)) * tile.F32T2[M, D](tile.Exp2(a-sum))
	y := tile.F32T2[M, D](tile.Reshape[tile.FloatTile2[E, M, D]](o.Load(batch, head, i, 0))) * tile.F32T2[M, D](tile.Exp2(b-sum))
	acc.Store(tile.Reshape[tile.F32T4[tile.D1, tile.D1, M, D]](x+y), batch, head, i, 0)
	sums.Store(tile.Reshape[tile.F32T3[tile.D1, tile.D1, M]](sum))
}

// addRows adds x to acc, or with first copies it. The grid is the tiles of tokens, the heads and the batch.
func addRows[E tile.FloatElem, M, D tile.Dim](x tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	acc tile.InOut[tile.F32T4[tile.D1, tile.D1, M, D]], first bool) {
	i, head, batch := tile.BlockID(0), tile.BlockID(1), tile.BlockID(2)
	sum := tile.F32T4[tile.D1, tile.D1, M, D](x.Load(batch, head, i, 0))
	if !first {
		sum += acc.Load(batch, head, i, 0)
	}
	acc.Store(sum, batch, head, i, 0)
}

// roundRows rounds x to the elements of y. The grid is that of addRows.
func roundRows[E tile.FloatElem, M, D tile.Dim](x tile.In[tile.F32T4[tile.D1, tile.D1, M, D]], y tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, M, D]]) {
	i, head, batch := tile.BlockID(0), tile.BlockID(1), tile.BlockID(2)
	y.Store(tile.FloatTile4[E, tile.D1, tile.D1, M, D](x.Load(batch, head, i, 0)), batch, head, i, 0)
}
