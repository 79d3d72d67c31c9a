package cutile_test

import "github.com/cutile-go/cutile/tile"

// wholeTiles wants shapes that need no masks.
//
//cutile:nochecks
func wholeTiles[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], z tile.Out[tile.F32T2[A, B]]) {
	z.Store(x.Load(z.Index(0), z.Index(1)) + 1)
}

// sums adds every other tile from its own on.
//
//cutile:nochecks
func sums[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	var sum tile.F32T1[B]
	for i := z.Index(0); i < x.Tiles(0); i += 2 {
		sum += x.Load(i)
	}
	z.Store(sum)
}

// loaded has an index that comes from memory.
//
//cutile:nochecks
func loaded[B tile.Dim](x tile.In[tile.F32T1[B]], at tile.In[tile.I32T1[tile.D1]], z tile.Out[tile.F32T1[B]]) {
	z.Store(x.Load(int(tile.Reshape[tile.I32](at.Load(0)))))
}

// shifted reads tiles that lie elsewhere than its own: before, behind, of another axis, in strides.
//
//cutile:outside
func shifted[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], by, lo, hi int, z tile.Out[tile.F32T2[A, B]]) {
	i, j := z.Index(0), z.Index(1)
	sum := x.Load(i, j) + x.Load(max(i-1, 0), j) + x.Load(min(i+1, x.Tiles(0)-1), j/2) + x.Load(i%2, i) + x.Load(i+by, j)
	for k := lo; k < hi; k++ {
		sum += x.Load(k, j*2+k)
	}
	for k := range x.Tiles(1) {
		sum += x.Load(i, k)
	}
	for k := 1; k < x.Tiles(0); k += 3 {
		sum += x.Load(k, x.Tiles(1)-1)
	}
	z.Store(sum)
}

// numbered stores each block's numbers at its place.
func numbered(z tile.InOut[tile.I32T3[tile.D1, tile.D1, tile.D1]]) {
	x, y, w := tile.BlockID(0), tile.BlockID(1), tile.BlockID(2)
	z.Store(tile.I32T3[tile.D1, tile.D1, tile.D1](100*x+10*y+w+1), x, y, w)
}
