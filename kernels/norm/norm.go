// Package norm normalises rows: layer normalisation and root-mean-square normalisation, forward and backward.
//
// To normalise heads of attention, view queries [tokens, heads, dim] as rows by x.Reshape(tokens*heads, dim).
package norm

import (
	"context"
	"embed"
	"errors"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed layer.go norm.go rms.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types; the kernels compute in float32.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// Rows that fit a tile of whole elements are read once; others go through tiles of part elements.
const whole, part = 8192, 2048

// tileFor gives the rows and columns of a block's tile: several short rows share a block.
func tileFor(n shape.Extents) (r, c int) {
	c = part
	if n["cols"] <= whole {
		c = shape.Fit(n["cols"], 1, whole)
	}
	return shape.Fit(n["rows"], 1, max(1, min(16, 2048/c))), c
}

// partialRows is how many blocks share the rows of a backward pass, at most: as many as keep a GPU busy.
const partialRows = 128

const matrix, row, col = "rows cols", "cols", "rows"

// RMS queues y = x·w/√(mean of x² + eps) for each row of x [rows, cols] with w [cols].
func RMS[E Float](ctx context.Context, on cutile.Target, x, w, y *cutile.Tensor[E], eps float32) error {
	n, err := shape.Check("norm.RMS", shape.Of("x", x, matrix), shape.Of("w", w, row), shape.Of("y", y, matrix))
	if err != nil || n["rows"]*n["cols"] == 0 {
		return err
	}
	r, c := tileFor(n)
	if c >= n["cols"] {
		return cutile.Launch(ctx, on, cutile.Sized(RMSRows[E, one, one], r, c), x, w, y, eps)
	}
	if on, err = shape.Grid("norm.RMS", on, shape.Tiles(n["rows"], r)); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(RMSLongRows[E, one, one], r, c), x, w, y, eps)
}

// fits refuses rows that a kernel cannot hold at once.
func fits(function string, n shape.Extents) error {
	if n["cols"] > whole {
		return shape.Wrong(function, "rows have %d elements, expected at most %d", n["cols"], whole)
	}
	return nil
}

// AddRMS queues residual = x + residual, and y = RMS of that. Rows have at most 8192 elements.
func AddRMS[E Float](ctx context.Context, on cutile.Target, x, residual, w, y *cutile.Tensor[E], eps float32) error {
	n, err := shape.Check("norm.AddRMS", shape.Of("x", x, matrix), shape.Of("residual", residual, matrix), shape.Of("w", w, row), shape.Of("y", y, matrix))
	if err == nil {
		err = fits("norm.AddRMS", n)
	}
	if err != nil {
		return err
	}
	r, c := tileFor(n)
	return cutile.Launch(ctx, on, cutile.Sized(AddRMSRows[E, one, one], r, c), x, residual, w, y, eps)
}

// RMSBackward queues the gradients dx and dw of [RMS], given the gradient of y. Rows have at most 8192 elements.
func RMSBackward[E Float](ctx context.Context, on cutile.Target, dy, x, w, dx, dw *cutile.Tensor[E], eps float32) error {
	n, err := shape.Check("norm.RMSBackward", shape.Of("dy", dy, matrix), shape.Of("x", x, matrix), shape.Of("w", w, row),
		shape.Of("dx", dx, matrix), shape.Of("dw", dw, row))
	if err == nil {
		err = fits("norm.RMSBackward", n)
	}
	if err != nil {
		return err
	}
	r, c := tileFor(n)
	sums, err := sumsFor(dw.Device(), n, r)
	if err != nil {
		return err
	}
	defer sums.Close() // after both kernels
	k := cutile.Sized(RMSBackwardRows[E, one, one], r, c)
	if err := cutile.Launch(ctx, on, k, dy, x, w, dx, sums, eps); err != nil {
		return err
	}
	return sumRows(ctx, on, sums, dw)
}

// sumsFor makes room for the sums of a backward pass over tiles of r rows.
func sumsFor(dev *cutile.Device, n shape.Extents, r int) (*cutile.Tensor[float32], error) {
	return cutile.NewTensor[float32](dev, max(1, min(partialRows, shape.Tiles(n["rows"], r))), n["cols"])
}

func sumRows[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[float32], y *cutile.Tensor[E]) error {
	s := x.Shape()
	k := cutile.Sized(SumRows[E, one, one], shape.Fit(s[0], 1, 16), shape.Fit(s[1], 1, 128))
	return cutile.Launch(ctx, on, k, x, y)
}

// Layer queues y = (x - mean)·rstd·w + b for each row of x [rows, cols], with w and b [cols]. mean and rstd [rows], which is
// 1/√(variance + eps), are stored for the gradients.
func Layer[E Float](ctx context.Context, on cutile.Target, x, w, b, y *cutile.Tensor[E], mean, rstd *cutile.Tensor[float32], eps float32) error {
	n, err := shape.Check("norm.Layer", shape.Of("x", x, matrix), shape.Of("w", w, row), shape.Of("b", b, row), shape.Of("y", y, matrix),
		shape.Of("mean", mean, col), shape.Of("rstd", rstd, col))
	if err != nil || n["rows"]*n["cols"] == 0 {
		return err
	}
	r, c := tileFor(n)
	if c >= n["cols"] {
		return cutile.Launch(ctx, on, cutile.Sized(LayerRows[E, one, one], r, c), x, w, b, y, mean, rstd, eps)
	}
	if on, err = shape.Grid("norm.Layer", on, shape.Tiles(n["rows"], r)); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(LayerLongRows[E, one, one], r, c), x, w, b, y, mean, rstd, eps)
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
