package attention

import "github.com/cutile-go/cutile/tile"

// The kernels of this file have q [batch, heads, queries, dim], k [batch, groups, dim, keys], which is a view, v [batch,
// groups, keys, dim] and o like q. heads is a multiple of groups: heads/groups heads of queries share keys and values. The grid
// is the tiles of queries, the heads and the batch. A block has M queries of one head and walks over the keys, N at a time.
// scale has the factor log2(e) in it, as powers of 2 are cheaper than those of e.

// Full computes attention of each query to all keys.
func Full[E tile.FloatElem, M, N, D tile.Dim](q tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	k tile.In[tile.FloatTile4[E, tile.D1, tile.D1, D, N]], v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]],
	o tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, M, D]], scale float32) {
	h := head[E, M, N, D, D]{q: q, k: k, v: v, o: o, batch: tile.BlockID(2), head: tile.BlockID(1), at: tile.BlockID(0), scale: scale}
	keys := v.Len(2)
	h.store(h.attend(bound[M](false, h.at, q.Len(2), keys), func(j int) tile.BoolTile2[M, N] {
		some := tile.BoolTile2[tile.D1, N](columns[tile.D1, N](j) < tile.I32T2[tile.D1, N](keys))
		return tile.Broadcast[tile.BoolTile2[M, N]](some) // the same keys for each query
	}))
}

// Causal computes attention of each query to the keys up to its own. If there are more keys than queries, the queries are the
// last ones, as when text is continued. Keys that no query of a block sees are not read; blocks with many keys start first, so
// that the blocks that end last are short.
func Causal[E tile.FloatElem, M, N, D tile.Dim](q tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	k tile.In[tile.FloatTile4[E, tile.D1, tile.D1, D, N]], v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]],
	o tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, M, D]], scale float32) {
	i := tile.NumBlocks(0) - 1 - tile.BlockID(0)
	h := head[E, M, N, D, D]{q: q, k: k, v: v, o: o, batch: tile.BlockID(2), head: tile.BlockID(1), at: i, scale: scale}
	to := bound[M](true, i, q.Len(2), v.Len(2))
	h.store(h.attend(to, visible[N](to)))
}

// head is the work of a block: a tile of queries of one head, whose values may have another width than its keys.
type head[E tile.FloatElem, M, N, D, W tile.Dim] struct {
	q               tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]]
	k               tile.In[tile.FloatTile4[E, tile.D1, tile.D1, D, N]]
	v               tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, W]]
	o               tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, M, W]]
	batch, head, at int
	scale, most     float32 // most is the soft cap of scores, or 0
}

// attend walks over the keys that the queries see. Only tiles in which a key is hidden from a query are masked: seen tells of
// the j-th tile which keys each query sees.
func (h head[E, M, N, D, W]) attend(to limit[M], seen func(j int) tile.BoolTile2[M, N]) online[M, W] {
	query := tile.Reshape[tile.FloatTile2[E, M, D]](h.q.Load(h.batch, h.head, h.at, 0))
	group := int(tile.U32(h.head) / (tile.U32(h.q.Len(1)) / tile.U32(h.k.Len(1))))
	s, n := begin[M, W](), tile.Extent[N]()
	for j := range to.open / n {
		s = next(s, h.scores(query, group, j), tile.Reshape[tile.FloatTile2[E, N, W]](h.v.Load(h.batch, group, j, 0)))
	}
	for j := to.open / n; j < int(tile.DivCeil(tile.I32(to.seen), tile.I32(n))); j++ {
		score := hide(seen(j), h.scores(query, group, j))
		s = next(s, score, tile.Reshape[tile.FloatTile2[E, N, W]](h.v.Load(h.batch, group, j, 0)))
	}
	return s
}

// store writes what the queries have seen.
func (h head[E, M, N, D, W]) store(s online[M, W]) {
	o := tile.FloatTile2[E, M, W](s.acc / tile.F32T2[M, W](s.sum))
	h.o.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, tile.D1, M, W]](o), h.batch, h.head, h.at, 0)
}

// scores are those of the j-th tile of keys.
func (h head[E, M, N, D, W]) scores(query tile.FloatTile2[E, M, D], group, j int) tile.F32T2[M, N] {
	key := tile.Reshape[tile.FloatTile2[E, D, N]](h.k.Load(h.batch, group, 0, j))
	return capped(tile.Dot(query, key, tile.F32T2[M, N](0))*tile.F32T2[M, N](h.scale), h.most)
}
