package transpose

import "github.com/cutile-go/cutile/tile"

// Matrix computes y = xᵀ: a block transposes a tile of M by N elements of x.
//
//cutile:entry
func Matrix[E tile.FloatElem, M, N tile.Dim](x tile.In[tile.FloatTile2[E, M, N]], y tile.Out[tile.FloatTile2[E, N, M]]) {
	y.Store(x.LoadUnpadded(y.Index(1), y.Index(0)).T())
}

// Copy computes y = x for tensors with different orders in memory: a block copies one tile.
//
//cutile:entry
func Copy[E tile.FloatElem, A, B, C, D tile.Dim](x tile.In[tile.FloatTile4[E, A, B, C, D]], y tile.Out[tile.FloatTile4[E, A, B, C, D]]) {
	y.Store(x.LoadUnpadded(y.Index(0), y.Index(1), y.Index(2), y.Index(3)))
}
