package conformance

import "github.com/cutile-go/cutile/tile"

// The kernels of this file convert elements.

func convert[T, R tile.NumTile](x tile.In[T], z tile.Out[R]) { z.Store(R(x.Load(z.Index(0)))) }

func recast[T, R tile.NumTile](x tile.In[T], z tile.Out[R]) {
	z.Store(tile.Bitcast[R](x.Load(z.Index(0))))
}

// convertScalar converts numbers that are no tiles, in a chain.
func convertScalar(n int, f float32, z tile.Out[tile.I64T1[tile.D8]], w tile.Out[tile.F64T1[tile.D8]]) {
	z.Store(tile.I64T1[tile.D8](int8(n)) + tile.I64T1[tile.D8](int(float64(n)/2)) + tile.I64T1[tile.D8](uint16(n)))
	w.Store(tile.F64T1[tile.D8](f) + tile.F64T1[tile.D8](float32(n)) + tile.F64T1[tile.D8](float64(f)*3))
}

// convertSpread changes element and shape at once.
func convertSpread[A, B tile.Dim](row tile.In[tile.F64T1[B]], col tile.In[tile.I8T2[A, tile.D1]], z tile.Out[tile.F16T2[A, B]], w tile.Out[tile.I32T2[A, B]]) {
	i, j := z.Index(0), z.Index(1)
	z.Store(tile.F16T2[A, B](row.Load(j)))
	w.Store(tile.I32T2[A, B](col.Load(i, 0)))
}
