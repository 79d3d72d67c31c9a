package loss

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

// LinearCrossEntropy queues y = [CrossEntropy] of the logits x·wᵀ for x [rows, in] and w [classes, in], without memory for all logits: they
// are computed for some of the rows at a time, as float32 numbers that take about as much memory as x. (P. Hsu and others, Liger Kernel,
// 2024.)
func LinearCrossEntropy[E Float](ctx context.Context, on cutile.Target, x, w *cutile.Tensor[E], targets *cutile.Tensor[int32],
	y *cutile.Tensor[float32], l Labels) error {
	const name = "loss.LinearCrossEntropy"
	n, err := l.check(name, shape.Of("y", y, ""), shape.Of("x", x, "rows in"), shape.Of("w", w, "classes in"), shape.Of("targets", targets, "rows"))
	if err == nil {
		_, err = shape.Grid(name, on, 1) // the kernels choose their grids
	}
	if err != nil {
		return err
	}
	return l.reduced(ctx, on, n, targets, y, func(losses *cutile.Tensor[float32]) error {
		return chunks(ctx, on, n, x, w, func(from, to int, x *cutile.Tensor[E], logits *cutile.Tensor[float32]) error {
			r, c := crossTile(shape.Extents{"rows": to - from, "classes": n["classes"]})
			k := cutile.Sized(CrossRows[float32, one, one], r, c)
			return cutile.Launch(ctx, on, k, logits, targets.Narrow(0, from, to), losses.Narrow(0, from, to), l.Smoothing, l.ignored())
		})
	})
}

// chunkFor chooses how many rows have their logits in memory together: no more of these than there are elements of x, unless that would
// be too few rows for a product.
func chunkFor(n shape.Extents) int {
	const least = 128
	rows := n["rows"] * n["in"] / max(n["classes"], 1)
	return min(n["rows"], max(least, rows/least*least))
}

// chunks calls a function for some of the rows at a time, after their logits.
func chunks[E Float](ctx context.Context, on cutile.Target, n shape.Extents, x, w *cutile.Tensor[E],
	each func(from, to int, x *cutile.Tensor[E], logits *cutile.Tensor[float32]) error) error {
	rows := chunkFor(n)
	all, err := cutile.NewTensor[float32](w.Device(), rows, n["classes"])
	if err != nil {
		return err
	}
	defer all.Close() // after the kernels
	for from := 0; from < n["rows"]; from += rows {
		to := min(from+rows, n["rows"])
		part, logits := x.Narrow(0, from, to), all.Narrow(0, 0, to-from)
		if err := gemm.Run(ctx, on, part, w.T(), logits); err != nil {
			return err
		}
		if err := each(from, to, part, logits); err != nil {
			return err
		}
	}
	return nil
}

// LinearCrossEntropyBackward queues dx and dw, the gradients of x and w for [LinearCrossEntropy] with the same labels, given dy, the gradient
// of y. It computes the logits again, some of the rows at a time, and rounds their gradients to E. Sums over rows are float32.
func LinearCrossEntropyBackward[E Float](ctx context.Context, on cutile.Target, x, w *cutile.Tensor[E], targets *cutile.Tensor[int32],
	dy *cutile.Tensor[float32], dx, dw *cutile.Tensor[E], l Labels) error {
	const name = "loss.LinearCrossEntropyBackward"
	n, err := l.check(name, shape.Of("dy", dy, ""), shape.Of("x", x, "rows in"), shape.Of("w", w, "classes in"), shape.Of("targets", targets, "rows"),
		shape.Of("dx", dx, "rows in"), shape.Of("dw", dw, "classes in"))
	if err == nil {
		_, err = shape.Grid(name, on, 1)
	}
	if err != nil {
		return err
	}
	sums, err := cutile.NewTensor[float32](dw.Device(), n["classes"], n["in"])
	if err != nil {
		return err
	}
	defer sums.Close() // after the kernels
	slopes, err := cutile.NewTensor[E](dw.Device(), chunkFor(n), n["classes"])
	if err != nil {
		return err
	}
	defer slopes.Close()
	err = l.spread(ctx, on, n, targets, dy, func(dy *cutile.Tensor[float32]) error {
		return chunks(ctx, on, n, x, w, func(from, to int, x *cutile.Tensor[E], logits *cutile.Tensor[float32]) error {
			d := slopes.Narrow(0, 0, to-from)
			r, c := crossTile(shape.Extents{"rows": to - from, "classes": n["classes"]})
			grid, err := shape.Grid(name, on, shape.Tiles(to-from, r))
			if err != nil {
				return err
			}
			k := cutile.Sized(CrossBackward[float32, E, one, one], r, c)
			if err := cutile.Launch(ctx, grid, k, logits, targets.Narrow(0, from, to), dy.Narrow(0, from, to), d, l.Smoothing, l.ignored()); err != nil {
				return err
			}
			if err := gemm.Run(ctx, on, d, w, dx.Narrow(0, from, to)); err != nil {
				return err
			}
			return gemm.RunScaled(ctx, on, 1, d.T(), x, 1, sums)
		})
	})
	if err != nil {
		return err
	}
	k := cutile.Sized(gemm.Sum[E, one, one], shape.Fit(n["classes"], 1, 64), shape.Fit(n["in"], 1, 64))
	return cutile.Launch(ctx, on, k, sums.Reshape(1, n["classes"], n["in"]), dw, gemm.Identity[tile.F32T2[one, one]])
}
