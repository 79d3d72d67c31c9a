package qkv

import "github.com/cutile-go/cutile/tile"

// The kernels of this file have q as a view [tokens, heads, 2, half] and k and v as views [tokens, groups, 2, half]: the first
// and the second numbers of the pairs of a head. The cache, toK and toV, is a view [sequences, groups, room, 2, half]. cos and
// sin are [angles, half], of which positions has the row of each token. The grid is the tokens, and the tiles of heads of q
// and those of k behind them: a block has H heads of one query, or G of one key and its value.

// Append rotates the queries, and stores rotated keys, and values, in the slots of a cache.
func Append[E tile.FloatElem, H, G, D tile.Dim](q tile.InOut[tile.FloatTile4[E, tile.D1, H, tile.D1, D]],
	k tile.In[tile.FloatTile4[E, tile.D1, G, tile.D1, D]], v tile.In[tile.FloatTile4[E, tile.D1, G, tile.D2, D]],
	cos, sin tile.In[tile.F32T2[tile.D1, D]], positions tile.In[tile.I32T1[tile.D1]],
	toK tile.InOut[tile.FloatTile5[E, tile.D1, G, tile.D1, tile.D1, D]],
	toV tile.InOut[tile.FloatTile5[E, tile.D1, G, tile.D1, tile.D2, D]], slots tile.In[tile.I32T1[tile.D1]]) {
	query := func(x pairs[H, D]) pairs[H, D] { return x }
	key := func(x pairs[G, D]) pairs[G, D] { return x }
	step(q, k, v, cos, sin, positions, toK, toV, slots, query, key)
}

// NormAppend is [Append] of normalised queries and keys: each head is first divided by the root of its mean square and
// multiplied by weights wq and wk, views [2, half].
func NormAppend[E tile.FloatElem, H, G, D tile.Dim](q tile.InOut[tile.FloatTile4[E, tile.D1, H, tile.D1, D]],
	k tile.In[tile.FloatTile4[E, tile.D1, G, tile.D1, D]], v tile.In[tile.FloatTile4[E, tile.D1, G, tile.D2, D]],
	wq, wk tile.In[tile.FloatTile2[E, tile.D1, D]], cos, sin tile.In[tile.F32T2[tile.D1, D]], positions tile.In[tile.I32T1[tile.D1]],
	toK tile.InOut[tile.FloatTile5[E, tile.D1, G, tile.D1, tile.D1, D]],
	toV tile.InOut[tile.FloatTile5[E, tile.D1, G, tile.D1, tile.D2, D]], slots tile.In[tile.I32T1[tile.D1]], eps float32) {
	query := func(x pairs[H, D]) pairs[H, D] { return normal(x, wq, eps) }
	key := func(x pairs[G, D]) pairs[G, D] { return normal(x, wk, eps) }
	step(q, k, v, cos, sin, positions, toK, toV, slots, query, key)
}

