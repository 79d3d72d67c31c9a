package attention

import "github.com/cutile-go/cutile/tile"

// reach is what M queries at neighbouring positions see: the first ones of the keys, sinks in number, and those from first to before
// last, of each query. Any query sees keys from from to before to.
type reach[M tile.Dim] struct {
	from, to, sinks int
	first, last     tile.I32T2[M, tile.D1]
}

// reachOf is that of queries of which the first one is at position p, of a sequence of a length.
func reachOf[M tile.Dim](p, back, ahead, sinks, length int) reach[M] {
	type column = tile.I32T2[M, tile.D1]
	at := column(p) + tile.Reshape[column](tile.Iota[M]())
	return reach[M]{
		from: max(p-back, 0), to: max(min(p+tile.Extent[M]()+ahead, length), 0), sinks: sinks,
		first: at - column(back), last: min(at+column(ahead+1), column(length)),
	}
}

// see tells which keys of the j-th tile each query sees.
func see[N, M tile.Dim](r reach[M], j int) tile.BoolTile2[M, N] {
	at := columns[M, N](j)
	near := at >= tile.I32T2[M, N](r.first) || at < tile.I32T2[M, N](r.sinks)
	return tile.BoolTile2[M, N](near && at < tile.I32T2[M, N](r.last))
}

// gap is the part of the tiles of n keys that no query sees, between those with sinks and those near the queries: there are before tiles
// in front of it, and skipped tiles in it.
func (r reach[M]) gap(n int) (before, skipped int) {
	before = min((r.sinks+n-1)/n, r.from/n)
	return before, r.from/n - before
}

// nothing is added to scores.
func nothing[M, N tile.Dim](int) tile.F32T2[M, N] { return 0 }

// lengthOf is how many keys a sequence has, from 0 to most.
func lengthOf(lengths tile.In[tile.I32T1[tile.D1]], batch, most int) int {
	return max(min(int(tile.Reshape[tile.I32](lengths.Load(batch))), most), 0)
}

// over is attention of queries to the keys that they see: fetch gives the keys, as columns, and the values of the j-th tile.
func over[R tile.Dim, E tile.FloatElem, M, N, D, W tile.Dim](query tile.FloatTile2[E, M, D], to reach[R], first, step int, scale, most float32,
	fetch func(j int) (tile.FloatTile2[E, D, N], tile.FloatTile2[E, N, W]), add func(j int) tile.F32T2[M, N]) online[M, W] {
	return walk(to, first, step, scale, most, func(j int) (tile.F32T2[M, N], tile.FloatTile2[E, N, W]) {
		key, value := fetch(j)
		return tile.Dot(query, key, tile.F32T2[M, N](0)), value
	}, add)
}

// walk goes over every step-th of the tiles of keys in which queries see some, beginning with number first; R is 1 where all queries see
// the same. product gives the products of queries and keys of the j-th tile, and its values, and add what is added to its scores.
func walk[R tile.Dim, E tile.FloatElem, M, N, W tile.Dim](to reach[R], first, step int, scale, most float32,
	product func(j int) (tile.F32T2[M, N], tile.FloatTile2[E, N, W]), add func(j int) tile.F32T2[M, N]) online[M, W] {
	s, n := begin[M, W](), tile.Extent[N]()
	before, skipped := to.gap(n)
	for t := first; t < (to.to+n-1)/n-skipped; t += step {
		j := t
		if t >= before {
			j = t + skipped
		}
		score, value := product(j)
		score = capped(score*tile.F32T2[M, N](scale), most) + add(j)
		s = next(s, hide(tile.Broadcast[tile.BoolTile2[M, N]](see[N](to, j)), score), value)
	}
	return s
}

// among is [over] for the keys of a head.
func (h head[E, M, N, D, W]) among(to reach[M], add func(j int) tile.F32T2[M, N]) online[M, W] {
	query := tile.Reshape[tile.FloatTile2[E, M, D]](h.q.Load(h.batch, h.head, h.at, 0))
	group := int(tile.U32(h.head) / (tile.U32(h.q.Len(1)) / tile.U32(h.k.Len(1))))
	return over(query, to, 0, 1, h.scale, h.most, func(j int) (tile.FloatTile2[E, D, N], tile.FloatTile2[E, N, W]) {
		return tile.Reshape[tile.FloatTile2[E, D, N]](h.k.Load(h.batch, group, 0, j)), tile.Reshape[tile.FloatTile2[E, N, W]](h.v.Load(h.batch, group, j, 0))
	}, add)
}

// mean is what queries have seen, and zeros for those that saw nothing.
func mean[E tile.FloatElem, M, W tile.Dim](s online[M, W]) tile.FloatTile2[E, M, W] {
	return tile.FloatTile2[E, M, W](s.acc / tile.F32T2[M, W](tile.Where(s.sum > 0, s.sum, 1)))
}

// storeSome writes what the queries have seen, and zeros for those that saw nothing.
func (h head[E, M, N, D, W]) storeSome(s online[M, W]) {
	h.o.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, tile.D1, M, W]](mean[E](s)), h.batch, h.head, h.at, 0)
}
