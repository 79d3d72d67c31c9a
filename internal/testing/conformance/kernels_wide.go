package conformance

import (
	"github.com/cutile-go/cutile/tile"
)

// The kernels of this file multiply matrices whose tiles are large enough for the instructions of warp groups.

// gemmNT multiplies by a matrix that is stored by its columns.
func gemmNT[E, A tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, N, K]], c tile.Out[tile.FloatTile2[A, M, N]]) {
	var acc tile.FloatTile2[A, M, N]
	for k := range a.Tiles(1) {
		acc = tile.Dot(a.Load(c.Index(0), k), b.Load(c.Index(1), k).T(), acc)
	}
	c.Store(acc)
}

// gemmTN multiplies a matrix that is stored by its columns.
func gemmTN[E, A tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, K, M]], b tile.In[tile.FloatTile2[E, K, N]], c tile.Out[tile.FloatTile2[A, M, N]]) {
	var acc tile.FloatTile2[A, M, N]
	for k := range b.Tiles(0) {
		acc = tile.Dot(a.Load(k, c.Index(0)).T(), b.Load(k, c.Index(1)), acc)
	}
	c.Store(acc)
}

// gemmIntNT multiplies integers by a matrix that is stored by its columns.
func gemmIntNT[M, N, K tile.Dim](a tile.In[tile.I8T2[M, K]], b tile.In[tile.I8T2[N, K]], c tile.Out[tile.I32T2[M, N]]) {
	acc := tile.I32T2[M, N](5)
	for k := range a.Tiles(1) {
		acc = tile.DotInt(a.Load(c.Index(0), k), b.Load(c.Index(1), k).T(), acc)
	}
	c.Store(acc)
}

// gemmFastNT multiplies 8-bit floats, whose sums may have fewer bits.
func gemmFastNT[E tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, N, K]], c tile.Out[tile.F32T2[M, N]]) {
	var acc tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		acc = tile.DotFast(a.Load(c.Index(0), k), b.Load(c.Index(1), k).T(), acc)
	}
	c.Store(acc)
}

// gemmTF32 multiplies with the 11 bits of tensor cores.
func gemmTF32[M, N, K tile.Dim](a tile.In[tile.F32T2[M, K]], b tile.In[tile.F32T2[K, N]], c tile.Out[tile.F32T2[M, N]]) {
	var acc tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		acc = tile.Dot(tile.TF32T2[M, K](a.Load(c.Index(0), k)), tile.TF32T2[K, N](b.Load(k, c.Index(1))), acc)
	}
	c.Store(acc)
}

// gemmHorner doubles the sums in each turn, and leaves out one.
func gemmHorner[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], c tile.Out[tile.F32T2[M, N]], without int32) {
	var acc tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		if int32(k) == without {
			continue
		}
		acc = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), acc+acc)
	}
	c.Store(acc)
}

// gemmSkip leaves out a turn.
func gemmSkip[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], c tile.Out[tile.F32T2[M, N]], without int32) {
	var acc tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		if int32(k) == without {
			continue
		}
		acc = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), acc)
	}
	c.Store(acc)
}

// gemmPair computes two products in a loop.
func gemmPair[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], d tile.In[tile.F16T2[M, K]], e tile.In[tile.F16T2[K, N]], c tile.Out[tile.F32T2[M, N]]) {
	var x, y tile.F32T2[M, N]
	i, j := c.Index(0), c.Index(1)
	for k := range a.Tiles(1) {
		x = tile.Dot(a.Load(i, k), b.Load(k, j), x)
		y = tile.Dot(d.Load(i, k), e.Load(k, j), y)
	}
	c.Store(x - y)
}

// gemmChain multiplies by two matrices, one tile of the middle dimension after the other, as attention does.
func gemmChain[M, N, K, P tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], d tile.In[tile.F16T2[N, P]], c tile.Out[tile.F32T2[M, P]]) {
	var acc tile.F32T2[M, P]
	x := a.Load(c.Index(0), 0)
	for j := range b.Tiles(1) {
		var s tile.F32T2[M, N]
		s = tile.Dot(x, b.Load(0, j), s)
		acc = tile.Dot(tile.F16T2[M, N](s), d.Load(j, c.Index(1)), acc)
	}
	c.Store(acc)
}

// gemmRows multiplies one tile of rows by tile after tile of columns, and adds the products.
func gemmRows[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], c tile.InOut[tile.F32T2[M, N]], grid int32) {
	for turn := range grid {
		var acc tile.F32T2[M, N]
		x := a.Load(int(turn), 0)
		for j := range b.Tiles(1) {
			acc = tile.Dot(x, b.Load(0, j), acc)
		}
		c.Store(acc, int(turn), 0)
	}
}

// gemmOnto adds the product to sums that come from memory.
func gemmOnto[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], d tile.In[tile.F32T2[M, N]], c tile.Out[tile.F32T2[M, N]]) {
	acc := d.Load(c.Index(0), c.Index(1))
	for k := range a.Tiles(1) {
		acc = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), acc)
	}
	c.Store(acc)
}

// gemmAfter multiplies by what it has written before.
func gemmAfter[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], d tile.InOut[tile.F16T2[M, K]], c tile.InOut[tile.F32T2[M, N]]) {
	for k := range a.Tiles(1) {
		x := a.Load(0, k)
		d.Store(x+x, 0, k)
	}
	var acc tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		acc = tile.Dot(d.Load(0, k), b.Load(k, 0), acc)
	}
	c.Store(acc, 0, 0)
}
