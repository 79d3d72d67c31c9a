package parallel

import "github.com/cutile-go/cutile/tile"

// biased computes y = f(y + bias), where bias has one number per column.
func biased[B, C tile.FloatElem, M, N tile.Dim](y tile.Out[tile.FloatTile2[C, M, N]], bias tile.In[tile.FloatTile1[B, N]],
	f func(tile.F32T2[M, N]) tile.F32T2[M, N]) {
	y.Store(tile.FloatTile2[C, M, N](f(tile.F32T2[M, N](y.Load()) + tile.F32T2[M, N](bias.Load(y.Index(1))))))
}

// activated computes y = f(y).
func activated[C tile.FloatElem, M, N tile.Dim](y tile.Out[tile.FloatTile2[C, M, N]], f func(tile.F32T2[M, N]) tile.F32T2[M, N]) {
	y.Store(tile.FloatTile2[C, M, N](f(tile.F32T2[M, N](y.Load()))))
}

// joinColumns puts the columns of all processes, parts [processes, rows, columns], beside each other: y is [rows, processes, columns].
func joinColumns[C tile.FloatElem, M, N tile.Dim](parts tile.In[tile.FloatTile3[C, tile.D1, M, N]], y tile.Out[tile.FloatTile3[C, M, tile.D1, N]]) {
	x := parts.Load(y.Index(1), y.Index(0), y.Index(2))
	y.Store(tile.Reshape[tile.FloatTile3[C, M, tile.D1, N]](x))
}

// columnSums sums the rows of x.
func columnSums[E, C tile.FloatElem, M, N tile.Dim](x tile.In[tile.FloatTile2[E, M, N]], sums tile.Out[tile.FloatTile1[C, N]]) {
	var sum tile.F32T2[tile.D1, N]
	for i := range x.Tiles(0) {
		sum += tile.F32T2[M, N](x.Load(i, sums.Index(0))).Sum0()
	}
	sums.Store(tile.FloatTile1[C, N](tile.Reshape[tile.F32T1[N]](sum)))
}
