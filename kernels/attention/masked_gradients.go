package attention

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// The kernels of this file are those of backward_kernels.go for queries that see some of the keys: see masked_kernels.go. bias and seen are
// [batch, heads, queries, keys]; without biased or masked, they are not read.

// SavingMasked is attention of queries to the keys that they see, and stores the sums: +Inf for a query that sees none, so that its
// weights are 0. The grid is the tiles of queries, the heads and the batch.
func SavingMasked[E tile.FloatElem, M, N, D, W tile.Dim](q tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	k tile.In[tile.FloatTile4[E, tile.D1, tile.D1, D, N]], v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, W]],
	bias tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, N]], seen tile.In[tile.BoolTile4[tile.D1, tile.D1, M, N]],
	lengths tile.In[tile.I32T1[tile.D1]], o tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, M, W]],
	sums tile.InOut[tile.F32T3[tile.D1, tile.D1, M]], back, ahead, sinks int, biased, masked bool, scale, most float32) {
	h := head[E, M, N, D, W]{q: q, k: k, v: v, o: o, batch: tile.BlockID(2), head: tile.BlockID(1), at: tile.BlockID(0), scale: scale, most: most}
	extra := extras[E, M, N]{bias, seen, biased, masked}
	p := v.Len(2) - q.Len(2) + h.at*tile.Extent[M]()
	s := h.among(reachOf[M](p, back, ahead, sinks, lengthOf(lengths, h.batch, v.Len(2))), func(j int) tile.F32T2[M, N] {
		return extra.at(h.batch, h.head, h.at, j)
	})
	h.storeSome(s)
	some := s.sum > 0
	sum := tile.Where(some, s.peak+tile.Log2(tile.Where(some, s.sum, 1)), tile.Inf[tile.F32T2[M, tile.D1]](1))
	sums.Store(tile.Reshape[tile.F32T3[tile.D1, tile.D1, M]](sum), h.batch, h.head, h.at)
}

// QueryGradientsMasked computes dq. The grid is the tiles of queries, the heads and the batch.
func QueryGradientsMasked[E tile.FloatElem, M, N, D tile.Dim](q, do tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	k, v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], bias tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, N]],
	seen tile.In[tile.BoolTile4[tile.D1, tile.D1, M, N]], lengths tile.In[tile.I32T1[tile.D1]], sums, deltas tile.In[tile.F32T3[tile.D1, tile.D1, M]],
	dq tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, M, D]], back, ahead, sinks int, biased, masked bool, scale, most float32) {
	i, head, batch := tile.BlockID(0), tile.BlockID(1), tile.BlockID(2)
	group, n := head/(q.Len(1)/k.Len(1)), tile.Extent[N]()
	x := load(q, do, sums, deltas, batch, head, i)
	extra := extras[E, M, N]{bias, seen, biased, masked}
	to := reachOf[M](k.Len(2)-q.Len(2)+i*tile.Extent[M](), back, ahead, sinks, lengthOf(lengths, batch, k.Len(2)))
	before, skipped := to.gap(n)
	var grad tile.F32T2[M, D]
	for t := range (to.to+n-1)/n - skipped {
		j := t
		if t >= before {
			j = t + skipped
		}
		key, value := rows[N, D](k.Load(batch, group, j, 0)), rows[N, D](v.Load(batch, group, j, 0))
		score := capped(scored(x, key, scale), most)
		_, ds := slopes(x, hide(see[N](to, j), score+extra.at(batch, head, i, j)), value)
		grad = tile.Dot(tile.FloatTile2[E, M, N](uncapped(ds, score, most)), key, grad)
	}
	grad *= tile.F32T2[M, D](scale * math.Ln2)
	dq.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, tile.D1, M, D]](tile.FloatTile2[E, M, D](grad)), batch, head, i, 0)
}

// KeyGradientsMasked computes dk and dv: sums over the queries of all heads that share the keys. The grid is the tiles of keys, the groups
// and the batch. Tiles of queries that see no key of a block are not read.
func KeyGradientsMasked[E tile.FloatElem, M, N, D tile.Dim](q, do tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	k, v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], bias tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, N]],
	seen tile.In[tile.BoolTile4[tile.D1, tile.D1, M, N]], lengths tile.In[tile.I32T1[tile.D1]], sums, deltas tile.In[tile.F32T3[tile.D1, tile.D1, M]],
	dk, dv tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], back, ahead, sinks int, biased, masked bool, scale, most float32) {
	j, group, batch := tile.BlockID(0), tile.BlockID(1), tile.BlockID(2)
	n, share := tile.Extent[N](), q.Len(1)/k.Len(1)
	key, value := rows[N, D](k.Load(batch, group, j, 0)), rows[N, D](v.Load(batch, group, j, 0))
	extra, length := extras[E, M, N]{bias, seen, biased, masked}, lengthOf(lengths, batch, k.Len(2))
	var g gradients[N, D]
	for head := group * share; head < (group+1)*share; head++ {
		for i := range q.Tiles(2) {
			to := reachOf[M](k.Len(2)-q.Len(2)+i*tile.Extent[M](), back, ahead, sinks, length)
			if j*n < to.to && ((j+1)*n > to.from || j*n < sinks) {
				x := load(q, do, sums, deltas, batch, head, i)
				score := capped(scored(x, key, scale), most)
				weight, ds := slopes(x, hide(see[N](to, j), score+extra.at(batch, head, i, j)), value)
				g = add(g, x, weight, uncapped(ds, score, most))
			}
		}
	}
	g.key *= tile.F32T2[N, D](scale * math.Ln2)
	dk.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, tile.D1, N, D]](tile.FloatTile2[E, N, D](g.key)), batch, group, j, 0)
	dv.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, tile.D1, N, D]](tile.FloatTile2[E, N, D](g.value)), batch, group, j, 0)
}

// BiasGradients computes db, the gradient of a bias of the same shape, which is 0 for keys that are not seen. The grid is the tiles of
// queries and keys, the heads and the batch.
func BiasGradients[E tile.FloatElem, M, N, D tile.Dim](q, do tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	k, v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], bias tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, N]],
	seen tile.In[tile.BoolTile4[tile.D1, tile.D1, M, N]], lengths tile.In[tile.I32T1[tile.D1]], sums, deltas tile.In[tile.F32T3[tile.D1, tile.D1, M]],
	db tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, M, N]], back, ahead, sinks int, masked bool, scale, most float32) {
	i, j, head, batch := tile.BlockID(0)/k.Tiles(2), tile.BlockID(0)%k.Tiles(2), tile.BlockID(1), tile.BlockID(2)
	group := head / (q.Len(1) / k.Len(1))
	x := load(q, do, sums, deltas, batch, head, i)
	to := reachOf[M](k.Len(2)-q.Len(2)+i*tile.Extent[M](), back, ahead, sinks, lengthOf(lengths, batch, k.Len(2)))
	key, value := rows[N, D](k.Load(batch, group, j, 0)), rows[N, D](v.Load(batch, group, j, 0))
	score := hide(see[N](to, j), capped(scored(x, key, scale), most)+extras[E, M, N]{bias, seen, true, masked}.at(batch, head, i, j))
	_, ds := slopes(x, score, value)
	db.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, tile.D1, M, N]](tile.FloatTile2[E, M, N](ds)), batch, head, i, j)
}
