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

// The next kernels compute z = 2x + y: by views, and through pointers with offsets of 32 and of 64 bits.

func axpyViews[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	i := z.Index(0)
	z.Store(2*x.Load(i) + y.Load(i))
}

func axpyPointers[B tile.Dim](x, y, z tile.Ptr[float32], n int, _ tile.Size[B]) {
	at := tile.I32T1[B](tile.BlockID(0)*tile.Extent[B]()) + tile.Iota[B]()
	inside := at < tile.I32T1[B](n)
	tile.Scatter(z, at, 2*tile.Gather[tile.F32T1[B]](x, at, inside, 0)+tile.Gather[tile.F32T1[B]](y, at, inside, 0), inside)
}

func axpyPointers64[B tile.Dim](x, y, z tile.Ptr[float32], n int, _ tile.Size[B]) {
	at := tile.I64T1[B](tile.BlockID(0)*tile.Extent[B]()) + tile.I64T1[B](tile.Iota[B]())
	inside := at < tile.I64T1[B](n)
	tile.Scatter(z, at, 2*tile.Gather[tile.F32T1[B]](x, at, inside, 0)+tile.Gather[tile.F32T1[B]](y, at, inside, 0), inside)
}

// count counts numbers in bins.
func count[B tile.Dim](x tile.In[tile.I32T1[B]], bins tile.Ptr[int32]) {
	tile.AtomicAdd(bins, x.Load(tile.BlockID(0)), tile.I32T1[B](1), true)
}

// The next kernels multiply matrices with the loop over k in another loop.

// usual is the plain kernel, to compare with.
func usual[E tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]], c tile.Out[tile.F32T2[M, N]]) {
	i, j := c.Index(0), c.Index(1)
	var sum tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		sum = tile.Dot(a.Load(i, k), b.Load(k, j), sum)
	}
	c.Store(sum)
}

// resident has few blocks, and says in the loop over k which tile is computed.
func resident[E tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]], c tile.Persistent[tile.F32T2[M, N]]) {
	c = c.Grouped(8)
	for n := range c.Count() {
		var sum tile.F32T2[M, N]
		for k := range a.Tiles(1) {
			sum = tile.Dot(a.Load(c.Index(n, 0), k), b.Load(k, c.Index(n, 1)), sum)
		}
		c.Store(sum, n)
	}
}

// striding counts its tiles in ints.
func striding[E tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]], c tile.InOut[tile.F32T2[M, N]]) {
	for t := tile.BlockID(0); t < c.Tiles(0)*c.Tiles(1); t += tile.NumBlocks(0) {
		i, j := t/c.Tiles(1), t%c.Tiles(1)
		var sum tile.F32T2[M, N]
		for k := range a.Tiles(1) {
			sum = tile.Dot(a.Load(i, k), b.Load(k, j), sum)
		}
		c.Store(sum, i, j)
	}
}

// halves adds up k in two parts, whose first tile is added to the counter.
func halves[E tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]], c tile.Out[tile.F32T2[M, N]], each int) {
	i, j := c.Index(0), c.Index(1)
	var sum tile.F32T2[M, N]
	for part := range 2 {
		for k := range each {
			sum = tile.Dot(a.Load(i, part*each+k), b.Load(part*each+k, j), sum)
		}
	}
	c.Store(sum)
}
