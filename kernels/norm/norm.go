// Package norm normalises rows, by layer normalisation, root-mean-square normalisation (with a residual, a gate, or weights around 1), sums
// of normalised powers and the dynamic tanh, which takes the place of a normalisation, and images, by batch normalisation and group
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

//go:embed batch.go batchkernels.go group.go groupkernels.go layer.go layerrun.go norm.go poly.go rms.go rmsrun.go tanh.go
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

// fits refuses rows that a kernel cannot hold at once.
func fits(function string, n shape.Extents) error {
	if n["cols"] > whole {
		return shape.Wrong(function, "rows have %d elements, expected at most %d", n["cols"], whole)
	}
	return nil
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
