package attention

import "github.com/cutile-go/cutile/tile"

// rows are those of a tile of one head.
func rows[M, D tile.Dim, E tile.FloatElem](x tile.FloatTile4[E, tile.D1, tile.D1, M, D]) tile.FloatTile2[E, M, D] {
	return tile.Reshape[tile.FloatTile2[E, M, D]](x)
}

// queries is what a block reads of M queries. All of a query behind the last one is 0, and so is what it adds to gradients.
type queries[E tile.FloatElem, M, D tile.Dim] struct {
	query, grad tile.FloatTile2[E, M, D]
	sum, delta  tile.F32T2[M, tile.D1]
}

func load[E tile.FloatElem, M, D tile.Dim](q, do tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	sums, deltas tile.In[tile.F32T3[tile.D1, tile.D1, M]], batch, head, i int) queries[E, M, D] {
	return queries[E, M, D]{
		query: rows[M, D](q.Load(batch, head, i, 0)),
		grad:  rows[M, D](do.Load(batch, head, i, 0)),
		sum:   tile.Reshape[tile.F32T2[M, tile.D1]](sums.Load(batch, head, i)),
		delta: tile.Reshape[tile.F32T2[M, tile.D1]](deltas.Load(batch, head, i)),
	}
}

// scored is what N keys score.
func scored[E tile.FloatElem, M, N, D tile.Dim](x queries[E, M, D], key tile.FloatTile2[E, N, D], scale float32) tile.F32T2[M, N] {
	return tile.Dot(x.query, key.T(), tile.F32T2[M, N](0)) * tile.F32T2[M, N](scale)
}

// slopes are the weights of N keys, and the gradients of their scores.
func slopes[E tile.FloatElem, M, N, D tile.Dim](x queries[E, M, D], score tile.F32T2[M, N], value tile.FloatTile2[E, N, D]) (weight, ds tile.F32T2[M, N]) {
	weight = tile.Exp2(score - tile.F32T2[M, N](x.sum))
	return weight, weight * (tile.Dot(x.grad, value.T(), tile.F32T2[M, N](0)) - tile.F32T2[M, N](x.delta))
}

// gradients are those of N keys and their values, so far.
type gradients[N, D tile.Dim] struct{ key, value tile.F32T2[N, D] }

// add is the sum with M more queries, given what [slopes] gives.
func add[E tile.FloatElem, M, N, D tile.Dim](g gradients[N, D], x queries[E, M, D], weight, ds tile.F32T2[M, N]) gradients[N, D] {
	return gradients[N, D]{
		key:   tile.Dot(tile.FloatTile2[E, M, N](ds).T(), x.query, g.key),
		value: tile.Dot(tile.FloatTile2[E, M, N](weight).T(), x.grad, g.value),
	}
}
