package moe

import "github.com/cutile-go/cutile/tile"

// Grouped multiplies each row by the matrix of its expert: y[p] = x[p/share]·w[expert of p] for pairs p of a token and an expert,
// of which each token has share. x is [tokens, k] and y [pairs, n], both in row-major order; w is [experts, k, n]. rows has the pairs
// in the order of their experts, M for each block, with an invalid pair number in unused places; experts has the expert of each
// block, or -1 for a block without rows. The grid is the blocks of rows and the tiles of columns; a block computes M by N
// elements of y and processes K elements along k at a time.
func Grouped[E tile.FloatElem, M, N, K tile.Dim](x tile.Ptr[E], w tile.In[tile.FloatTile3[E, tile.D1, K, N]],
	rows tile.In[tile.I32T1[M]], experts tile.In[tile.I32T1[tile.D1]], y tile.Ptr[E], pairs, share int) {
	i, j := tile.BlockID(0), tile.BlockID(1)
	depth, width := w.Len(1), w.Len(2)
	expert := int(tile.Reshape[tile.I32](experts.Load(i)))
	if expert < 0 {
		return
	}
	pair := tile.Reshape[tile.I32T2[M, tile.D1]](rows.Load(i))
	pair = tile.Where(pair < tile.I32T2[M, tile.D1](pairs), pair, -1)
	from := tile.I64T2[M, tile.D1](pair/tile.I32T2[M, tile.D1](share)) * tile.I64T2[M, tile.D1](depth)
	var sum tile.F32T2[M, N]
	for k := range w.Tiles(1) {
		col := tile.I32T1[K](k*tile.Extent[K]()) + tile.Iota[K]()
		inside := tile.I32T2[M, K](pair) >= 0 && tile.I32T2[M, K](col) < tile.I32T2[M, K](depth)
		a := tile.Gather[tile.FloatTile2[E, M, K]](x, tile.I64T2[M, K](from)+tile.I64T2[M, K](col), inside, 0)
		sum = tile.Dot(a, tile.Reshape[tile.FloatTile2[E, K, N]](w.Load(expert, k, j)), sum)
	}
	col := tile.I32T1[N](j*tile.Extent[N]()) + tile.Iota[N]()
	inside := tile.I32T2[M, N](pair) >= 0 && tile.I32T2[M, N](col) < tile.I32T2[M, N](width)
	to := tile.I64T2[M, N](tile.I64T2[M, tile.D1](pair)*tile.I64T2[M, tile.D1](width)) + tile.I64T2[M, N](col)
	tile.Scatter(y, to, tile.FloatTile2[E, M, N](sum), inside)
}

// Combine computes z[t] = the sum of weights[t, s]·y[t, s] over s, the combined results of a token's experts. S is at least the
// number of experts per token.
//
//cutile:entry
func Combine[E tile.FloatElem, S, N tile.Dim](y tile.In[tile.FloatTile3[E, tile.D1, S, N]], weights tile.In[tile.F32T2[tile.D1, S]],
	z tile.Out[tile.FloatTile2[E, tile.D1, N]]) {
	t, j := z.Index(0), z.Index(1)
	say := tile.F32T2[S, N](tile.Reshape[tile.FloatTile2[E, S, N]](y.Load(t, 0, j)))
	weight := tile.F32T2[S, N](weights.Load(t, 0).T())
	z.Store(tile.FloatTile2[E, tile.D1, N]((say * weight).Sum0()))
}
