package gemm

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// In the kernels below E are the elements of a and b, A those in which products are added up (see tile.Dot), and C those of
// the result. A block makes M by N elements of c and walks along k, K elements at a time. f is applied to each tile of the
// product while it is in registers.

// product is the tile (i, j) of a·b.
func product[A, E tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]],
	i, j int) tile.FloatTile2[A, M, N] {
	var sum tile.FloatTile2[A, M, N]
	for k := range a.Tiles(1) {
		sum = tile.Dot(a.Load(i, k), b.Load(k, j), sum)
	}
	return sum
}

// Tiled computes c = f(a·b) for a [m, k] and b [k, n]: the textbook kernel, with one block per tile of c.
//
//cutile:entry
func Tiled[E, A, C tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]],
	c tile.Out[tile.FloatTile2[C, M, N]], f func(tile.FloatTile2[A, M, N]) tile.FloatTile2[A, M, N]) {
	c.Store(tile.FloatTile2[C, M, N](f(product[A](a, b, c.Index(0), c.Index(1)))))
}

// Place returns the t-th tile of c, in an order that goes down eight rows of tiles before it continues with the next column.
// Blocks that run at the same time then share most of the elements that they read, which stay in the L2 cache.
func Place(t, tilesM, tilesN tile.I32) (i, j int) {
	const group = 8
	first := t / (group * tilesN) * group
	rows := min(tilesM-first, group)
	return int(first + t%rows), int(t % (group * tilesN) / rows)
}

// Grouped is [Tiled] in the order of [Place], on a one-dimensional grid.
func Grouped[E, A, C tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]],
	c tile.InOut[tile.FloatTile2[C, M, N]], f func(tile.FloatTile2[A, M, N]) tile.FloatTile2[A, M, N]) {
	i, j := Place(tile.I32(tile.BlockID(0)), tile.I32(c.Tiles(0)), tile.I32(c.Tiles(1)))
	c.Store(tile.FloatTile2[C, M, N](f(product[A](a, b, i, j))), i, j)
}

// Persistent is [Grouped] with as many blocks as the device runs at once; each computes several tiles, which saves the cost of
// starting blocks.
func Persistent[E, A, C tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]],
	c tile.Persistent[tile.FloatTile2[C, M, N]], f func(tile.FloatTile2[A, M, N]) tile.FloatTile2[A, M, N]) {
	c = c.Grouped(8)
	for t := range c.Count() {
		c.Store(tile.FloatTile2[C, M, N](f(product[A](a, b, c.Index(t, 0), c.Index(t, 1)))), t)
	}
}

// Batched computes c = f(a·b) for each index of the first axis.
//
//cutile:entry
func Batched[E, A, C tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile3[E, tile.D1, M, K]],
	b tile.In[tile.FloatTile3[E, tile.D1, K, N]], c tile.Out[tile.FloatTile3[C, tile.D1, M, N]],
	f func(tile.FloatTile2[A, M, N]) tile.FloatTile2[A, M, N]) {
	z, i, j := c.Index(0), c.Index(1), c.Index(2)
	var sum tile.FloatTile2[A, M, N]
	for k := range a.Tiles(2) {
		x := tile.Reshape[tile.FloatTile2[E, M, K]](a.Load(z, i, k))
		y := tile.Reshape[tile.FloatTile2[E, K, N]](b.Load(z, k, j))
		sum = tile.Dot(x, y, sum)
	}
	c.Store(tile.Reshape[tile.FloatTile3[C, tile.D1, M, N]](tile.FloatTile2[C, M, N](f(sum))))
}

// Linear computes c = f(a·b + bias), where bias has one number per column.
//
//cutile:entry
func Linear[E, B, C tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]],
	bias tile.In[tile.FloatTile1[B, N]], c tile.Out[tile.FloatTile2[C, M, N]], f func(tile.F32T2[M, N]) tile.F32T2[M, N]) {
	i, j := c.Index(0), c.Index(1)
	x := product[float32](a, b, i, j) + tile.F32T2[M, N](bias.Load(j))
	c.Store(tile.FloatTile2[C, M, N](f(x)))
}

// TF32 computes c = f(a·b), with factors rounded to the 11 significant bits of a float32 that tensor cores use.
//
//cutile:entry
func TF32[M, N, K tile.Dim](a tile.In[tile.F32T2[M, K]], b tile.In[tile.F32T2[K, N]], c tile.Out[tile.F32T2[M, N]],
	f func(tile.F32T2[M, N]) tile.F32T2[M, N]) {
	i, j := c.Index(0), c.Index(1)
	var sum tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		sum = tile.Dot(tile.TF32T2[M, K](a.Load(i, k)), tile.TF32T2[K, N](b.Load(k, j)), sum)
	}
	c.Store(f(sum))
}

// Int8 computes c = a·b.
//
//cutile:entry
func Int8[M, N, K tile.Dim](a tile.In[tile.I8T2[M, K]], b tile.In[tile.I8T2[K, N]], c tile.Out[tile.I32T2[M, N]]) {
	var sum tile.I32T2[M, N]
	for k := range a.Tiles(1) {
		sum = tile.DotInt(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), sum)
	}
	c.Store(sum)
}

// The functions below may be given for f, as may any other that is declared in a package whose source is registered.

// Identity returns x.
func Identity[T tile.FloatTile](x T) T { return x }

// ReLU returns max(x, 0).
func ReLU[T tile.FloatTile](x T) T { return max(x, 0) }

// SiLU returns x / (1 + e^-x).
func SiLU[T tile.FloatTile](x T) T { return x / (1 + tile.Exp(-x)) }

// GELU returns x·Φ(x), where Φ is the distribution function of a standard normal variable. (D. Hendrycks and K. Gimpel, Gaussian
// error linear units, 2016.)
func GELU[T tile.FloatTile](x T) T { return 0.5 * x * (1 + tile.Erf(x*(1/math.Sqrt2))) }

// GELUTanh returns the usual approximation of [GELU] by tanh, with which many networks were trained. It differs by 5e-4 at most.
func GELUTanh[T tile.FloatTile](x T) T {
	return 0.5 * x * (1 + tile.Tanh(math.Sqrt2/math.SqrtPi*(x+0.044715*x*x*x)))
}
