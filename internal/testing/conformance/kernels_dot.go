package conformance

import "github.com/cutile-go/cutile/tile"

// The kernels of this file multiply matrices.

// gemm multiplies E matrices and accumulates in A.
func gemm[E, A tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]], c tile.Out[tile.FloatTile2[A, M, N]]) {
	var acc tile.FloatTile2[A, M, N]
	for k := range a.Tiles(1) {
		acc = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), acc)
	}
	c.Store(acc)
}

// gemmInto adds the product to what c holds.
func gemmInto[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], c tile.InOut[tile.F32T2[M, N]]) {
	i, j := tile.BlockID(0), tile.BlockID(1)
	for k := range a.Tiles(1) {
		c.Store(tile.Dot(a.Load(i, k), b.Load(k, j), c.Load(i, j)), i, j)
	}
}

func gemmBatch[E, A tile.FloatElem, L, M, N, K tile.Dim](a tile.In[tile.FloatTile3[E, L, M, K]], b tile.In[tile.FloatTile3[E, L, K, N]], c tile.Out[tile.FloatTile3[A, L, M, N]]) {
	var acc tile.FloatTile3[A, L, M, N]
	l, i, j := c.Index(0), c.Index(1), c.Index(2)
	for k := 0; k < a.Tiles(2); k++ {
		acc = tile.DotBatch(a.Load(l, i, k), b.Load(l, k, j), acc)
	}
	c.Store(acc)
}

func gemmInt[M, N, K tile.Dim](a tile.In[tile.I8T2[M, K]], b tile.In[tile.I8T2[K, N]], c tile.Out[tile.I32T2[M, N]]) {
	acc := tile.I32T2[M, N](5)
	for k := range a.Tiles(1) {
		acc = tile.DotInt(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), acc)
	}
	c.Store(acc)
}

func gemmUint[M, N, K tile.Dim](a tile.In[tile.U8T2[M, K]], b tile.In[tile.U8T2[K, N]], c tile.Out[tile.I32T2[M, N]]) {
	var acc tile.I32T2[M, N]
	for k := range a.Tiles(1) {
		acc = tile.DotUint(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), acc)
	}
	c.Store(acc)
}

// gemmNamed multiplies a by rows of b that a table names, and by none where its numbers are outside; the turn skip is left out.
func gemmNamed[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], table tile.In[tile.I32T1[K]], c tile.Out[tile.F32T2[M, N]], skip int) {
	var acc tile.F32T2[M, N]
	i, j := c.Index(0), c.Index(1)
	column := tile.I32T1[N](j*tile.Extent[N]()) + tile.Iota[N]()
	for turn := range a.Tiles(1) - 1 {
		k := turn
		if k >= skip {
			k++
		}
		row := tile.GatherAt(table, tile.I32T1[K](-1), tile.I32T1[K](k*tile.Extent[K]())+tile.Iota[K]())
		right := tile.GatherAt(b, tile.F16T2[K, N](0), tile.I32T2[K, N](tile.Reshape[tile.I32T2[K, tile.D1]](row)), tile.I32T2[K, N](column))
		acc = tile.Dot(a.Load(i, k), right, acc)
	}
	c.Store(acc)
}

// gemmSkips leaves out the turns whose flag is set.
func gemmSkips[E tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]], flags tile.In[tile.I32T1[tile.D1]], c tile.Out[tile.F32T2[M, N]]) {
	var acc tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		if tile.Reshape[tile.I32](flags.Load(k)) == 1 {
			continue
		}
		acc = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), acc)
	}
	c.Store(acc)
}

// gemmConstants multiplies a matrix by constants, of which those before the column n are other ones.
func gemmConstants[E tile.FloatElem, M, N tile.Dim](a tile.In[tile.FloatTile2[E, M, M]], c tile.Out[tile.F32T2[M, N]], n int) {
	column := tile.I32T2[M, N](tile.Iota[N]())
	factor := tile.Where(column < tile.I32T2[M, N](n), tile.FloatTile2[E, M, N](-2), 1.5)
	c.Store(tile.Dot(a.Load(0, 0), factor, tile.F32T2[M, N](0)))
}

// gemmAct applies a function argument to the product.
func gemmAct[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], c tile.Out[tile.F16T2[M, N]], act func(tile.F32T2[M, N]) tile.F32T2[M, N]) {
	var acc tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		acc = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), acc)
	}
	c.Store(tile.F16T2[M, N](act(acc)))
}

func relu[T tile.FloatTile](x T) T { return max(x, 0) }

func halfRelu[T tile.FloatTile](x T) T { return relu(x) / 2 }

func softmax[E tile.FloatElem, M, N tile.Dim](x tile.In[tile.FloatTile2[E, M, N]], y tile.Out[tile.FloatTile2[E, M, N]]) {
	y.Store(tile.Softmax(x.Load(y.Index(0), y.Index(1))))
}
