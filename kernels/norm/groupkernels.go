package norm

import "github.com/cutile-go/cutile/tile"

// In the kernels of this file a group is a part of the channels of one sequence: x, y and their gradients are [sequences·groups, channels of
// a group, places], mean and rstd [sequences·groups], and w and b [groups, channels of a group]. A tile has M channels and N places.

// GroupRows computes y = (x - mean)·rstd·w + b.
//
//cutile:entry
func GroupRows[E tile.FloatElem, M, N tile.Dim](x tile.In[tile.FloatTile3[E, tile.D1, M, N]], mean, rstd tile.In[tile.F32T1[tile.D1]],
	w, b tile.In[tile.FloatTile2[E, tile.D1, M]], y tile.Out[tile.FloatTile3[E, tile.D1, M, N]]) {
	g, c, j := y.Index(0), y.Index(1), y.Index(2)
	h, _ := inGroup(x, mean, rstd, g, c, j)
	at := g % w.Len(0)
	v := tile.FMA(h, ofChannels[N](w, at, c), ofChannels[N](b, at, c))
	y.Store(tile.Reshape[tile.FloatTile3[E, tile.D1, M, N]](tile.FloatTile2[E, M, N](v)))
}

// inGroup is the tile (c, j) of group g of x before it was scaled and shifted, and rstd.
func inGroup[E tile.FloatElem, M, N tile.Dim](x tile.In[tile.FloatTile3[E, tile.D1, M, N]], mean, rstd tile.In[tile.F32T1[tile.D1]],
	g, c, j int) (h, r tile.F32T2[M, N]) {
	type all = tile.F32T2[M, N]
	mu := all(tile.Reshape[tile.F32T2[tile.D1, tile.D1]](mean.Load(g)))
	r = all(tile.Reshape[tile.F32T2[tile.D1, tile.D1]](rstd.Load(g)))
	return (all(tile.Reshape[tile.FloatTile2[E, M, N]](x.Load(g, c, j))) - mu) * r, r
}

// ofChannels repeats the numbers of the c-th tile of channels of a group.
func ofChannels[N tile.Dim, E tile.FloatElem, M tile.Dim](w tile.In[tile.FloatTile2[E, tile.D1, M]], group, c int) tile.F32T2[M, N] {
	return tile.F32T2[M, N](tile.Reshape[tile.F32T2[M, tile.D1]](tile.F32T2[tile.D1, M](w.Load(group, c))))
}

// GroupBackwardRows computes dx: with h = (x - mean)·rstd and g = dy·w,
//
//	dx = (g - mean(g) - h·mean(g·h))·rstd
//
// where the means are those of a group. A block has a group and makes two passes over it.
func GroupBackwardRows[E tile.FloatElem, M, N tile.Dim](dy, x tile.In[tile.FloatTile3[E, tile.D1, M, N]], w tile.In[tile.FloatTile2[E, tile.D1, M]],
	mean, rstd tile.In[tile.F32T1[tile.D1]], dx tile.InOut[tile.FloatTile3[E, tile.D1, M, N]]) {
	type all = tile.F32T2[M, N]
	g, n := tile.BlockID(0), tile.F32T2[tile.D1, tile.D1](x.Len(1)*x.Len(2))
	at := g % w.Len(0)
	var common, along all
	for c := range x.Tiles(1) {
		for j := range x.Tiles(2) {
			d := all(tile.Reshape[tile.FloatTile2[E, M, N]](dy.Load(g, c, j))) * ofChannels[N](w, at, c) // 0 outside
			h, _ := inGroup(x, mean, rstd, g, c, j)
			common += d
			along = tile.FMA(d, h, along)
		}
	}
	m, a := all(common.Sum0().Sum1()/n), all(along.Sum0().Sum1()/n)
	for c := range x.Tiles(1) {
		for j := range x.Tiles(2) {
			d := all(tile.Reshape[tile.FloatTile2[E, M, N]](dy.Load(g, c, j))) * ofChannels[N](w, at, c)
			h, r := inGroup(x, mean, rstd, g, c, j)
			dx.Store(tile.Reshape[tile.FloatTile3[E, tile.D1, M, N]](tile.FloatTile2[E, M, N]((d-m-h*a)*r)), g, c, j)
		}
	}
}

// GroupBackwardW computes dw = Σ dy·h and db = Σ dy over all sequences and places. A block has M channels of a group. The grid is the
// groups and the tiles of their channels.
//
//cutile:entry
func GroupBackwardW[E tile.FloatElem, M, N tile.Dim](dy, x tile.In[tile.FloatTile3[E, tile.D1, M, N]], mean, rstd tile.In[tile.F32T1[tile.D1]],
	dw, db tile.Out[tile.FloatTile2[E, tile.D1, M]]) {
	type all = tile.F32T2[M, N]
	c := dw.Index(1)
	var along, common all
	for g := dw.Index(0); g < x.Len(0); g += dw.Len(0) {
		for j := range x.Tiles(2) {
			d := all(tile.Reshape[tile.FloatTile2[E, M, N]](dy.Load(g, c, j)))
			h, _ := inGroup(x, mean, rstd, g, c, j)
			along = tile.FMA(d, h, along)
			common += d
		}
	}
	dw.Store(tile.FloatTile2[E, tile.D1, M](tile.Reshape[tile.F32T2[tile.D1, M]](along.Sum1())))
	db.Store(tile.FloatTile2[E, tile.D1, M](tile.Reshape[tile.F32T2[tile.D1, M]](common.Sum1())))
}
