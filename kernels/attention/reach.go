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

// lengthOf is how many keys a sequence has.
func lengthOf(lengths tile.In[tile.I32T1[tile.D1]], batch, most int) int {
	return min(int(tile.Reshape[tile.I32](lengths.Load(batch))), most)
}

// among walks over the tiles of keys that the queries see; add is what is added to the scores of the j-th one.
func (h head[E, M, N, D]) among(to reach[M], add func(j int) tile.F32T2[M, N]) online[M, D] {
	query := tile.Reshape[tile.FloatTile2[E, M, D]](h.q.Load(h.batch, h.head, h.at, 0))
	group := int(tile.U32(h.head) / (tile.U32(h.q.Len(1)) / tile.U32(h.k.Len(1))))
	s, n := begin[M, D](), tile.Extent[N]()
	before, skipped := to.gap(n)
	for t := range (to.to+n-1)/n - skipped {
		j := t
		if t >= before {
			j = t + skipped
		}
		score := hide(see[N](to, j), h.scores(query, group, j)+add(j))
		s = next(s, score, tile.Reshape[tile.FloatTile2[E, N, D]](h.v.Load(h.batch, group, j, 0)))
	}
	return s
}

// storeSome writes what the queries have seen, and zeros for those that saw nothing.
func (h head[E, M, N, D]) storeSome(s online[M, D]) {
	some := s.sum > 0
	o := tile.FloatTile2[E, M, D](s.acc / tile.F32T2[M, D](tile.Where(some, s.sum, 1)))
	h.o.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, tile.D1, M, D]](o), h.batch, h.head, h.at, 0)
}
