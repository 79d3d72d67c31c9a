package kvcache

import "github.com/cutile-go/cutile/tile"

// Append stores the keys and values of new tokens, k and v [batch, heads, tokens, dim], in a cache, toK and toV [batch, heads,
// room, dim]: the t-th token of a sequence at position lengths[sequence] + t. Tokens that do not fit are dropped. The grid is
// the tokens and the batch; a block stores the rows of one token, H heads at a time.
func Append[E tile.FloatElem, H, D tile.Dim](k, v tile.In[tile.FloatTile4[E, tile.D1, H, tile.D1, D]],
	toK, toV tile.InOut[tile.FloatTile4[E, tile.D1, H, tile.D1, D]], lengths tile.In[tile.I32T1[tile.D1]]) {
	token, batch := tile.BlockID(0), tile.BlockID(1)
	at := int(tile.Reshape[tile.I32](lengths.Load(batch))) + token
	if at >= 0 && at < toK.Len(2) {
		for h := range k.Tiles(1) {
			toK.Store(k.Load(batch, h, token, 0), batch, h, at, 0)
			toV.Store(v.Load(batch, h, token, 0), batch, h, at, 0)
		}
	}
}
