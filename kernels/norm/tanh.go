package norm

import (
	"context"
	"errors"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

// DynamicTanhRows computes y = tanh(alpha·x)·w + b. A block has R rows and C columns. (J. Zhu and others, Transformers without
// normalization, 2025.)
//
//cutile:entry
func DynamicTanhRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], alpha tile.In[tile.FloatTile1[E, tile.D1]],
	w, b tile.In[tile.FloatTile1[E, C]], y tile.Out[tile.FloatTile2[E, R, C]]) {
	i, j := y.Index(0), y.Index(1)
	h := tile.Tanh(tile.F32T2[R, C](x.Load(i, j)) * tile.F32T2[R, C](alpha.Load(0)))
	y.Store(tile.FloatTile2[E, R, C](tile.FMA(h, tile.F32T2[R, C](w.Load(j)), tile.F32T2[R, C](b.Load(j)))))
}

// DynamicTanhBackwardRows computes the gradients of [DynamicTanhRows]: with h = tanh(alpha·x) and g = dy·w·(1 - h²),
//
//	dx = g·alpha        dalpha = Σ g·x        dw = Σ dy·h and db = Σ dy over all rows
//
// A block has C columns of tiles of rows at regular distances, and writes one row of sums each for dw and db, and one sum for dalpha.
//
//cutile:entry
func DynamicTanhBackwardRows[E tile.FloatElem, R, C tile.Dim](dy, x tile.In[tile.FloatTile2[E, R, C]], alpha tile.In[tile.FloatTile1[E, tile.D1]],
	w tile.In[tile.FloatTile1[E, C]], dx tile.InOut[tile.FloatTile2[E, R, C]], dalpha tile.Out[tile.F32T2[tile.D1, tile.D1]],
	dw, db tile.Out[tile.F32T2[tile.D1, C]]) {
	j, a := dw.Index(1), tile.F32T2[R, C](alpha.Load(0))
	weight := tile.F32T2[R, C](w.Load(j))
	var ga, gw, gb tile.F32T2[R, C]
	for i := dw.Index(0); i < x.Tiles(0); i += dw.Tiles(0) {
		d, t := tile.F32T2[R, C](dy.Load(i, j)), tile.F32T2[R, C](x.Load(i, j))
		h := tile.Tanh(a * t)
		g := d * weight * (1 - h*h)
		dx.Store(tile.FloatTile2[E, R, C](g*a), i, j)
		ga = tile.FMA(g, t, ga)
		gw = tile.FMA(d, h, gw)
		gb += d
	}
	dalpha.Store(ga.Sum0().Sum1())
	dw.Store(gw.Sum0())
	db.Store(gb.Sum0())
}

// tanhTile gives the rows and columns of a block's tile: columns do not depend on each other.
func tanhTile(n shape.Extents) (r, c int) {
	c = shape.Fit(n["cols"], 1, 1024)
	return shape.Together(n["rows"], c, 2048), c
}

// DynamicTanh queues y = tanh(alpha·x)·w + b for each row of x [rows, cols] with alpha [1], and w and b [cols].
func DynamicTanh[E Float](ctx context.Context, on cutile.Target, x, alpha, w, b, y *cutile.Tensor[E]) error {
	n, err := shape.Check("norm.DynamicTanh", shape.Of("x", x, matrix), shape.Of("alpha", alpha, "1"), shape.Of("w", w, row),
		shape.Of("b", b, row), shape.Of("y", y, matrix))
	if err != nil {
		return err
	}
	r, c := tanhTile(n)
	return cutile.Launch(ctx, on, cutile.Sized(DynamicTanhRows[E, one, one], r, c), x, alpha, w, b, y)
}

// DynamicTanhBackward queues the gradients dx, dalpha, dw and db of [DynamicTanh], given the gradient of y.
func DynamicTanhBackward[E Float](ctx context.Context, on cutile.Target, dy, x, alpha, w, dx, dalpha, dw, db *cutile.Tensor[E]) error {
	n, err := shape.Check("norm.DynamicTanhBackward", shape.Of("dy", dy, matrix), shape.Of("x", x, matrix), shape.Of("alpha", alpha, "1"),
		shape.Of("w", w, row), shape.Of("dx", dx, matrix), shape.Of("dalpha", dalpha, "1"), shape.Of("dw", dw, row), shape.Of("db", db, row))
	if err != nil {
		return err
	}
	r, c := tanhTile(n)
	sa, err := sumsFor(dw.Device(), shape.Extents{"rows": n["rows"], "cols": shape.Tiles(n["cols"], c)}, r)
	if err != nil {
		return err
	}
	defer sa.Close() // after the kernels
	sw, err := sumsFor(dw.Device(), n, r)
	if err != nil {
		return err
	}
	defer sw.Close()
	sb, err := sumsFor(dw.Device(), n, r)
	if err != nil {
		return err
	}
	defer sb.Close()
	k := cutile.Sized(DynamicTanhBackwardRows[E, one, one], r, c)
	if err := cutile.Launch(ctx, on, k, dy, x, alpha, w, dx, sa, sw, sb); err != nil {
		return err
	}
	return errors.Join(sumRows(ctx, on, sa.Reshape(sa.Len(), 1), dalpha), sumRows(ctx, on, sw, dw), sumRows(ctx, on, sb, db))
}
