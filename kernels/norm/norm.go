// Package norm normalises rows, by layer normalisation and root-mean-square normalisation, and images, by batch normalisation and group
// normalisation, which with a group for each channel is instance normalisation: forward and backward.
//
// To normalise heads of attention, view queries [tokens, heads, dim] as rows by x.Reshape(tokens*heads, dim).
package norm

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed batch.go batchkernels.go group.go groupkernels.go layer.go layerrun.go norm.go rms.go
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
