package embedding

import "github.com/cutile-go/cutile/tile"

// Rows computes y[t] = table[ids[t]]: a block copies N elements of one row. The result for an id outside the table is zeros.
//
//cutile:entry
func Rows[E tile.FloatElem, N tile.Dim](ids tile.In[tile.I32T1[tile.D1]], table tile.In[tile.FloatTile2[E, tile.D1, N]],
	y tile.Out[tile.FloatTile2[E, tile.D1, N]]) {
	id := int(tile.Reshape[tile.I32](ids.Load(y.Index(0))))
	var row tile.FloatTile2[E, tile.D1, N]
	if id >= 0 && id < table.Len(0) {
		row = table.Load(id, y.Index(1))
	}
	y.Store(row)
}

// Gather is [Rows] for M ids at a time, for tables with short rows. The table is [rows, y.Len(1)] in row-major order.
//
//cutile:entry
func Gather[E tile.FloatElem, M, N tile.Dim](ids tile.In[tile.I32T1[M]], table tile.Ptr[E], rows int,
	y tile.Out[tile.FloatTile2[E, M, N]]) {
	id := tile.I32T2[M, N](tile.Reshape[tile.I32T2[M, tile.D1]](ids.Load(y.Index(0))))
	col := tile.I32T2[M, N](tile.I32T1[N](y.Index(1)*tile.Extent[N]()) + tile.Iota[N]())
	inside := id >= 0 && id < tile.I32T2[M, N](rows) && col < tile.I32T2[M, N](y.Len(1))
	at := tile.I64T2[M, N](id)*tile.I64T2[M, N](y.Len(1)) + tile.I64T2[M, N](col)
	y.Store(tile.Gather[tile.FloatTile2[E, M, N]](table, at, inside, 0))
}

// Backward adds dy[t] to the row ids[t] of the gradient of a table, [rows, n] in row-major order, atomically: ids may repeat. The
// grid is the ids and the tiles of a row.
func Backward[E tile.FloatElem, N tile.Dim](ids tile.In[tile.I32T1[tile.D1]], dy tile.In[tile.FloatTile2[E, tile.D1, N]],
	table tile.Ptr[float32], rows int) {
	t, j, n := tile.BlockID(0), tile.BlockID(1), dy.Len(1)
	id := int(tile.Reshape[tile.I32](ids.Load(t)))
	col := tile.I64T1[N](tile.Iota[N]()) + tile.I64T1[N](j*tile.Extent[N]())
	inside := col < tile.I64T1[N](n)
	if id >= 0 && id < rows {
		tile.AtomicAdd(table, tile.I64T1[N](id*n)+col, tile.F32T1[N](tile.Reshape[tile.FloatTile1[E, N]](dy.Load(t, j))), inside)
	}
}
