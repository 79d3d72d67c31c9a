package attention

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// extras are what is given for each query and key: a bias, and which keys may be seen. What is not there is a tensor of one element.
type extras[E tile.FloatElem, M, N tile.Dim] struct {
	bias           tile.In[tile.FloatTile4[E, tile.D1, tile.D1, M, N]]
	seen           tile.In[tile.BoolTile4[tile.D1, tile.D1, M, N]]
	biased, masked bool
}

// at is what is added to the scores of a tile: -Inf for what is not seen.
func (x extras[E, M, N]) at(batch, head, i, j int) tile.F32T2[M, N] {
	var add tile.F32T2[M, N]
	if x.biased {
		add = tile.F32T2[M, N](tile.Reshape[tile.FloatTile2[E, M, N]](x.bias.Load(batch, head, i, j))) * math.Log2E
	}
	if x.masked {
		add = hide(tile.Reshape[tile.BoolTile2[M, N]](x.seen.Load(batch, head, i, j)), add)
	}
	return add
}
