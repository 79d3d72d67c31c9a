package conformance

import "github.com/cutile-go/cutile/tile"

// The kernels of this file use elements of fewer than 16 bits, and tf32.

// narrow converts to a narrow float and back.
func narrow[E, S tile.FloatElem, A tile.Dim](x tile.In[tile.FloatTile1[E, A]], y tile.Out[tile.FloatTile1[S, A]], z tile.Out[tile.FloatTile1[E, A]]) {
	v := tile.FloatTile1[S, A](x.Load(y.Index(0)))
	y.Store(v)
	z.Store(tile.FloatTile1[E, A](v))
}

// copySmall moves tiles, pads them and chooses among their elements.
func copySmall[E tile.FloatElem, A, B tile.Dim](x tile.In[tile.FloatTile2[E, A, B]], y tile.Out[tile.FloatTile2[E, B, A]], p tile.Ptr[E], n int) {
	v := x.Load(y.Index(1), y.Index(0))
	y.Store(v.T())
	at := tile.I32T2[A, B](tile.Iota[B]()) + tile.I32T2[A, B](tile.I32(n))
	_ = tile.Gather[tile.FloatTile2[E, A, B]](p, at, false, 0)
}

// packs4 packs floats to four bits, and unpacks them.
func packs4[A, H tile.Dim](x tile.In[tile.F32T1[A]], b tile.Out[tile.U8T1[H]], y tile.Out[tile.F32T1[A]]) {
	v := tile.F4E2M1T1[A](x.Load(b.Index(0)))
	bytes := tile.Pack[tile.U8T1[H]](v)
	b.Store(bytes)
	y.Store(tile.F32T1[A](tile.Unpack[tile.F4E2M1T1[A]](bytes)))
}

// spreads4 rounds a number to four bits, of which a tile has at least two, and spreads it.
func spreads4[A tile.Dim](x tile.In[tile.F32T1[tile.D1]], y tile.Out[tile.F32T1[A]]) {
	y.Store(tile.F32T1[A](tile.F4E2M1T1[A](x.Load(y.Index(0)))))
}

// unpacks4 reads integers of four bits, and packs what is left of greater ones.
func unpacks4[A, H tile.Dim](x tile.In[tile.U8T1[H]], y tile.Out[tile.I32T1[A]], b tile.Out[tile.I8T1[H]]) {
	v := tile.I32T1[A](tile.Unpack[tile.I4T1[A]](x.Load(y.Index(0))))
	y.Store(v)
	b.Store(tile.Pack[tile.I8T1[H]](tile.I4T1[A](v * 3)))
}

// raw reads the bytes of floats, and floats of bytes.
func raw[A, Q tile.Dim](x tile.In[tile.F32T1[A]], b tile.Out[tile.U8T1[Q]], y tile.Out[tile.F32T1[A]], i tile.Out[tile.I32T1[A]]) {
	v := x.Load(i.Index(0))
	bytes := tile.Pack[tile.U8T1[Q]](v)
	b.Store(bytes)
	y.Store(tile.Unpack[tile.F32T1[A]](bytes))
	i.Store(tile.Bitcast[tile.I32T1[A]](v))
}

func gemmFast[E tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]], c tile.Out[tile.F32T2[M, N]]) {
	var acc tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		acc = tile.DotFast(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), acc)
	}
	c.Store(acc)
}

func gemmMixed[M, N, K tile.Dim](a tile.In[tile.I8T2[M, K]], b tile.In[tile.U8T2[K, N]], c tile.Out[tile.I32T2[M, N]], d tile.InOut[tile.I32T2[N, M]]) {
	var acc tile.I32T2[M, N]
	var turned tile.I32T2[N, M]
	for k := range a.Tiles(1) {
		x, y := a.Load(c.Index(0), k), b.Load(k, c.Index(1))
		acc = tile.DotIntUint(x, y, acc)
		turned = tile.DotUintInt(y.T(), x.T(), turned)
	}
	c.Store(acc)
	d.Store(turned, c.Index(1), c.Index(0))
}

func gemmIntBatch[L, M, N, K tile.Dim](a tile.In[tile.I8T3[L, M, K]], b tile.In[tile.I8T3[L, K, N]], c tile.Out[tile.I32T3[L, M, N]]) {
	var acc tile.I32T3[L, M, N]
	for k := range a.Tiles(2) {
		acc = tile.DotIntBatch(a.Load(c.Index(0), c.Index(1), k), b.Load(c.Index(0), k, c.Index(2)), acc)
	}
	c.Store(acc)
}

// gemmScaled multiplies floats of 8 bits with a factor for each block of K/B.
func gemmScaled[E, S tile.FloatElem, M, N, K, B tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], sa tile.In[tile.FloatTile2[S, M, B]],
	b tile.In[tile.FloatTile2[E, K, N]], sb tile.In[tile.FloatTile2[S, B, N]], c tile.Out[tile.F32T2[M, N]]) {
	acc := tile.F32T2[M, N](1)
	i, j := c.Index(0), c.Index(1)
	for k := range a.Tiles(1) {
		acc = tile.DotScaled(a.Load(i, k), sa.Load(i, k), b.Load(k, j), sb.Load(k, j), acc)
	}
	c.Store(acc)
}

func gemmScaledBatch[E, S tile.FloatElem, L, M, N, K, B tile.Dim](a tile.In[tile.FloatTile3[E, L, M, K]], sa tile.In[tile.FloatTile3[S, L, M, B]],
	b tile.In[tile.FloatTile3[E, L, K, N]], sb tile.In[tile.FloatTile3[S, L, B, N]], c tile.Out[tile.F32T3[L, M, N]]) {
	acc := tile.F32T3[L, M, N](1)
	l, i, j := c.Index(0), c.Index(1), c.Index(2)
	for k := range a.Tiles(2) {
		acc = tile.DotScaledBatch(a.Load(l, i, k), sa.Load(l, i, k), b.Load(l, k, j), sb.Load(l, k, j), acc)
	}
	c.Store(acc)
}

// gemmFour multiplies floats of 4 bits, two in a byte along K; b lies in memory as its columns.
func gemmFour[S tile.FloatElem, M, N, K, B tile.Dim](a tile.In[tile.U8T1[tile.Product[M, tile.Quotient[K, tile.D2]]]], sa tile.In[tile.FloatTile2[S, M, B]],
	b tile.In[tile.U8T1[tile.Product[N, tile.Quotient[K, tile.D2]]]], sb tile.In[tile.FloatTile2[S, B, N]], c tile.Out[tile.F32T2[M, N]]) {
	x := tile.Reshape[tile.F4E2M1T2[M, K]](tile.Unpack[tile.F4E2M1T1[tile.Product[M, K]]](a.Load(0)))
	y := tile.Reshape[tile.F4E2M1T2[N, K]](tile.Unpack[tile.F4E2M1T1[tile.Product[N, K]]](b.Load(0)))
	c.Store(tile.DotScaled(x, sa.Load(0, 0), y.T(), sb.Load(0, 0), 0))
}