// step is the work of a block; query and key are what comes before the turn.
func step[E tile.FloatElem, H, G, D tile.Dim](q tile.InOut[tile.FloatTile4[E, tile.D1, H, tile.D1, D]],
	k tile.In[tile.FloatTile4[E, tile.D1, G, tile.D1, D]], v tile.In[tile.FloatTile4[E, tile.D1, G, tile.D2, D]],
	cos, sin tile.In[tile.F32T2[tile.D1, D]], positions tile.In[tile.I32T1[tile.D1]],
	toK tile.InOut[tile.FloatTile5[E, tile.D1, G, tile.D1, tile.D1, D]],
	toV tile.InOut[tile.FloatTile5[E, tile.D1, G, tile.D1, tile.D2, D]], slots tile.In[tile.I32T1[tile.D1]],
	query func(pairs[H, D]) pairs[H, D], key func(pairs[G, D]) pairs[G, D]) {
	token, h := tile.BlockID(0), tile.BlockID(1)
	at := int(tile.Reshape[tile.I32](positions.Load(token)))
	c, s := angles(cos, at), angles(sin, at)
	if h < q.Tiles(1) {
		i := inside(h, q.Tiles(1))
		x := query(pairs[H, D]{heads[H, D](q.Load(token, i, 0, 0)), heads[H, D](q.Load(token, i, 1, 0))}).turned(c, s)
		q.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, H, tile.D1, D]](tile.FloatTile2[E, H, D](x.a)), token, i, 0, 0)
		q.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, H, tile.D1, D]](tile.FloatTile2[E, H, D](x.b)), token, i, 1, 0)
		return
	}
	slot, room := int(tile.Reshape[tile.I32](slots.Load(token))), toK.Len(2)
	if slot < 0 || slot >= toK.Len(0)*room {
		return
	}
	slot = inside(slot, toK.Len(0)*room)
	i, sequence, place := inside(h-q.Tiles(1), k.Tiles(1)), inside(slot/room, toK.Len(0)), slot%room
	x := key(pairs[G, D]{heads[G, D](k.Load(token, i, 0, 0)), heads[G, D](k.Load(token, i, 1, 0))}).turned(c, s)
	toK.Store(tile.Reshape[tile.FloatTile5[E, tile.D1, G, tile.D1, tile.D1, D]](tile.FloatTile2[E, G, D](x.a)), sequence, i, place, 0, 0)
	toK.Store(tile.Reshape[tile.FloatTile5[E, tile.D1, G, tile.D1, tile.D1, D]](tile.FloatTile2[E, G, D](x.b)), sequence, i, place, 1, 0)
	value := v.LoadUnpadded(token, i, 0, 0)
	toV.Store(tile.Reshape[tile.FloatTile5[E, tile.D1, G, tile.D1, tile.D2, D]](value), sequence, i, place, 0, 0)
}

// inside is i, which the caller knows to be from 0 to n-1; it lets a launch prove that an access stays in its tensor.
func inside(i, n int) int { return max(min(i, n-1), 0) }

// heads are one half of heads of a token.
func heads[H, D tile.Dim, E tile.FloatElem](x tile.FloatTile4[E, tile.D1, H, tile.D1, D]) tile.F32T2[H, D] {
	return tile.F32T2[H, D](tile.Reshape[tile.FloatTile2[E, H, D]](x))
}

// pairs are the numbers of heads: a[h, i] and b[h, i] belong together.
type pairs[H, D tile.Dim] struct{ a, b tile.F32T2[H, D] }

// normal divides each head by the root of its mean square, and multiplies it by weights. Behind the end of a head all is 0 and
// adds nothing.
func normal[H, D tile.Dim, E tile.FloatElem](p pairs[H, D], w tile.In[tile.FloatTile2[E, tile.D1, D]], eps float32) pairs[H, D] {
	mean := tile.FMA(p.a, p.a, p.b*p.b).Sum1() / tile.F32T2[H, tile.D1](2*w.Len(1))
	r := tile.F32T2[H, D](tile.Rsqrt(mean + tile.F32T2[H, tile.D1](eps)))
	return pairs[H, D]{p.a * r * tile.F32T2[H, D](w.Load(0, 0)), p.b * r * tile.F32T2[H, D](w.Load(1, 0))}
}

// turned are the pairs, each turned by its angle.
func (p pairs[H, D]) turned(cos, sin tile.F32T2[tile.D1, D]) pairs[H, D] {
	c, s := tile.F32T2[H, D](cos), tile.F32T2[H, D](sin)
	return pairs[H, D]{tile.FMA(p.a, c, -(p.b * s)), tile.FMA(p.b, c, p.a*s)}
}

// angles are row at of a table of cosines or sines; outside the table they are zero.
func angles[D tile.Dim](table tile.In[tile.F32T2[tile.D1, D]], at int) tile.F32T2[tile.D1, D] {
	var row tile.F32T2[tile.D1, D]
	if at >= 0 && at < table.Len(0) {
		row = table.Load(at, 0)
	}
	return row
}
