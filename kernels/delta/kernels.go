package delta

import "github.com/cutile-go/cutile/tile"

// The kernels of this file have q and k [batch, groups, tokens, dim], v and o [batch, heads, tokens, width], gate and beta [batch, heads,
// tokens] and state [batch, heads, dim, width]; heads/groups heads share queries and keys. The grid is the tiles of width, the heads and the
// batch: a block has W columns of the state of a head, which do not depend on others, and walks over the tokens.

// lowest is a gate that forgets all: its exponential is 0 in float32. Lower ones count as this one, so that no difference is one of infinities.
const lowest = -110

// Steps computes one token after the other.
func Steps[E tile.FloatElem, D, W tile.Dim](q, k tile.In[tile.FloatTile4[E, tile.D1, tile.D1, tile.D1, D]],
	v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, tile.D1, W]], gate, beta tile.In[tile.F32T3[tile.D1, tile.D1, tile.D1]],
	state tile.InOut[tile.F32T4[tile.D1, tile.D1, D, W]], o tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, tile.D1, W]], scale float32) {
	at, head, batch := tile.BlockID(0), tile.BlockID(1), tile.BlockID(2)
	group := head / (v.Len(1) / k.Len(1))
	s := tile.Reshape[tile.F32T2[D, W]](state.Load(batch, head, 0, at))
	for t := range v.Len(2) {
		key := tile.F32T2[D, tile.D1](tile.Reshape[tile.FloatTile2[E, D, tile.D1]](k.Load(batch, group, t, 0)))
		query := tile.F32T2[D, tile.D1](tile.Reshape[tile.FloatTile2[E, D, tile.D1]](q.Load(batch, group, t, 0)))
		value := tile.F32T2[tile.D1, W](tile.Reshape[tile.FloatTile2[E, tile.D1, W]](v.Load(batch, head, t, at)))
		s *= tile.F32T2[D, W](tile.Exp(tile.Reshape[tile.F32](gate.Load(batch, head, t))))
		change := (value - (s * tile.F32T2[D, W](key)).Sum0()) * tile.F32T2[tile.D1, W](tile.Reshape[tile.F32](beta.Load(batch, head, t)))
		s += tile.F32T2[D, W](key) * tile.F32T2[D, W](change)
		result := (s * tile.F32T2[D, W](query)).Sum0() * tile.F32T2[tile.D1, W](scale)
		o.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, tile.D1, tile.D1, W]](tile.FloatTile2[E, tile.D1, W](result)), batch, head, t, at)
	}
	state.Store(tile.Reshape[tile.F32T4[tile.D1, tile.D1, D, W]](s), batch, head, 0, at)
}

// Chunks computes C tokens at a time, with products of matrices. With S the state before them, b the running sums of their gates, and K, Q
// and V their rows, the changes U to the state solve a triangular system of equations, since what a token changes depends on the earlier
// ones: U + A·U = β·(V - exp(b)·K·S), where A[i, j] is β[i]·exp(b[i] - b[j])·K[i]·K[j] for j < i and else 0. (S. Yang and others, Gated
// delta networks, 2024.)
func Chunks[E tile.FloatElem, C, D, W tile.Dim](q, k tile.In[tile.FloatTile4[E, tile.D1, tile.D1, C, D]],
	v tile.In[tile.FloatTile4[E, tile.D1, tile.D1, C, W]], gate, beta tile.In[tile.F32T3[tile.D1, tile.D1, C]],
	state tile.InOut[tile.F32T4[tile.D1, tile.D1, D, W]], o tile.InOut[tile.FloatTile4[E, tile.D1, tile.D1, C, W]], scale float32) {
	at, head, batch := tile.BlockID(0), tile.BlockID(1), tile.BlockID(2)
	group := head / (v.Len(1) / k.Len(1))
	s := tile.Reshape[tile.F32T2[D, W]](state.Load(batch, head, 0, at))
	for i := range v.Tiles(2) {
		c := chunk[E, C, D, W]{
			query: tile.Reshape[tile.FloatTile2[E, C, D]](q.Load(batch, group, i, 0)),
			key:   tile.Reshape[tile.FloatTile2[E, C, D]](k.Load(batch, group, i, 0)),
			value: tile.F32T2[C, W](tile.Reshape[tile.FloatTile2[E, C, W]](v.Load(batch, head, i, at))),
			sums:  max(tile.Reshape[tile.F32T2[C, tile.D1]](gate.Load(batch, head, i)), lowest).CumSum0(),
			beta:  tile.Reshape[tile.F32T2[C, tile.D1]](beta.Load(batch, head, i)),
			count: min(v.Len(2)-i*tile.Extent[C](), tile.Extent[C]()),
		}
		u := c.changes(s)
		result := c.results(s, u) * tile.F32T2[C, W](scale)
		o.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, tile.D1, C, W]](tile.FloatTile2[E, C, W](result)), batch, head, i, at)
		s = c.next(s, u)
	}
	state.Store(tile.Reshape[tile.F32T4[tile.D1, tile.D1, D, W]](s), batch, head, 0, at)
}

