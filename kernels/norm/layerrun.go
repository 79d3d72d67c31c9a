package norm

import (
	"context"
	"errors"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// Layer queues y = (x - mean)·rstd·w + b for each row of x [rows, cols], with w and b [cols]. mean and rstd [rows], which is
// 1/√(variance + eps), are stored for the gradients; either may be nil if it is not needed.
func Layer[E Float](ctx context.Context, on cutile.Target, x, w, b, y *cutile.Tensor[E], mean, rstd *cutile.Tensor[float32], eps float32) error {
	const name = "norm.Layer"
	n, err := shape.Check(name, with(mean, rstd, shape.Of("x", x, matrix), shape.Of("w", w, row), shape.Of("b", b, row), shape.Of("y", y, matrix))...)
	if err != nil || n["rows"]*n["cols"] == 0 {
		return err
	}
	r, c := tileFor(n)
	return kept(y.Device(), n["rows"], mean, rstd, func(mean, rstd *cutile.Tensor[float32]) error {
		if c >= n["cols"] {
			return cutile.Launch(ctx, on, cutile.Sized(LayerRows[E, one, one], r, c), x, w, b, y, mean, rstd, eps)
		}
		on, err := shape.Grid(name, on, shape.Tiles(n["rows"], r))
		if err != nil {
			return err
		}
		return cutile.Launch(ctx, on, cutile.Sized(LayerLongRows[E, one, one], r, c), x, w, b, y, mean, rstd, eps)
	})
}

// AddLayer queues residual = x + residual, and y = [Layer] of that: residual is both an argument and the sum. mean and rstd may be
// nil, as there. Rows have at most 8192 elements.
func AddLayer[E Float](ctx context.Context, on cutile.Target, x, residual, w, b, y *cutile.Tensor[E], mean, rstd *cutile.Tensor[float32],
	eps float32) error {
	const name = "norm.AddLayer"
	n, err := shape.Check(name, with(mean, rstd, shape.Of("x", x, matrix), shape.Of("residual", residual, matrix), shape.Of("w", w, row),
		shape.Of("b", b, row), shape.Of("y", y, matrix))...)
	if err == nil {
		err = fits(name, n)
	}
	if err != nil || n["rows"]*n["cols"] == 0 {
		return err
	}
	r, c := tileFor(n)
	return kept(y.Device(), n["rows"], mean, rstd, func(mean, rstd *cutile.Tensor[float32]) error {
		return cutile.Launch(ctx, on, cutile.Sized(AddLayerRows[E, one, one], r, c), x, residual, w, b, y, mean, rstd, eps)
	})
}

// with adds those of mean and rstd that are there to the arguments to check.
func with(mean, rstd *cutile.Tensor[float32], args ...shape.Arg) []shape.Arg {
	if mean != nil {
		args = append(args, shape.Of("mean", mean, col))
	}
	if rstd != nil {
		args = append(args, shape.Of("rstd", rstd, col))
	}
	return args
}

// kept launches with memory for those of mean and rstd that the caller does not want.
func kept(dev *cutile.Device, rows int, mean, rstd *cutile.Tensor[float32], launch func(mean, rstd *cutile.Tensor[float32]) error) error {
	for _, t := range []**cutile.Tensor[float32]{&mean, &rstd} {
		if *t != nil {
			continue
		}
		room, err := cutile.NewTensor[float32](dev, rows)
		if err != nil {
			return err
		}
		defer room.Close() // after the kernel
		*t = room
	}
	return launch(mean, rstd)
}

// LayerBackward queues the gradients dx, dw and db of [Layer], given the gradient of y and the mean and rstd that Layer stored.
func LayerBackward[E Float](ctx context.Context, on cutile.Target, dy, x, w *cutile.Tensor[E], mean, rstd *cutile.Tensor[float32],
	dx, dw, db *cutile.Tensor[E]) error {
	const name = "norm.LayerBackward"
	n, err := shape.Check(name, shape.Of("dy", dy, matrix), shape.Of("x", x, matrix), shape.Of("w", w, row), shape.Of("mean", mean, col),
		shape.Of("rstd", rstd, col), shape.Of("dx", dx, matrix), shape.Of("dw", dw, row), shape.Of("db", db, row))
	if err != nil || n["cols"] == 0 {
		return err
	}
	r, c := tileFor(n)
	sw, err := sumsFor(dw.Device(), n, r)
	if err != nil {
		return err
	}
	defer sw.Close() // after the kernels
	sb, err := sumsFor(dw.Device(), n, r)
	if err != nil {
		return err
	}
	defer sb.Close()
	if c >= n["cols"] {
		k := cutile.Sized(LayerBackwardRows[E, one, one], r, c)
		err = cutile.Launch(ctx, on, k, dy, x, w, mean, rstd, dx, sw, sb)
	} else {
		err = longBackward(ctx, on, shape.Tiles(n["rows"], r), r, c, dy, x, w, mean, rstd, dx, sw, sb)
	}
	if err != nil {
		return err
	}
	return errors.Join(sumRows(ctx, on, sw, dw), sumRows(ctx, on, sb, db))
}

// LayerBackwardAdd is [LayerBackward] in one kernel, which adds the gradients of w and b to those in dw and db, for example
// over several batches, after dw and db were filled with zeros. Blocks add to the same elements, so the last bits differ from
// run to run. Rows have at most 8192 elements.
func LayerBackwardAdd[E Float](ctx context.Context, on cutile.Target, dy, x, w *cutile.Tensor[E], mean, rstd *cutile.Tensor[float32],
	dx *cutile.Tensor[E], dw, db *cutile.Tensor[float32]) error {
	const name = "norm.LayerBackwardAdd"
	n, err := shape.Check(name, shape.Of("dy", dy, matrix), shape.Of("x", x, matrix), shape.Of("w", w, row), shape.Of("mean", mean, col),
		shape.Of("rstd", rstd, col), shape.Of("dx", dx, matrix), shape.Of("dw", dw, row), shape.Of("db", db, row))
	if err == nil {
		err = fits(name, n)
	}
	if err != nil || x.Len() == 0 {
		return err
	}
	for i, t := range []*cutile.Tensor[float32]{dw, db} {
		if !t.IsContiguous() {
			return shape.Wrong(name, "%s has strides %v, expected contiguous elements", []string{"dw", "db"}[i], t.Strides())
		}
	}
	r, c := tileFor(n)
	if on, err = shape.Grid(name, on, shape.Tiles(n["rows"], r)); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(LayerBackwardAtomic[E, one, one], r, c), dy, x, w, mean, rstd, dx, dw, db)
}

func longBackward[E Float](ctx context.Context, on cutile.Target, blocks, r, c int, dy, x, w *cutile.Tensor[E],
	mean, rstd *cutile.Tensor[float32], dx *cutile.Tensor[E], sw, sb *cutile.Tensor[float32]) error {
	const rows, cols = 8, 256 // of the tiles of which sums are made
	kw := cutile.Sized(LayerBackwardW[E, one, one], rows, cols)
	if err := cutile.Launch(ctx, on, kw, dy, x, mean, rstd, sw, sb); err != nil {
		return err
	}
	on, err := shape.Grid("norm.LayerBackward", on, blocks)
	if err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(LayerBackwardX[E, one, one], r, c), dy, x, w, mean, rstd, dx)
}
