package quant

import "github.com/cutile-go/cutile/tile"

// In the kernels below E are the elements of x and w, S those of their scales and C those of y. A block makes M by N elements
// of y and walks along k, K elements with B scales at a time. Sums are float32.

// Scaled computes y = x·wᵀ for x [m, k] and w [k, n], which is a view, with a scale for each K/B elements along k: sx [m,
// k·B/K] and sw [k·B/K, n].
//
//cutile:entry
func Scaled[E, S, C tile.FloatElem, M, N, K, B tile.Dim](x tile.In[tile.FloatTile2[E, M, K]], sx tile.In[tile.FloatTile2[S, M, B]],
	w tile.In[tile.FloatTile2[E, K, N]], sw tile.In[tile.FloatTile2[S, B, N]], y tile.Out[tile.FloatTile2[C, M, N]]) {
	i, j := y.Index(0), y.Index(1)
	var sum tile.F32T2[M, N]
	for k := range x.Tiles(1) {
		sum = tile.DotScaled(x.Load(i, k), sx.Load(i, k), w.Load(k, j), sw.Load(k, j), sum)
	}
	y.Store(tile.FloatTile2[C, M, N](sum))
}

// ScaledFours computes y = x·wᵀ·fx·fw for floats of four bits, two per byte along k, the first in the lower half: x [m, k/2], w
// [n, k/2]. sx and sw are as in [Scaled].
//
//cutile:entry
func ScaledFours[S, C tile.FloatElem, M, N, K, B tile.Dim](x tile.In[tile.U8T2[M, tile.Quotient[K, tile.D2]]], sx tile.In[tile.FloatTile2[S, M, B]],
	w tile.In[tile.U8T2[N, tile.Quotient[K, tile.D2]]], sw tile.In[tile.FloatTile2[S, B, N]], y tile.Out[tile.FloatTile2[C, M, N]], fx, fw float32) {
	i, j := y.Index(0), y.Index(1)
	var sum tile.F32T2[M, N]
	for k := range x.Tiles(1) {
		a, b := fours(x.Load(i, k)), fours(w.Load(j, k))
		sum = tile.DotScaled(a, sx.Load(i, k), b.T(), sw.Load(k, j), sum)
	}
	y.Store(tile.FloatTile2[C, M, N](sum * tile.F32T2[M, N](fx) * tile.F32T2[M, N](fw)))
}

// fours unpacks bytes of two floats, along the rows.
func fours[M, K tile.Dim](bytes tile.U8T2[M, tile.Quotient[K, tile.D2]]) tile.F4E2M1T2[M, K] {
	row := tile.Reshape[tile.U8T1[tile.Product[M, tile.Quotient[K, tile.D2]]]](bytes)
	return tile.Reshape[tile.F4E2M1T2[M, K]](tile.Unpack[tile.F4E2M1T1[tile.Product[M, K]]](row))
}

// In the kernels below E are the elements of x [m, k]. A block rounds M rows, K elements of each.

// RoundMXFP8 rounds x to values [m, k] with scales [m, k/32]: see [MXFP8FromSlice].
//
//cutile:entry
func RoundMXFP8[E tile.FloatElem, M, K tile.Dim](x tile.In[tile.FloatTile2[E, M, K]], values tile.Out[tile.F8E4M3T2[M, K]],
	scales tile.Out[tile.F8E8M0T2[M, tile.Quotient[K, tile.D32]]]) {
	type blocks = tile.Quotient[K, tile.D32]
	v := tile.Reshape[tile.F32T3[M, blocks, tile.D32]](tile.F32T2[M, K](x.Load(values.Index(0), values.Index(1))))
	scale := tile.F8E8M0T3[M, blocks, tile.D1](tile.Abs(v).Max2() / mostE4M3) // rounds up
	v /= tile.F32T3[M, blocks, tile.D32](tile.F32T3[M, blocks, tile.D1](scale))
	values.Store(tile.F8E4M3T2[M, K](tile.Reshape[tile.F32T2[M, K]](v)))
	scales.Store(tile.Reshape[tile.F8E8M0T2[M, blocks]](scale))
}

// RoundNVFP4 rounds x to values [m, k/2], bytes that hold two elements each, with scales [m, k/16] and a factor: see
// [NVFP4FromSlice].
//
//cutile:entry
func RoundNVFP4[E tile.FloatElem, M, K tile.Dim](x tile.In[tile.FloatTile2[E, M, K]], values tile.Out[tile.U8T2[M, tile.Quotient[K, tile.D2]]],
	scales tile.Out[tile.F8E4M3T2[M, tile.Quotient[K, tile.D16]]], factor float32) {
	type blocks = tile.Quotient[K, tile.D16]
	type column = tile.F32T3[M, blocks, tile.D1]
	v := tile.Reshape[tile.F32T3[M, blocks, tile.D16]](tile.F32T2[M, K](x.Load(values.Index(0), values.Index(1))))
	scale := tile.F8E4M3T3[M, blocks, tile.D1](tile.Abs(v).Max2() / mostE2M1 / column(factor))
	unit := tile.F32T3[M, blocks, tile.D16](column(scale) * column(factor))
	v = tile.Where(unit > 0, v/unit, 0) // where it is 0, all are too small
	all := tile.F4E2M1T1[tile.Product[M, K]](tile.Reshape[tile.F32T1[tile.Product[M, K]]](v))
	bytes := tile.Pack[tile.U8T1[tile.Product[M, tile.Quotient[K, tile.D2]]]](all)
	values.Store(tile.Reshape[tile.U8T2[M, tile.Quotient[K, tile.D2]]](bytes))
	scales.Store(tile.Reshape[tile.F8E4M3T2[M, blocks]](scale))
}
