package attention

import "github.com/cutile-go/cutile/tile"

// Neighbours is attention of the places of an image to those around them, which are rows of perRow places one after the other: q, k, v, o and
// the grid are those of [Full]. A place sees down rows and right columns, in the middle of which it is unless the image ends.
func Neighbours[E tile.FloatElem, M, N, D, W tile.Dim](q tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	k tile.In[tile.FloatTile4[E, tile.D1, tile.D1, D, N]], v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, W]],
	o tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, M, W]], perRow, down, right int, scale float32) {
	type column = tile.I32T2[M, tile.D1]
	h := head[E, M, N, D, W]{q: q, k: k, v: v, o: o, batch: tile.BlockID(2), head: tile.BlockID(1), at: tile.BlockID(0), scale: scale}
	rows, first := v.Len(2)/perRow, h.at*tile.Extent[M]()
	last := min(first+tile.Extent[M](), q.Len(2)) - 1
	place, wide := column(first)+tile.Reshape[column](tile.Iota[M]()), column(perRow)
	top := max(min(place/wide-column(down/2), column(rows-down)), 0)
	left := max(min(place%wide-column(right/2), column(perRow-right)), 0)
	to := reach[M]{
		from: max(min(first/perRow-down/2, rows-down), 0) * perRow, to: (max(min(last/perRow-down/2, rows-down), 0) + down) * perRow,
		first: top * wide, last: (top + column(down)) * wide,
	}
	h.storeSome(h.among(to, func(j int) tile.F32T2[M, N] {
		x := columns[M, N](j) % tile.I32T2[M, N](perRow)
		return hide(x >= tile.I32T2[M, N](left) && x < tile.I32T2[M, N](left+column(right)), tile.F32T2[M, N](0))
	}))
}

// Selected is attention to the keys in a list: q [batch, groups, share, queries, dim] and o [batch, groups, share, queries, width], k [batch,
// groups, keys, dim], v [batch, groups, keys, width], and list [batch, groups, queries, most], whose numbers that are not those of a key are
// left out. The grid is the queries, the groups and the batch; a block has the heads that share keys.
func Selected[E tile.FloatElem, G, N, D, W tile.Dim](q tile.In[tile.FloatTile5[E, tile.D1, tile.D1, G, tile.D1, D]],
	k tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, W]],
	list tile.In[tile.I32T4[tile.D1, tile.D1, tile.D1, N]], o tile.InOut[tile.FloatTile5[E, tile.D1, tile.D1, G, tile.D1, W]], scale float32) {
	at, group, batch := tile.BlockID(0), tile.BlockID(1), tile.BlockID(2)
	chosen := func(j int) tile.I32T2[N, tile.D1] {
		return tile.Reshape[tile.I32T2[N, tile.D1]](list.Load(batch, group, at, j))
	}
	query := tile.Reshape[tile.FloatTile2[E, G, D]](q.Load(batch, group, 0, at, 0))
	count := list.Len(3)
	s := over(query, reachOf[tile.D1](count-1, unlimited, 0, 0, count), 0, 1, scale, 0, func(j int) (tile.FloatTile2[E, D, N], tile.FloatTile2[E, N, W]) {
		n := chosen(j)
		key := tile.GatherAt(k, tile.FloatTile2[E, N, D](0), tile.I32T2[N, D](batch), tile.I32T2[N, D](group), tile.I32T2[N, D](n), tile.I32T2[N, D](tile.Iota[D]()))
		value := tile.GatherAt(v, tile.FloatTile2[E, N, W](0), tile.I32T2[N, W](batch), tile.I32T2[N, W](group), tile.I32T2[N, W](n), tile.I32T2[N, W](tile.Iota[W]()))
		return key.T(), value
	}, func(j int) tile.F32T2[G, N] {
		n := chosen(j)
		return tile.F32T2[G, N](hide(n >= 0 && n < tile.I32T2[N, tile.D1](k.Len(2)), tile.F32T2[N, tile.D1](0)).T())
	})
	o.Store(tile.Reshape[tile.FloatTile5[E, tile.D1, tile.D1, G, tile.D1, W]](mean[E](s)), batch, group, 0, at, 0)
}
