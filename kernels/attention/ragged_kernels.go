package attention

import "github.com/cutile-go/cutile/tile"

// The kernels of this file have the queries of all sequences one after the other, q [tokens, heads, dim] and o [tokens, heads, width]:
// those of sequence b go from starts[b] to before starts[b+1]. The queries of a sequence are at the last positions of its keys, and see
// what those of masked_kernels.go see. Tokens of no sequence keep what o has. A start is at least the one before it and at most the
// number of tokens: others count as these, so that no two sequences share a token. The grid is tokens/M plus the number of sequences, as
// no block has tokens of two, and the heads.

// span is a tile of the tokens of a sequence, which go from from to before to. Its keys, if they are ragged too, go from first to before
// last. Blocks without tokens have sequence -1.
type span struct{ sequence, at, from, to, first, last int }

// startOf is a start that fits.
func startOf(starts tile.In[tile.I32T1[tile.D1]], sequence, least, most int) int {
	return max(min(int(tile.Reshape[tile.I32](starts.Load(sequence))), most), least)
}

// spanOf is the at-th span of M tokens.
func spanOf[M tile.Dim](starts, keyStarts tile.In[tile.I32T1[tile.D1]], at, tokens, keys int) span {
	s := span{sequence: -1, at: at, to: startOf(starts, 0, 0, tokens), last: startOf(keyStarts, 0, 0, keys)}
	for b := range starts.Len(0) - 1 {
		s.from, s.to = s.to, startOf(starts, b+1, s.to, tokens)
		s.first, s.last = s.last, startOf(keyStarts, b+1, s.last, keys)
		tiles := (s.to - s.from + tile.Extent[M]() - 1) / tile.Extent[M]()
		if s.at < tiles {
			s.sequence = b
			break
		}
		s.at -= tiles
	}
	return s
}

// ragged is the work of a block: attention of a span of queries to a number of keys.
func ragged[E tile.FloatElem, M, N, D, W tile.Dim](q tile.In[tile.FloatTile3[E, M, tile.D1, D]], o tile.InOut[tile.FloatTile3[E, M, tile.D1, W]],
	s span, keys, back, ahead, sinks int, scale, most float32, fetch func(j int) (tile.FloatTile2[E, D, N], tile.FloatTile2[E, N, W]),
	add func(j int) tile.F32T2[M, N]) {
	head := tile.BlockID(1)
	query := tile.Reshape[tile.FloatTile2[E, M, D]](q.Slice(0, s.from, s.to).Load(s.at, head, 0))
	to := reachOf[M](keys-(s.to-s.from)+s.at*tile.Extent[M](), back, ahead, sinks, keys)
	x := mean[E](over(query, to, 0, 1, scale, most, fetch, add))
	o.Slice(0, s.from, s.to).Store(tile.Reshape[tile.FloatTile3[E, M, tile.D1, W]](x), s.at, head, 0)
}

// Ragged has the keys and values of all sequences one after the other, too: k [keys, groups, dim] and v [keys, groups, width], from
// keyStarts[b] to before keyStarts[b+1] for sequence b.
func Ragged[E tile.FloatElem, M, N, D, W tile.Dim](q tile.In[tile.FloatTile3[E, M, tile.D1, D]], k tile.In[tile.FloatTile3[E, N, tile.D1, D]],
	v tile.In[tile.FloatTile3[E, N, tile.D1, W]], o tile.InOut[tile.FloatTile3[E, M, tile.D1, W]], starts, keyStarts tile.In[tile.I32T1[tile.D1]],
	back, ahead, sinks int, scale, most float32) {
	s := spanOf[M](starts, keyStarts, tile.BlockID(0), q.Len(0), k.Len(0))
	if s.sequence < 0 {
		return
	}
	group := tile.BlockID(1) / (q.Len(1) / k.Len(1))
	ks, vs := k.Slice(0, s.first, s.last), v.Slice(0, s.first, s.last)
	ragged(q, o, s, s.last-s.first, back, ahead, sinks, scale, most, func(j int) (tile.FloatTile2[E, D, N], tile.FloatTile2[E, N, W]) {
		return tile.Reshape[tile.FloatTile2[E, N, D]](ks.Load(j, group, 0)).T(), tile.Reshape[tile.FloatTile2[E, N, W]](vs.Load(j, group, 0))
	}, nothing[M, N])
}

// Paged has the keys and values in pages: k [pages, groups, size, dim], v [pages, groups, size, width], table and lengths are those of
// [DecodePaged].
func Paged[E tile.FloatElem, M, N, D, W tile.Dim](q tile.In[tile.FloatTile3[E, M, tile.D1, D]], k tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]],
	v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, W]], table tile.In[tile.I32T2[tile.D1, tile.D1]], o tile.InOut[tile.FloatTile3[E, M, tile.D1, W]],
	starts, lengths tile.In[tile.I32T1[tile.D1]], back, ahead, sinks int, scale, most float32) {
	s := spanOf[M](starts, starts, tile.BlockID(0), q.Len(0), 0)
	if s.sequence < 0 {
		return
	}
	length := lengthOf(lengths, s.sequence, table.Len(1)*k.Len(2))
	cache := pages[E, N, D, W]{k: k, v: v, table: table, batch: s.sequence, group: tile.BlockID(1) / (q.Len(1) / k.Len(1)), length: length}
	ragged(q, o, s, length, back, ahead, sinks, scale, most, cache.fetch, func(j int) tile.F32T2[M, N] { return tile.F32T2[M, N](cache.there(j)) })
}
