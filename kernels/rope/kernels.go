package rope

import "github.com/cutile-go/cutile/tile"

// The kernels of this file turn pairs of numbers by angles that grow with a token's position. x is a view [tokens, heads, 2,
// half]: the first and the second numbers of the pairs of a head. cos and sin are [room, half], a row a position, and
// positions says where each token stands. The grid is the tokens and the tiles of heads. (J. Su and others, RoFormer, 2021.)

// Rotate rotates x in place: a block has H heads of one token.
func Rotate[E tile.FloatElem, H, D tile.Dim](x tile.InOut[tile.FloatTile4[E, tile.D1, H, tile.D1, D]],
	cos, sin tile.In[tile.F32T2[tile.D1, D]], positions tile.In[tile.I32T1[tile.D1]]) {
	token := tile.BlockID(0)
	at := int(tile.Reshape[tile.I32](positions.Load(token)))
	turn(x, token, tile.BlockID(1), angles(cos, at), angles(sin, at))
}

// RotateRows is [Rotate] for the case that row t of cos and sin is for token t and all heads fit a tile. The grid is the
// tokens.
func RotateRows[E tile.FloatElem, H, D tile.Dim](x tile.InOut[tile.FloatTile4[E, tile.D1, H, tile.D1, D]],
	cos, sin tile.In[tile.F32T2[tile.D1, D]]) {
	token := tile.BlockID(0)
	turn(x, token, 0, cos.LoadUnpadded(token, 0), sin.LoadUnpadded(token, 0))
}

// RotateBoth rotates queries and keys in place; keys may have fewer tiles of heads.
func RotateBoth[E tile.FloatElem, HQ, HK, D tile.Dim](q tile.InOut[tile.FloatTile4[E, tile.D1, HQ, tile.D1, D]],
	k tile.InOut[tile.FloatTile4[E, tile.D1, HK, tile.D1, D]], cos, sin tile.In[tile.F32T2[tile.D1, D]],
	positions tile.In[tile.I32T1[tile.D1]]) {
	token := tile.BlockID(0)
	at := int(tile.Reshape[tile.I32](positions.Load(token)))
	c, s := angles(cos, at), angles(sin, at)
	turn(q, token, tile.BlockID(1), c, s)
	if tile.BlockID(1) < k.Tiles(1) {
		turn(k, token, tile.BlockID(1), c, s)
	}
}

// turn turns one tile of heads.
func turn[E tile.FloatElem, H, D tile.Dim](x tile.InOut[tile.FloatTile4[E, tile.D1, H, tile.D1, D]], token, h int, cos, sin tile.F32T2[tile.D1, D]) {
	c, s := tile.F32T2[H, D](cos), tile.F32T2[H, D](sin)
	a := tile.F32T2[H, D](tile.Reshape[tile.FloatTile2[E, H, D]](x.LoadUnpadded(token, h, 0, 0)))
	b := tile.F32T2[H, D](tile.Reshape[tile.FloatTile2[E, H, D]](x.LoadUnpadded(token, h, 1, 0)))
	x.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, H, tile.D1, D]](tile.FloatTile2[E, H, D](tile.FMA(a, c, -(b*s)))), token, h, 0, 0)
	x.Store(tile.Reshape[tile.FloatTile4[E, tile.D1, H, tile.D1, D]](tile.FloatTile2[E, H, D](tile.FMA(b, c, a*s))), token, h, 1, 0)
}

// angles are row at of a table of cosines or sines; outside the table they are zero.
func angles[D tile.Dim](table tile.In[tile.F32T2[tile.D1, D]], at int) tile.F32T2[tile.D1, D] {
	var row tile.F32T2[tile.D1, D]
	if at >= 0 && at < table.Len(0) {
		row = table.Load(at, 0)
	}
	return row
}
