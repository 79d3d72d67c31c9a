package bench_test

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels_test.go
var source embed.FS

var _ = cutile.Module(source)

func gemm[M, N, K tile.Dim](a tile.In[tile.F32T2[M, K]], b tile.In[tile.F32T2[K, N]], c tile.Out[tile.F32T2[M, N]]) {
	i, j := c.Index(0), c.Index(1)
	var sum tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		sum = tile.Dot(a.Load(i, k), b.Load(k, j), sum)
	}
	c.Store(sum)
}

func add[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	i := z.Index(0)
	z.Store(x.Load(i) + y.Load(i))
}

func softmax[M, N tile.Dim](x tile.In[tile.F32T2[M, N]], y tile.Out[tile.F32T2[M, N]]) {
	y.Store(tile.Softmax(x.Load(y.Index(0), 0)))
}
