package attention

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// The kernels of this file have q, o, do and dq [batch, heads, queries, dim], k, v, dk and dv [batch, groups, keys, dim], and
// sums and deltas [batch, heads, queries]: the logarithm to base 2 of the sum of a query's weights, and Σ o·do over dim. M is
// a number of queries and N one of keys. scale has the factor log2(e) in it.
//
// With p the weights of the keys, the gradients are dv = pᵀ·do, ds = p·(do·vᵀ - delta), dq = ds·k·scale and dk = dsᵀ·q·scale.
// p follows from the scores and their sums, so that no matrix of weights is kept. (T. Dao and others, FlashAttention, 2022.)

// Saving is [Full] or, with causal, [Causal], and also stores the sums. The grid is the tiles of queries, the heads and the
// batch.
func Saving[E tile.FloatElem, M, N, D tile.Dim](q tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	k tile.In[tile.FloatTile4[E, tile.D1, tile.D1, D, N]], v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]],
	o tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, M, D]], sums tile.InOut[tile.F32T3[tile.D1, tile.D1, M]], causal bool, scale float32) {
	h := head[E, M, N, D, D]{q: q, k: k, v: v, o: o, batch: tile.BlockID(2), head: tile.BlockID(1), at: tile.BlockID(0), scale: scale}
	to := bound[M](causal, h.at, q.Len(2), v.Len(2))
	s := h.attend(to, visible[N](to))
	h.store(s)
	sums.Store(tile.Reshape[tile.F32T3[tile.D1, tile.D1, M]](s.peak+tile.Log2(s.sum)), h.batch, h.head, h.at)
}

// Deltas computes Σ o·do over dim.
//
//cutile:entry
func Deltas[E tile.FloatElem, M, D tile.Dim](o, do tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	deltas tile.Out[tile.F32T3[tile.D1, tile.D1, M]]) {
	batch, head, i := deltas.Index(0), deltas.Index(1), deltas.Index(2)
	x, y := rows[M, D](o.Load(batch, head, i, 0)), rows[M, D](do.Load(batch, head, i, 0))
	delta := (tile.F32T2[M, D](x) * tile.F32T2[M, D](y)).Sum1()
	deltas.Store(tile.Reshape[tile.F32T3[tile.D1, tile.D1, M]](delta))
}

// QueryGradients computes dq. The grid is the tiles of queries, the heads and the batch.
func QueryGradients[E tile.FloatElem, M, N, D tile.Dim](q, do tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	k, v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], sums, deltas tile.In[tile.F32T3[tile.D1, tile.D1, M]],
	dq tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, M, D]], causal bool, scale float32) {
	i, head, batch := tile.BlockID(0), tile.BlockID(1), tile.BlockID(2)
	group, n := head/(q.Len(1)/k.Len(1)), tile.Extent[N]()
	x := load(q, do, sums, deltas, batch, head, i)
	to := bound[M](causal, i, q.Len(2), k.Len(2))
	var grad tile.F32T2[M, D]
	for j := range to.open / n {
		key, value := rows[N, D](k.Load(batch, group, j, 0)), rows[N, D](v.Load(batch, group, j, 0))
		_, ds := slopes(x, scored(x, key, scale), value)
		grad = tile.Dot(tile.FloatTile2[E, M, N](ds), key, grad)
	}
	for j := to.open / n; j < int(tile.DivCeil(tile.I32(to.seen), tile.I32(n))); j++ {
		key, value := rows[N, D](k.Load(batch, group, j, 0)), rows[N, D](v.Load(batch, group, j, 0))
		score := hide(visible[N](to)(j), scored(x, key, scale))
		_, ds := slopes(x, score, value)
		grad = tile.Dot(tile.FloatTile2[E, M, N](ds), key, grad)
	}
	grad *= tile.F32T2[M, D](scale * math.Ln2)
	dq.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, tile.D1, M, D]](tile.FloatTile2[E, M, D](grad)), batch, head, i, 0)
}

// KeyGradients computes dk and dv: sums over the queries of all heads that share the keys. The grid is the tiles of keys, the
// groups and the batch.
func KeyGradients[E tile.FloatElem, M, N, D tile.Dim](q, do tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	k, v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], sums, deltas tile.In[tile.F32T3[tile.D1, tile.D1, M]],
	dk, dv tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], causal bool, scale float32) {
	j, group, batch := tile.BlockID(0), tile.BlockID(1), tile.BlockID(2)
	m, n, share := tile.Extent[M](), tile.Extent[N](), q.Len(1)/k.Len(1)
	key, value := rows[N, D](k.Load(batch, group, j, 0)), rows[N, D](v.Load(batch, group, j, 0))
	first, open := 0, 0 // tiles of queries that see one of the keys, and all
	if causal {
		hidden := j*n + q.Len(2) - k.Len(2) // this many queries see none
		first, open = max(hidden, 0)/m, (max(hidden+n-1, 0)+m-1)/m
	}
	var g gradients[N, D]
	for head := group * share; head < (group+1)*share; head++ {
		for i := first; i < min(open, q.Tiles(2)); i++ {
			x := load(q, do, sums, deltas, batch, head, i)
			to := bound[M](true, i, q.Len(2), k.Len(2))
			score := hide(visible[N](to)(j), scored(x, key, scale))
			weight, ds := slopes(x, score, value)
			g = add(g, x, weight, ds)
		}
		for i := open; i < q.Tiles(2); i++ {
			x := load(q, do, sums, deltas, batch, head, i)
			weight, ds := slopes(x, scored(x, key, scale), value)
			g = add(g, x, weight, ds)
		}
	}
	g.key *= tile.F32T2[N, D](scale * math.Ln2)
	dk.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, tile.D1, N, D]](tile.FloatTile2[E, N, D](g.key)), batch, group, j, 0)
	dv.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, tile.D1, N, D]](tile.FloatTile2[E, N, D](g.value)), batch, group, j, 0)
}
