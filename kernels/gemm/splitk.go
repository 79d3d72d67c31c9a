package gemm

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

// SplitK computes P parts of a product: part p sums the tiles p, p+P, p+2P … along k. If c is small and k is long, parts keep a
// device busy that has too few tiles of c. [Sum] adds the parts.
//
//cutile:entry
func SplitK[E tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]],
	parts tile.Out[tile.F32T3[tile.D1, M, N]]) {
	i, j := parts.Index(1), parts.Index(2)
	var sum tile.F32T2[M, N]
	for k := parts.Index(0); k < a.Tiles(1); k += parts.Tiles(0) {
		sum = tile.Dot(a.Load(i, k), b.Load(k, j), sum)
	}
	parts.Store(tile.Reshape[tile.F32T3[tile.D1, M, N]](sum))
}

// Sum computes c = f(the sum of all parts).
//
//cutile:entry
func Sum[C tile.FloatElem, M, N tile.Dim](parts tile.In[tile.F32T3[tile.D1, M, N]], c tile.Out[tile.FloatTile2[C, M, N]],
	f func(tile.F32T2[M, N]) tile.F32T2[M, N]) {
	i, j := c.Index(0), c.Index(1)
	var sum tile.F32T2[M, N]
	for p := range parts.Tiles(0) {
		sum += tile.Reshape[tile.F32T2[M, N]](parts.Load(p, i, j))
	}
	c.Store(tile.FloatTile2[C, M, N](f(sum)))
}

// SplitKAtomic adds a·b to c, m by n numbers, with parts along the grid's third axis that add to the same elements atomically.
// It needs no memory for parts, but the order of additions, and therefore the last bits of the result, differ from run to run.
//
//cutile:entry
func SplitKAtomic[E tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]],
	c tile.Ptr[float32]) {
	i, j, m, n := tile.BlockID(0), tile.BlockID(1), a.Len(0), b.Len(1)
	var sum tile.F32T2[M, N]
	for k := tile.BlockID(2); k < a.Tiles(1); k += tile.NumBlocks(2) {
		sum = tile.Dot(a.Load(i, k), b.Load(k, j), sum)
	}
	row := tile.I32T2[M, N](tile.Reshape[tile.I32T2[M, tile.D1]](tile.I32T1[M](i*tile.Extent[M]()) + tile.Iota[M]()))
	col := tile.I32T2[M, N](tile.I32T1[N](j*tile.Extent[N]()) + tile.Iota[N]())
	inside := row < tile.I32T2[M, N](m) && col < tile.I32T2[M, N](n)
	tile.AtomicAdd(c, row*tile.I32T2[M, N](n)+col, sum, inside)
}

// wanted is the number of blocks that keeps a device busy.
const wanted = 128

// partsFor chooses how many parts to make of a product with a given number of tiles: at least four steps along k for each.
func partsFor(tiles, steps int) int {
	return max(1, min(shape.Tiles(wanted, tiles), steps/4))
}

// RunSplitK queues c = a·b with k split into parts, which a second kernel adds; 0 parts selects a number that suits the shapes.
// The result is the same in each run.
func RunSplitK[E, C Float](ctx context.Context, on cutile.Target, parts int, a, b *cutile.Tensor[E], c *cutile.Tensor[C]) error {
	const name = "gemm.RunSplitK"
	x, err := shape.Check(name, shape.Of("a", a, "m k"), shape.Of("b", b, "k n"), shape.Of("c", c, "m n"))
	if err != nil || x["m"]*x["n"] == 0 {
		return err
	}
	t := blockFor[E](x)
	if parts == 0 {
		parts = partsFor(t.blocks(x), shape.Tiles(x["k"], t.k))
	}
	if parts < 1 {
		return shape.Wrong(name, "parts is %d, expected at least 1, or 0 for a number that fits", parts)
	}
	sums, err := cutile.NewTensor[float32](c.Device(), parts, x["m"], x["n"])
	if err != nil {
		return err
	}
	defer sums.Close() // after both kernels
	k := cutile.Sized(SplitK[E, one, one, one], t.m, t.n, t.k)
	if err := cutile.Launch(ctx, on, k, a, b, sums); err != nil {
		return err
	}
	k = cutile.Sized(Sum[C, one, one], t.m, t.n)
	return cutile.Launch(ctx, on, k, sums, c, Identity[tile.F32T2[one, one]])
}
