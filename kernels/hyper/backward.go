package hyper

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

// WidthBackward computes the gradients of the streams and of the factors of [Width], given those of x and of the kept streams. The grid is the
// tokens.
func WidthBackward[E tile.FloatElem, S, N tile.Dim](h tile.In[tile.FloatTile3[E, tile.D1, S, N]], a tile.In[tile.F32T3[tile.D1, S, tile.D1]],
	dx tile.In[tile.FloatTile2[E, tile.D1, N]], dkept tile.In[tile.FloatTile3[E, tile.D1, tile.D1, N]], dh tile.InOut[tile.FloatTile3[E, tile.D1, S, N]],
	da tile.InOut[tile.F32T3[tile.D1, S, tile.D1]]) {
	type some = tile.F32T2[S, N]
	t := tile.BlockID(0)
	slope := func(c, j int) tile.F32T2[tile.D1, N] { // of column c
		if c == 0 {
			return tile.F32T2[tile.D1, N](dx.Load(t, j))
		}
		return tile.F32T2[tile.D1, N](tile.Reshape[tile.FloatTile2[E, tile.D1, N]](dkept.Load(t, c-1, j)))
	}
	for j := range h.Tiles(2) {
		var sum some
		for c := range a.Len(2) {
			sum += some(tile.Reshape[tile.F32T2[S, tile.D1]](a.Load(t, 0, c))) * some(slope(c, j))
		}
		dh.Store(tile.Reshape[tile.FloatTile3[E, tile.D1, S, N]](tile.FloatTile2[E, S, N](sum)), t, 0, j)
	}
	for c := range a.Len(2) {
		var sum tile.F32T2[S, tile.D1]
		for j := range h.Tiles(2) {
			sum += (some(tile.Reshape[tile.FloatTile2[E, S, N]](h.Load(t, 0, j))) * some(slope(c, j))).Sum1()
		}
		da.Store(tile.Reshape[tile.F32T3[tile.D1, S, tile.D1]](sum), t, 0, c)
	}
}

// DepthBackward computes the gradients of y and b of [Depth], given that of h. The grid is the tokens.
func DepthBackward[E tile.FloatElem, S, N tile.Dim](y tile.In[tile.FloatTile2[E, tile.D1, N]], b tile.In[tile.F32T2[tile.D1, S]],
	dh tile.In[tile.FloatTile3[E, tile.D1, S, N]], dy tile.InOut[tile.FloatTile2[E, tile.D1, N]], db tile.InOut[tile.F32T2[tile.D1, S]]) {
	type some = tile.F32T2[S, N]
	t := tile.BlockID(0)
	factors := some(b.Load(t, 0).T())
	var sum tile.F32T2[S, tile.D1]
	for j := range dh.Tiles(2) {
		d := some(tile.Reshape[tile.FloatTile2[E, S, N]](dh.Load(t, 0, j)))
		dy.Store(tile.FloatTile2[E, tile.D1, N]((d * factors).Sum0()), t, j)
		sum += (d * some(tile.F32T2[tile.D1, N](y.Load(t, j)))).Sum1()
	}
	db.Store(sum.T(), t, 0)
}

// RunWidthBackward queues dh and da, the gradients of h and a for [RunWidth], given dx and dkept, those of x and kept. All have the shapes of
// what they are gradients of; da has an element for each token even where a is a view that repeats some: add those up.
func RunWidthBackward[E Float](ctx context.Context, on cutile.Target, h *cutile.Tensor[E], a *cutile.Tensor[float32], dx, dkept, dh *cutile.Tensor[E],
	da *cutile.Tensor[float32]) error {
	const name, streams, factors = "hyper.RunWidthBackward", "tokens streams dim", "tokens streams streams+1"
	n, err := check(name, shape.Of("h", h, streams), shape.Of("a", a, factors), shape.Of("dx", dx, "tokens dim"), shape.Of("dkept", dkept, streams),
		shape.Of("dh", dh, streams), shape.Of("da", da, factors))
	switch {
	case err != nil:
		return err
	case n["streams+1"] != n["streams"]+1:
		return shape.Wrong(name, "a has %d factors for each of %d streams, expected %d", n["streams+1"], n["streams"], n["streams"]+1)
	}
	s, d := tileFor(n)
	if on, err = shape.Grid(name, on, n["tokens"]); err != nil || da.Len() == 0 {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(WidthBackward[E, one, one], s, d), h, a, dx, dkept, dh, da)
}

// RunDepthBackward queues dy and db, the gradients of y and b for [RunDepth], given dh, that of h, which is also the gradient of kept. db has
// an element for each token.
func RunDepthBackward[E Float](ctx context.Context, on cutile.Target, y *cutile.Tensor[E], b *cutile.Tensor[float32], dh, dy *cutile.Tensor[E],
	db *cutile.Tensor[float32]) error {
	const name = "hyper.RunDepthBackward"
	n, err := check(name, shape.Of("y", y, "tokens dim"), shape.Of("b", b, "tokens streams"), shape.Of("dh", dh, "tokens streams dim"),
		shape.Of("dy", dy, "tokens dim"), shape.Of("db", db, "tokens streams"))
	if err != nil {
		return err
	}
	s, d := tileFor(n)
	if on, err = shape.Grid(name, on, n["tokens"]); err != nil || db.Len() == 0 {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(DepthBackward[E, one, one], s, d), y, b, dh, dy, db)
}
