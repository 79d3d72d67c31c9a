package attention

import "github.com/cutile-go/cutile/tile"

// pages is the cache of a sequence: k and v are [pages, groups, size, dim], and row batch of table has the numbers of its pages, in
// order. Keys from length on, and those on pages whose number is not one of the cache, are not read.
type pages[E tile.FloatElem, N, D, W tile.Dim] struct {
	k                    tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]]
	v                    tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, W]]
	table                tile.In[tile.I32T2[tile.D1, tile.D1]]
	batch, group, length int
}

// find gives the pages of the j-th tile of keys, or -1, and their places on them.
func (p pages[E, N, D, W]) find(j int) (page, place tile.I32T2[N, tile.D1]) {
	type column = tile.I32T2[N, tile.D1]
	at, size := column(j*tile.Extent[N]())+tile.Reshape[column](tile.Iota[N]()), column(p.k.Len(2))
	page = tile.GatherAt(p.table, column(-1), column(p.batch), at/size)
	return tile.Where(at < column(p.length) && page < column(p.k.Len(0)), page, -1), at % size
}

// fetch gives the j-th tile of keys, as columns, and of values.
func (p pages[E, N, D, W]) fetch(j int) (tile.FloatTile2[E, D, N], tile.FloatTile2[E, N, W]) {
	page, place := p.find(j)
	key := tile.GatherAt(p.k, tile.FloatTile2[E, N, D](0), tile.I32T2[N, D](page), tile.I32T2[N, D](p.group), tile.I32T2[N, D](place), tile.I32T2[N, D](tile.Iota[D]()))
	value := tile.GatherAt(p.v, tile.FloatTile2[E, N, W](0), tile.I32T2[N, W](page), tile.I32T2[N, W](p.group), tile.I32T2[N, W](place), tile.I32T2[N, W](tile.Iota[W]()))
	return key.T(), value
}

// there is 0 for keys on pages of the cache, and -Inf for others.
func (p pages[E, N, D, W]) there(j int) tile.F32T2[tile.D1, N] {
	page, _ := p.find(j)
	return hide(page >= 0, tile.F32T2[N, tile.D1](0)).T()
}

// DecodePaged is [DecodeMasked] of a cache that is kept in pages: k and v are [pages, groups, size, dim], and table [batch, most] has the
// numbers of the pages of each sequence. Keys on pages with other numbers are hidden. bias and seen are [batch, groups, share, most·size];
// without biased or masked, they are not read.
func DecodePaged[E tile.FloatElem, G, N, D tile.Dim](q tile.In[tile.FloatTile4[E, tile.D1, tile.D1, G, D]],
	k, v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], table tile.In[tile.I32T2[tile.D1, tile.D1]],
	bias tile.In[tile.FloatTile4[E, tile.D1, tile.D1, G, N]], seen tile.In[tile.BoolTile4[tile.D1, tile.D1, G, N]],
	lengths tile.In[tile.I32T1[tile.D1]], parts tile.InOut[tile.F32T4[tile.D1, tile.D1, G, D]],
	sums tile.InOut[tile.F32T3[tile.D1, tile.D1, G]], back, sinks int, biased, masked bool, scale, most float32) {
	batch, group, part := tile.BlockID(0), tile.BlockID(1), tile.BlockID(2)
	extra := extras[E, G, N]{bias: bias, seen: seen, biased: biased, masked: masked}
	length := lengthOf(lengths, batch, table.Len(1)*k.Len(2))
	cache := pages[E, N, D, D]{k: k, v: v, table: table, batch: batch, group: group, length: length}
	to := reachOf[tile.D1](length-1, back, 0, sinks, length)
	s := over(rows[G, D](q.Load(batch, group, 0, 0)), to, part, tile.NumBlocks(2), scale, most, cache.fetch, func(j int) tile.F32T2[G, N] {
		return extra.at(batch, group, 0, j) + tile.F32T2[G, N](cache.there(j))
	})
	storePart(s, parts, sums, batch*tile.NumBlocks(1)+group, part, 0)
}
