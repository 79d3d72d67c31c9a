// Package transpose reorders the axes of tensors in memory. Most kernels accept transposed views directly, without a copy.
package transpose

import (
	"context"
	"embed"
	"slices"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels.go transpose.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32 | float64 | dtype.Float8E4M3FN | dtype.Float8E5M2
}

type one = tile.D1

// Run queues y = xᵀ for x [m, n] and y [n, m].
func Run[E Float](ctx context.Context, on cutile.Target, x, y *cutile.Tensor[E]) error {
	n, err := shape.Check("transpose.Run", shape.Arg{Name: "x", Tensor: x, Axes: "m n"}, shape.Arg{Name: "y", Tensor: y, Axes: "n m"})
	if err != nil {
		return err
	}
	k := cutile.Sized(Matrix[E, one, one], shape.Fit(n["m"], 1, 64), shape.Fit(n["n"], 1, 64))
	return cutile.Launch(ctx, on, k, x, y)
}

// RunPermute queues y = x with its axes in another order: axis i of y is axis axes[i] of x. The rank is at most 4.
func RunPermute[E Float](ctx context.Context, on cutile.Target, x, y *cutile.Tensor[E], axes ...int) error {
	const name, most = "transpose.RunPermute", 4
	if x == nil || y == nil || x.Rank() > most {
		return shape.Wrong(name, "expected x and y of rank 0 to %d", most)
	}
	turned := x.Permute(axes...)
	if err := turned.Err(); err != nil {
		return err
	}
	s := turned.Shape()
	if !slices.Equal(s, y.Shape()) {
		return shape.Wrong(name, "y has shape %v, expected %v: x has shape %v, and its axes are taken in the order %v", y.Shape(), s, x.Shape(), axes)
	}
	// Axes of 1 in front make any rank 4. The tile is square in the axes that are contiguous in x and in y.
	order := []int{0, 1, 2, 3}[:most-len(s)]
	for _, a := range axes {
		order = append(order, a+most-len(s))
	}
	full := slices.Concat([]int{1, 1, 1, 1}[len(s):], s)
	extents := []int{1, 1, 1, shape.Fit(full[3], 1, 64)}
	for i, a := range order {
		if a == most-1 && i != most-1 {
			extents[i] = shape.Fit(full[i], 1, 64)
		}
	}
	from := slices.Concat([]int{1, 1, 1, 1}[len(s):], x.Shape())
	k := cutile.Sized(Copy[E, one, one, one, one], extents...)
	return cutile.Launch(ctx, on, k, x.Reshape(from...).Permute(order...), y.Reshape(full...))
}
