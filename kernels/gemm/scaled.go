package gemm

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

// Scaled computes c = alpha·a·b + beta·c in the order of [Place], on a one-dimensional grid. If beta is 0, it does not read c.
func Scaled[E, C tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile2[E, K, N]],
	c tile.InOut[tile.FloatTile2[C, M, N]], alpha, beta float32) {
	i, j := Place(tile.I32(tile.BlockID(0)), tile.I32(c.Tiles(0)), tile.I32(c.Tiles(1)))
	sum := product[float32](a, b, i, j) * tile.F32T2[M, N](alpha)
	if beta != 0 {
		sum = tile.FMA(tile.F32T2[M, N](c.Load(i, j)), tile.F32T2[M, N](beta), sum)
	}
	c.Store(tile.FloatTile2[C, M, N](sum), i, j)
}

// RunScaled queues c = alpha·a·b + beta·c for a [m, k], b [k, n] and c [m, n]. Sums are float32. If beta is 0, what is in c does not
// matter, even NaN.
func RunScaled[E, C Float](ctx context.Context, on cutile.Target, alpha float32, a, b *cutile.Tensor[E], beta float32, c *cutile.Tensor[C]) error {
	x, err := shape.Check("gemm.RunScaled", shape.Of("a", a, "m k"), shape.Of("b", b, "k n"), shape.Of("c", c, "m n"))
	if err != nil || x["m"]*x["n"] == 0 {
		return err
	}
	t := blockFor[E](x)
	if on, err = shape.Grid("gemm.RunScaled", on, t.blocks(x)); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(Scaled[E, C, one, one, one], t.m, t.n, t.k), a, b, c, alpha, beta)
}

// several is how many products of different sizes a launch computes at most.
const several = 8

// Several computes c[p] = a[p]·b[p] for products of different sizes: a block computes a tile of one of them. The grid is the tiles of all.
func Several[E, C tile.FloatElem, M, N, K tile.Dim](a [several]tile.In[tile.FloatTile2[E, M, K]], b [several]tile.In[tile.FloatTile2[E, K, N]],
	c [several]tile.InOut[tile.FloatTile2[C, M, N]]) {
	t := tile.I32(tile.BlockID(0))
	for p := range several {
		m, n := tile.I32(c[p].Tiles(0)), tile.I32(c[p].Tiles(1))
		if t >= 0 && t < m*n {
			i, j := Place(t, m, n)
			c[p].Store(tile.FloatTile2[C, M, N](product[float32](a[p], b[p], i, j)), i, j)
		}
		t -= m * n
	}
}

// RunSeveral queues c[p] = a[p]·b[p] for products of different sizes, a[p] [m, k], b[p] [k, n] and c[p] [m, n], eight in one launch: the
// blocks of small products run beside each other. Sums are float32.
func RunSeveral[E, C Float](ctx context.Context, on cutile.Target, a, b []*cutile.Tensor[E], c []*cutile.Tensor[C]) error {
	const name = "gemm.RunSeveral"
	if len(a) == 0 || len(b) != len(a) || len(c) != len(a) {
		return shape.Wrong(name, "there are %d tensors in a, %d in b and %d in c, expected the same number, at least one", len(a), len(b), len(c))
	}
	most := shape.Extents{}
	for p := range a {
		x, err := shape.Check(name, shape.Of(at("a", p), a[p], "m k"), shape.Of(at("b", p), b[p], "k n"), shape.Of(at("c", p), c[p], "m n"))
		if err != nil {
			return err
		}
		for axis, n := range x {
			most[axis] = max(most[axis], n)
		}
	}
	t := blockFor[E](most)
	for from := 0; from < len(a); from += several {
		if err := launchSeveral(ctx, on, t, a[from:], b[from:], c[from:]); err != nil {
			return err
		}
	}
	return nil
}

// launchSeveral computes the first products of a list in one launch.
func launchSeveral[E, C Float](ctx context.Context, on cutile.Target, t block, a, b []*cutile.Tensor[E], c []*cutile.Tensor[C]) error {
	var as, bs [several]*cutile.Tensor[E]
	var cs [several]*cutile.Tensor[C]
	blocks := 0
	for p := range several {
		if p < len(a) {
			as[p], bs[p], cs[p] = a[p], b[p], c[p]
			s := c[p].Shape()
			blocks += t.blocks(shape.Extents{"m": s[0], "n": s[1]})
		} else { // nothing is left to compute
			as[p], bs[p], cs[p] = a[0].Narrow(0, 0, 0), b[0], c[0].Narrow(0, 0, 0)
		}
	}
	on, err := shape.Grid("gemm.RunSeveral", on, blocks)
	if err != nil || blocks == 0 {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(Several[E, C, one, one, one], t.m, t.n, t.k), as, bs, cs)
}
