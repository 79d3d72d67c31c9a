package attention

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// The kernels of this file hide keys from queries. A query at position p sees the keys from p - back to p + ahead, and before these
// the first ones, sinks in number, which may be none; but only keys below the length of its sequence. The result for a query that
// sees no key is 0. most, unless 0, is the soft cap of scores, to which a bias is added then. scale and most have the factor log2(e) in them.

// Masked is attention of queries to the keys that they see: q, k, v, o and the grid are those of [Full], except that rows of v and o
// may have another width, and lengths has the number of
// keys of each sequence. The queries are at the last positions of keys. Tiles of keys that no query of a block sees are not read.
func Masked[E tile.FloatElem, M, N, D, W tile.Dim](q tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	k tile.In[tile.FloatTile4[E, tile.D1, tile.D1, D, N]], v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, W]],
	lengths tile.In[tile.I32T1[tile.D1]], o tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, M, W]], back, ahead, sinks int, scale, most float32) {
	h := head[E, M, N, D, W]{q: q, k: k, v: v, o: o, batch: tile.BlockID(2), head: tile.BlockID(1), at: tile.BlockID(0), scale: scale, most: most}
	p := v.Len(2) - q.Len(2) + h.at*tile.Extent[M]()
	h.storeSome(h.among(reachOf[M](p, back, ahead, sinks, lengthOf(lengths, h.batch, v.Len(2))), nothing[M, N]))
}

// Biased is [Masked] with a number that is added to each score: bias is [batch, heads, queries, keys].
func Biased[E tile.FloatElem, M, N, D, W tile.Dim](q tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, D]],
	k tile.In[tile.FloatTile4[E, tile.D1, tile.D1, D, N]], v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, W]],
	bias tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, N]], lengths tile.In[tile.I32T1[tile.D1]],
	o tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, M, W]], back, ahead, sinks int, scale, most float32) {
	h := head[E, M, N, D, W]{q: q, k: k, v: v, o: o, batch: tile.BlockID(2), head: tile.BlockID(1), at: tile.BlockID(0), scale: scale, most: most}
	p := v.Len(2) - q.Len(2) + h.at*tile.Extent[M]()
	add := func(j int) tile.F32T2[M, N] {
		return tile.F32T2[M, N](tile.Reshape[tile.FloatTile2[E, M, N]](bias.Load(h.batch, h.head, h.at, j))) * math.Log2E
	}
	h.storeSome(h.among(reachOf[M](p, back, ahead, sinks, lengthOf(lengths, h.batch, v.Len(2))), add))
}

// DecodeMasked is [Decode] of the keys that a query at the last position of its sequence sees. Parts share only the tiles in which there
// are such keys.
func DecodeMasked[E tile.FloatElem, G, N, D tile.Dim](q tile.In[tile.FloatTile4[E, tile.D1, tile.D1, G, D]],
	k, v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], lengths tile.In[tile.I32T1[tile.D1]],
	parts tile.InOut[tile.F32T4[tile.D1, tile.D1, G, D]], sums tile.InOut[tile.F32T3[tile.D1, tile.D1, G]], back, sinks int, scale, most float32) {
	decode(q, k, v, lengths, parts, sums, back, sinks, scale, most, nothing[G, N])
}

// DecodeBiased is [DecodeMasked] with a number that is added to each score: bias is [batch, groups, share, room].
func DecodeBiased[E tile.FloatElem, G, N, D tile.Dim](q tile.In[tile.FloatTile4[E, tile.D1, tile.D1, G, D]],
	k, v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], bias tile.In[tile.FloatTile4[E, tile.D1, tile.D1, G, N]],
	lengths tile.In[tile.I32T1[tile.D1]], parts tile.InOut[tile.F32T4[tile.D1, tile.D1, G, D]],
	sums tile.InOut[tile.F32T3[tile.D1, tile.D1, G]], back, sinks int, scale, most float32) {
	decode(q, k, v, lengths, parts, sums, back, sinks, scale, most, func(j int) tile.F32T2[G, N] {
		x := bias.Load(tile.BlockID(0), tile.BlockID(1), 0, j)
		return tile.F32T2[G, N](tile.Reshape[tile.FloatTile2[E, G, N]](x)) * math.Log2E
	})
}

// DecodeSeen is [DecodeMasked] of keys for which seen [batch, groups, share, room] is true and, if biased, with a bias of that shape.
func DecodeSeen[E tile.FloatElem, G, N, D tile.Dim](q tile.In[tile.FloatTile4[E, tile.D1, tile.D1, G, D]],
	k, v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], bias tile.In[tile.FloatTile4[E, tile.D1, tile.D1, G, N]],
	seen tile.In[tile.BoolTile4[tile.D1, tile.D1, G, N]], lengths tile.In[tile.I32T1[tile.D1]], parts tile.InOut[tile.F32T4[tile.D1, tile.D1, G, D]],
	sums tile.InOut[tile.F32T3[tile.D1, tile.D1, G]], back, sinks int, biased bool, scale, most float32) {
	extra := extras[E, G, N]{bias: bias, seen: seen, biased: biased, masked: true}
	decode(q, k, v, lengths, parts, sums, back, sinks, scale, most, func(j int) tile.F32T2[G, N] {
		return extra.at(tile.BlockID(0), tile.BlockID(1), 0, j)
	})
}

// decode is the work of a block of [DecodeMasked]; add is what is added to the scores of the j-th tile.
func decode[E tile.FloatElem, G, N, D tile.Dim](q tile.In[tile.FloatTile4[E, tile.D1, tile.D1, G, D]],
	k, v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], lengths tile.In[tile.I32T1[tile.D1]],
	parts tile.InOut[tile.F32T4[tile.D1, tile.D1, G, D]], sums tile.InOut[tile.F32T3[tile.D1, tile.D1, G]], back, sinks int, scale, most float32,
	add func(j int) tile.F32T2[G, N]) {
	batch, group, part := tile.BlockID(0), tile.BlockID(1), tile.BlockID(2)
	length := lengthOf(lengths, batch, v.Len(2))
	to := reachOf[tile.D1](length-1, back, 0, sinks, length)
	s := over(rows[G, D](q.Load(batch, group, 0, 0)), to, part, tile.NumBlocks(2), scale, most, func(j int) (tile.FloatTile2[E, D, N], tile.FloatTile2[E, N, D]) {
		return rows[N, D](k.Load(batch, group, j, 0)).T(), rows[N, D](v.Load(batch, group, j, 0))
	}, add)
	storePart(s, parts, sums, batch*tile.NumBlocks(1)+group, part, 0)
}
