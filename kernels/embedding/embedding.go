// Package embedding looks up rows of a table by number, such as the vectors of tokens, one by one or in bags that are reduced to one row, and
// computes gradients.
package embedding

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed bag.go bagkernels.go embedding.go kernels.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// Run queues y[t] = table[ids[t]] for ids [tokens], table [rows, dim] and y [tokens, dim]. The result for an id outside the
// table is zeros.
func Run[E Float](ctx context.Context, on cutile.Target, ids *cutile.Tensor[int32], table, y *cutile.Tensor[E]) error {
	n, err := shape.Check("embedding.Run", shape.Of("ids", ids, "tokens"), shape.Of("table", table, "rows dim"), shape.Of("y", y, "tokens dim"))
	if err != nil {
		return err
	}
	const short = 64 // rows below are too little work for a block
	if n["dim"] > short || !table.IsContiguous() {
		return cutile.Launch(ctx, on, cutile.Sized(Rows[E, one], shape.Fit(n["dim"], 1, 4096)), ids, table, y)
	}
	k := cutile.Sized(Gather[E, one, one], 32, shape.Fit(n["dim"], 1, short))
	return cutile.Launch(ctx, on, k, ids, table, n["rows"], y)
}

// AddGradient queues the addition of dy [tokens, dim] to the rows ids [tokens] of the gradient of a table [rows, dim], which
// must initially be zeros. Ids may repeat; those outside the table are ignored.
func AddGradient[E Float](ctx context.Context, on cutile.Target, ids *cutile.Tensor[int32], dy *cutile.Tensor[E], table *cutile.Tensor[float32]) error {
	const name = "embedding.AddGradient"
	n, err := shape.Check(name, shape.Of("ids", ids, "tokens"), shape.Of("dy", dy, "tokens dim"), shape.Of("table", table, "rows dim"))
	if err != nil || dy.Len() == 0 {
		return err
	}
	if !table.IsContiguous() {
		return shape.Wrong(name, "table has strides %v, expected contiguous rows", table.Strides())
	}
	d := shape.Fit(n["dim"], 1, 1024)
	if on, err = shape.Grid(name, on, n["tokens"], shape.Tiles(n["dim"], d)); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(Backward[E, one], d), ids, dy, table, n["rows"])
}