// chunk is what a block reads of C tokens. Tokens behind the last one have beta 0, and change nothing.
type chunk[E tile.FloatElem, C, D, W tile.Dim] struct {
	query, key tile.FloatTile2[E, C, D]
	value      tile.F32T2[C, W]
	sums, beta tile.F32T2[C, tile.D1]
	count      int // of the tokens that there are
}

// decay is how much of what token j wrote is left at token i, and 0 unless j is at most i.
func (c chunk[E, C, D, W]) decay() tile.F32T2[C, C] {
	i, j := tile.Indices2[C, C](0, 0)
	apart := tile.F32T2[C, C](c.sums) - tile.F32T2[C, C](c.sums.T())
	return tile.Exp(tile.Where(j <= i, apart, tile.Inf[tile.F32T2[C, C]](-1)))
}

// changes solves for what the tokens change, row by row.
func (c chunk[E, C, D, W]) changes(s tile.F32T2[D, W]) tile.F32T2[C, W] {
	seen := tile.Dot(tile.F32T2[C, D](c.key), s, tile.F32T2[C, W](0)) * tile.F32T2[C, W](tile.Exp(c.sums))
	u := (c.value - seen) * tile.F32T2[C, W](c.beta)
	row, column := tile.Indices2[C, C](0, 0)
	a := tile.Dot(c.key, c.key.T(), tile.F32T2[C, C](0)) * c.decay() * tile.F32T2[C, C](c.beta)
	a = tile.Where(column < row, a, 0)
	rows, _ := tile.Indices2[C, W](0, 0)
	for i := 1; i < c.count; i++ {
		factors := tile.Where(row == tile.I64T2[C, C](i), a, 0).Sum0().T() // row i of a, as a column
		known := (tile.F32T2[C, W](factors) * u).Sum0()
		u = tile.Where(rows == tile.I64T2[C, W](i), u-tile.F32T2[C, W](known), u)
	}
	return u
}

// results are what the tokens read, from the state and from the changes up to their own.
func (c chunk[E, C, D, W]) results(s tile.F32T2[D, W], u tile.F32T2[C, W]) tile.F32T2[C, W] {
	old := tile.Dot(tile.F32T2[C, D](c.query), s, tile.F32T2[C, W](0)) * tile.F32T2[C, W](tile.Exp(c.sums))
	return tile.Dot(tile.Dot(c.query, c.key.T(), tile.F32T2[C, C](0))*c.decay(), u, old)
}

// next is the state behind the tokens.
func (c chunk[E, C, D, W]) next(s tile.F32T2[D, W], u tile.F32T2[C, W]) tile.F32T2[D, W] {
	type column = tile.F32T2[C, tile.D1]
	last := tile.Reshape[tile.I32T2[C, tile.D1]](tile.Iota[C]()) == tile.I32T2[C, tile.D1](tile.Extent[C]()-1)
	total := tile.Where(last, c.sums, 0).Sum0()
	left := tile.Exp(column(total) - c.sums)
	return tile.Dot((tile.F32T2[C, D](c.key) * tile.F32T2[C, D](left)).T(), u, s*tile.F32T2[D, W](tile.Exp(total)))
}
