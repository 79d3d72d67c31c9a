// Package softmax computes the softmax of rows, e^x divided by the sum of e^x, and the sparsemax, of which many elements are 0, with gradients.
package softmax

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels.go softmax.go sparse.go tuning.go
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
func tileFor(rows, cols int) (r, c int) {
	c = part
	if cols <= whole {
		c = shape.Fit(cols, 1, whole)
	}
	return shape.Fit(rows, 1, max(1, min(16, 2048/c))), c
}

func arg(name string, t shape.Array) shape.Arg {
	return shape.Arg{Name: name, Tensor: t, Axes: "rows cols"}
}

// Run queues y = softmax(x) for each row of x [rows, cols]. The result for a row of -Inf is NaN.
func Run[E Float](ctx context.Context, on cutile.Target, x, y *cutile.Tensor[E]) error {
	n, err := shape.Check("softmax.Run", arg("x", x), arg("y", y))
	if err != nil || n["rows"]*n["cols"] == 0 {
		return err
	}
	w, err := work(on, tunedTiles(ctx, on, n, x, y), n, x, y)
	if err != nil {
		return err
	}
	return cutile.Launch(ctx, w.On, w.Kernel, w.Args...)
}

// Backward queues the gradient of x, given y = softmax(x) and the gradient of y.
func Backward[E Float](ctx context.Context, on cutile.Target, y, dy, dx *cutile.Tensor[E]) error {
	n, err := shape.Check("softmax.Backward", arg("y", y), arg("dy", dy), arg("dx", dx))
	if err != nil || n["rows"]*n["cols"] == 0 {
		return err
	}
	r, c := tileFor(n["rows"], n["cols"])
	if on, err = shape.Grid("softmax.Backward", on, shape.Tiles(n["rows"], r)); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(BackwardRows[E, one, one], r, c), y, dy, dx)
}
