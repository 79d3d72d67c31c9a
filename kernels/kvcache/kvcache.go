// Package kvcache stores the keys and values of a text that grows token by token.
package kvcache

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels.go kvcache.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32 | dtype.Float8E4M3FN | dtype.Float8E5M2
}

type one = tile.D1

// widest is the longest row of a head.
const widest = 8192

// Run queues a kernel that stores new keys and values k and v [batch, heads, tokens, dim] in a cache toK and toV [batch, heads,
// room, dim], after the current lengths [batch] of its sequences. It does not change lengths. If the tensors have another order
// in memory, such as [batch, room, heads, dim], pass views: x.Permute(0, 2, 1, 3).
func Run[E Float](ctx context.Context, on cutile.Target, k, v, toK, toV *cutile.Tensor[E], lengths *cutile.Tensor[int32]) error {
	const name, fresh, cache = "kvcache.Run", "batch heads tokens dim", "batch heads room dim"
	n, err := shape.Check(name, shape.Arg{Name: "k", Tensor: k, Axes: fresh}, shape.Arg{Name: "v", Tensor: v, Axes: fresh},
		shape.Arg{Name: "toK", Tensor: toK, Axes: cache}, shape.Arg{Name: "toV", Tensor: toV, Axes: cache},
		shape.Arg{Name: "lengths", Tensor: lengths, Axes: "batch"})
	if err != nil || k.Len() == 0 || toK.Len() == 0 {
		return err
	}
	if n["dim"] > widest {
		return shape.Wrong(name, "heads have %d elements, expected at most %d", n["dim"], widest)
	}
	if on, err = shape.Grid(name, on, n["tokens"], n["batch"]); err != nil {
		return err
	}
	d := shape.Fit(n["dim"], 1, widest)
	kernel := cutile.Sized(Append[E, one, one], shape.Together(n["heads"], d, 2048), d)
	return cutile.Launch(ctx, on, kernel, k, v, toK, toV, lengths)
}
