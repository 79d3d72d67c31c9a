// Package argmax finds the greatest element of each row, for example for greedy decoding in a language model.
package argmax

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed argmax.go kernels.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// Run queues y = the column of the greatest element of each row, for x [rows, cols] and y [rows]. Of equal elements the first
// is chosen. NaN is ignored; the result for a row of NaN is 0.
func Run[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], y *cutile.Tensor[int32]) error {
	const name = "argmax.Run"
	n, err := shape.Check(name, shape.Of("x", x, "rows cols"), shape.Of("y", y, "rows"))
	if err != nil || n["rows"] == 0 {
		return err
	}
	if n["cols"] == 0 {
		return shape.Wrong(name, "x has shape %v, expected at least one column", x.Shape())
	}
	c := shape.Fit(n["cols"], 1, 2048)
	r := shape.Fit(n["rows"], 1, max(1, min(16, 2048/c)))
	parts := partsFor(shape.Tiles(n["rows"], r), shape.Tiles(n["cols"], c))
	if parts == 1 {
		return cutile.Launch(ctx, on, cutile.Sized(Rows[E, one, one], r, c), x, y)
	}
	return merged(ctx, on, n["rows"], parts, y, func(values *cutile.Tensor[float32], places *cutile.Tensor[int32]) error {
		return cutile.Launch(ctx, on, cutile.Sized(Parts[E, one, one], r, c), x, values, places)
	})
}

// partsFor chooses into how many parts rows of a number of tiles are split: enough blocks to keep a GPU busy, at least four
// tiles in each.
func partsFor(blocks, tiles int) int {
	const wanted = 128
	return max(1, min(shape.Tiles(wanted, blocks), tiles/4))
}

// merged queues a kernel that makes parts and the kernel that merges them.
func merged(ctx context.Context, on cutile.Target, rows, parts int, y *cutile.Tensor[int32],
	launch func(*cutile.Tensor[float32], *cutile.Tensor[int32]) error) error {
	values, err := cutile.NewTensor[float32](y.Device(), rows, parts)
	if err != nil {
		return err
	}
	defer values.Close() // after both kernels
	places, err := cutile.NewTensor[int32](y.Device(), rows, parts)
	if err != nil {
		return err
	}
	defer places.Close()
	if err := launch(values, places); err != nil {
		return err
	}
	k := cutile.Sized(Merge[one, one], shape.Fit(rows, 1, 4), shape.Fit(parts, 1, 512))
	return cutile.Launch(ctx, on, k, values, places, y)
}

// RunHead queues y = the index of the greatest logit of each row, where the logits x·wᵀ, for x [rows, k] and w [words, k], are
// never stored. Sums are float32.
func RunHead[E Float](ctx context.Context, on cutile.Target, x, w *cutile.Tensor[E], y *cutile.Tensor[int32]) error {
	const name = "argmax.RunHead"
	n, err := shape.Check(name, shape.Of("x", x, "rows k"), shape.Of("w", w, "words k"), shape.Of("y", y, "rows"))
	if err != nil || n["rows"] == 0 {
		return err
	}
	if n["words"] == 0 {
		return shape.Wrong(name, "w has shape %v, expected at least one row", w.Shape())
	}
	r, c := shape.Fit(n["rows"], 16, 64), shape.Fit(n["words"], 16, 128)
	k := shape.Fit(n["k"], 16, 128/dtype.Of[E]().Size())
	return merged(ctx, on, n["rows"], shape.Tiles(n["words"], c), y, func(values *cutile.Tensor[float32], places *cutile.Tensor[int32]) error {
		return cutile.Launch(ctx, on, cutile.Sized(Head[E, one, one, one], r, c, k), x, w.T(), values, places)
	})
}
