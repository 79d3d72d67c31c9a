package attention

import "github.com/cutile-go/cutile/tile"

// The kernels of this file decode from a cache of rows that all heads share and that are keys and values in one: a latent part, which is
// the value, too, and a part that carries positions. q [batch, heads, latent] and turned [batch, heads, rope] are the parts of queries.
// parts [batch, P, heads, latent] and sums [batch, P, heads] are for [Merge]. The grid is the batch, the tiles of G heads and the parts.
// (DeepSeek-AI, DeepSeek-V2, 2024: multi-head latent attention, with the matrix of keys absorbed into queries.)

// DecodeLatent has a cache with room for each sequence: rows [batch, 1, room, latent] and turnedRows [batch, 1, room, rope].
func DecodeLatent[E tile.FloatElem, G, N, D, R tile.Dim](q tile.In[tile.FloatTile3[E, tile.D1, G, D]], turned tile.In[tile.FloatTile3[E, tile.D1, G, R]],
	latent tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], turnedRows tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, R]],
	lengths tile.In[tile.I32T1[tile.D1]], parts tile.InOut[tile.F32T4[tile.D1, tile.D1, G, D]], sums tile.InOut[tile.F32T3[tile.D1, tile.D1, G]],
	back, sinks int, scale, most float32) {
	batch := tile.BlockID(0)
	decodeLatent(q, turned, parts, sums, lengthOf(lengths, batch, latent.Len(2)), back, sinks, scale, most, func(j int) (tile.FloatTile2[E, D, N], tile.FloatTile2[E, N, R]) {
		return rows[N, D](latent.Load(batch, 0, j, 0)).T(), rows[N, R](turnedRows.Load(batch, 0, j, 0))
	}, nothing[G, N])
}

// DecodeLatentPaged has a cache in pages: rows [pages, 1, size, latent] and turnedRows [pages, 1, size, rope]. table is that of
// [DecodePaged].
func DecodeLatentPaged[E tile.FloatElem, G, N, D, R tile.Dim](q tile.In[tile.FloatTile3[E, tile.D1, G, D]], turned tile.In[tile.FloatTile3[E, tile.D1, G, R]],
	latent tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, D]], turnedRows tile.In[tile.FloatTile4[E, tile.D1, tile.D1, N, R]],
	table tile.In[tile.I32T2[tile.D1, tile.D1]], lengths tile.In[tile.I32T1[tile.D1]], parts tile.InOut[tile.F32T4[tile.D1, tile.D1, G, D]],
	sums tile.InOut[tile.F32T3[tile.D1, tile.D1, G]], back, sinks int, scale, most float32) {
	batch := tile.BlockID(0)
	length := lengthOf(lengths, batch, table.Len(1)*latent.Len(2))
	cache := pages[E, N, D, R]{k: latent, v: turnedRows, table: table, batch: batch, length: length}
	decodeLatent(q, turned, parts, sums, length, back, sinks, scale, most, cache.fetch, func(j int) tile.F32T2[G, N] { return tile.F32T2[G, N](cache.there(j)) })
}

// decodeLatent is the work of a block: fetch gives both parts of the j-th tile of rows, the latent one as columns.
func decodeLatent[E tile.FloatElem, G, N, D, R tile.Dim](q tile.In[tile.FloatTile3[E, tile.D1, G, D]], turned tile.In[tile.FloatTile3[E, tile.D1, G, R]],
	parts tile.InOut[tile.F32T4[tile.D1, tile.D1, G, D]], sums tile.InOut[tile.F32T3[tile.D1, tile.D1, G]], length, back, sinks int, scale, most float32,
	fetch func(j int) (tile.FloatTile2[E, D, N], tile.FloatTile2[E, N, R]), add func(j int) tile.F32T2[G, N]) {
	batch, heads, part := tile.BlockID(0), tile.BlockID(1), tile.BlockID(2)
	query, turnedQuery := tile.Reshape[tile.FloatTile2[E, G, D]](q.Load(batch, heads, 0)), tile.Reshape[tile.FloatTile2[E, G, R]](turned.Load(batch, heads, 0))
	s := walk(reachOf[tile.D1](length-1, back, 0, sinks, length), part, tile.NumBlocks(2), scale, most, func(j int) (tile.F32T2[G, N], tile.FloatTile2[E, N, D]) {
		columns, turnedRows := fetch(j)
		return tile.Dot(turnedQuery, turnedRows.T(), tile.Dot(query, columns, tile.F32T2[G, N](0))), columns.T()
	}, add)
	storePart(s, parts, sums, batch, part, heads)
}
