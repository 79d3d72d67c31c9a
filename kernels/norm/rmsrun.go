package norm

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

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

// RMSOffset queues y = x·(offset + w)/√(mean of x² + eps) for each row of x [rows, cols] with w [cols]: with an offset of 1, as in Gemma,
// weights of 0 leave rows as they are. Rows have any length.
func RMSOffset[E Float](ctx context.Context, on cutile.Target, x, w, y *cutile.Tensor[E], offset, eps float32) error {
	return walkRMS(ctx, on, "norm.RMSOffset", RMSOffsetRows[E, one, one], x, w, "y", y, offset, eps)
}

// RMSAdd queues residual = residual + [RMSOffset] of x with w [cols] and offset, which is 0 for the plain norm: a layer's result is normalised
// before it is added, as in Gemma and OLMo. The gradient of the residual is that of the sum; [RMSOffsetBackward] gives the others.
func RMSAdd[E Float](ctx context.Context, on cutile.Target, x, w, residual *cutile.Tensor[E], offset, eps float32) error {
	return walkRMS(ctx, on, "norm.RMSAdd", RMSAddRows[E, one, one], x, w, "residual", residual, offset, eps)
}

// walkRMS launches one of the kernels that walk along rows of any length.
func walkRMS[E Float](ctx context.Context, on cutile.Target, name string, kernel any, x, w *cutile.Tensor[E], result string, y *cutile.Tensor[E],
	offset, eps float32) error {
	n, err := shape.Check(name, shape.Of("x", x, matrix), shape.Of("w", w, row), shape.Of(result, y, matrix))
	if err != nil || n["rows"]*n["cols"] == 0 {
		return err
	}
	r, c := tileFor(n)
	if on, err = shape.Grid(name, on, shape.Tiles(n["rows"], r)); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(kernel, r, c), x, w, y, offset, eps)
}

// GatedRMS queues y = x·w/√(mean of x² + eps)·silu(gate) for each row of x and gate [rows, cols] with w [cols]. Rows have any length.
func GatedRMS[E Float](ctx context.Context, on cutile.Target, x, gate, w, y *cutile.Tensor[E], eps float32) error {
	const name = "norm.GatedRMS"
	n, err := shape.Check(name, shape.Of("x", x, matrix), shape.Of("gate", gate, matrix), shape.Of("w", w, row), shape.Of("y", y, matrix))
	if err != nil || n["rows"]*n["cols"] == 0 {
		return err
	}
	r, c := tileFor(n)
	if on, err = shape.Grid(name, on, shape.Tiles(n["rows"], r)); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(GatedRMSRows[E, one, one], r, c), x, gate, w, y, eps)
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
	return rmsBackward(ctx, on, "norm.RMSBackward", dy, x, w, dx, dw, 0, eps)
}

// RMSOffsetBackward queues the gradients dx and dw of [RMSOffset] and [RMSAdd], given the gradient of y or of the sum. Rows have at most
// 8192 elements.
func RMSOffsetBackward[E Float](ctx context.Context, on cutile.Target, dy, x, w, dx, dw *cutile.Tensor[E], offset, eps float32) error {
	return rmsBackward(ctx, on, "norm.RMSOffsetBackward", dy, x, w, dx, dw, offset, eps)
}

func rmsBackward[E Float](ctx context.Context, on cutile.Target, name string, dy, x, w, dx, dw *cutile.Tensor[E], offset, eps float32) error {
	n, err := shape.Check(name, shape.Of("dy", dy, matrix), shape.Of("x", x, matrix), shape.Of("w", w, row),
		shape.Of("dx", dx, matrix), shape.Of("dw", dw, row))
	if err == nil {
		err = fits(name, n)
	}
	if err != nil {
		return err
	}
	r, c := tileFor(n)
	return summed(ctx, on, n, r, dw, func(sums *cutile.Tensor[float32]) error {
		return cutile.Launch(ctx, on, cutile.Sized(RMSBackwardRows[E, one, one], r, c), dy, x, w, dx, sums, offset, eps)
	})
}

// GatedRMSBackward queues the gradients dx, dgate and dw of [GatedRMS], given the gradient of y. Rows have at most 8192 elements.
func GatedRMSBackward[E Float](ctx context.Context, on cutile.Target, dy, x, gate, w, dx, dgate, dw *cutile.Tensor[E], eps float32) error {
	const name = "norm.GatedRMSBackward"
	n, err := shape.Check(name, shape.Of("dy", dy, matrix), shape.Of("x", x, matrix), shape.Of("gate", gate, matrix), shape.Of("w", w, row),
		shape.Of("dx", dx, matrix), shape.Of("dgate", dgate, matrix), shape.Of("dw", dw, row))
	if err == nil {
		err = fits(name, n)
	}
	if err != nil {
		return err
	}
	r, c := tileFor(n)
	return summed(ctx, on, n, r, dw, func(sums *cutile.Tensor[float32]) error {
		return cutile.Launch(ctx, on, cutile.Sized(GatedRMSBackwardRows[E, one, one], r, c), dy, x, gate, w, dx, dgate, sums, eps)
	})
}

// summed launches a kernel that writes sums over some of the rows, in tiles of r, and adds these.
func summed[E Float](ctx context.Context, on cutile.Target, n shape.Extents, r int, dw *cutile.Tensor[E], launch func(sums *cutile.Tensor[float32]) error) error {
	sums, err := sumsFor(dw.Device(), n, r)
	if err != nil {
		return err
	}
	defer sums.Close() // after both kernels
	if err := launch(sums); err != nil {
		return err
	}
	return sumRows(ctx, on, sums, dw)
}
