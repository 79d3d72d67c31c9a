package quant

import "github.com/cutile-go/cutile/tile"

// In the kernels below x has elements E, whose tensor cores multiply, and y elements C. Weights are integers, with a float for each K
// of them along k: a group of weights is what a block takes at a time. Integers of up to 8 bits are exact in each E.

// WeightInt8 computes y = x·wᵀ for x [m, k] and w [n, k]: element (i, j) of w is w[i, j]·scales[j/K, i], for scales [k/K, n], which is a
// view.
//
//cutile:entry
func WeightInt8[E, C tile.FloatElem, M, N, K tile.Dim](x tile.In[tile.FloatTile2[E, M, K]], w tile.In[tile.I8T2[N, K]],
	scales tile.In[tile.F32T2[tile.D1, N]], y tile.Out[tile.FloatTile2[C, M, N]]) {
	i, j := y.Index(0), y.Index(1)
	var sum tile.F32T2[M, N]
	for k := range x.Tiles(1) {
		sum = plus(sum, x.Load(i, k), tile.FloatTile2[E, N, K](w.Load(j, k)), scales.Load(k, j))
	}
	y.Store(tile.FloatTile2[C, M, N](sum))
}

// WeightInt4 is [WeightInt8] for integers of four bits, two per byte along k, the first in the lower half: w [n, k/2].
//
//cutile:entry
func WeightInt4[E, C tile.FloatElem, M, N, K tile.Dim](x tile.In[tile.FloatTile2[E, M, K]], w tile.In[tile.U8T2[N, tile.Quotient[K, tile.D2]]],
	scales tile.In[tile.F32T2[tile.D1, N]], y tile.Out[tile.FloatTile2[C, M, N]]) {
	i, j := y.Index(0), y.Index(1)
	var sum tile.F32T2[M, N]
	for k := range x.Tiles(1) {
		sum = plus(sum, x.Load(i, k), tile.FloatTile2[E, N, K](signed4[N, K](w.Load(j, k))), scales.Load(k, j))
	}
	y.Store(tile.FloatTile2[C, M, N](sum))
}

// plus is sum with the product of a group of weights, scaled.
func plus[E tile.FloatElem, M, N, K tile.Dim](sum tile.F32T2[M, N], x tile.FloatTile2[E, M, K], w tile.FloatTile2[E, N, K],
	scale tile.F32T2[tile.D1, N]) tile.F32T2[M, N] {
	return tile.FMA(tile.Dot(x, w.T(), tile.F32T2[M, N](0)), tile.F32T2[M, N](scale), sum)
}

// signed4 unpacks bytes of two integers from -8 to 7, along the rows.
func signed4[N, K tile.Dim](bytes tile.U8T2[N, tile.Quotient[K, tile.D2]]) tile.I8T2[N, K] {
	type halves = tile.I8T3[N, tile.Quotient[K, tile.D2], tile.D1]
	b := tile.Reshape[halves](tile.Bitcast[tile.I8T2[N, tile.Quotient[K, tile.D2]]](bytes))
	low, high := b<<4>>4, b>>4 // with their signs
	return tile.Reshape[tile.I8T2[N, K]](tile.Cat[tile.I8T3[N, tile.Quotient[K, tile.D2], tile.D2]](low, high, 2))
}
