// Package pointwise provides elementwise kernels that apply functions given by the caller.
package pointwise

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed gate.go kernels.go pointwise.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types; the kernels compute in float32.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// Func1 and Func2 are functions that become part of a kernel, such as [ReLU] and [Add].
type (
	Func1 = func(x tile.F32T1[tile.D1]) tile.F32T1[tile.D1]
	Func2 = func(x, y tile.F32T1[tile.D1]) tile.F32T1[tile.D1]
)

// line is how many elements a block has.
func line(n int) int { return shape.Fit(n, 1, 1024) }

func arg(name string, t shape.Array) shape.Arg { return shape.Arg{Name: name, Tensor: t} }

// Run queues y = f(x), element by element, for contiguous tensors of the same shape. With [Identity] it converts elements.
func Run[E, F Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], y *cutile.Tensor[F], f Func1) error {
	if err := shape.Same("pointwise.Run", arg("x", x), arg("y", y)); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(Map[E, F, one], line(x.Len())), x.Flatten(), y.Flatten(), f)
}

// RunZip queues z = f(x, y), element by element, for contiguous tensors of the same shape.
func RunZip[E, F Float](ctx context.Context, on cutile.Target, x, y *cutile.Tensor[E], z *cutile.Tensor[F], f Func2) error {
	if err := shape.Same("pointwise.RunZip", arg("x", x), arg("y", y), arg("z", z)); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(Zip[E, F, one], line(x.Len())), x.Flatten(), y.Flatten(), z.Flatten(), f)
}

// RunAXPY queues y = a·x + y for contiguous tensors of the same shape.
func RunAXPY[E Float](ctx context.Context, on cutile.Target, a float32, x, y *cutile.Tensor[E]) error {
	if err := shape.Same("pointwise.RunAXPY", arg("x", x), arg("y", y)); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(AXPY[E, one], line(x.Len())), a, x.Flatten(), y.Flatten())
}

// RunSiLUMul queues y = silu(gate)·up for matrices, which may be views, such as the two halves of one matrix.
func RunSiLUMul[E Float](ctx context.Context, on cutile.Target, gate, up, y *cutile.Tensor[E]) error {
	n, err := shape.Check("pointwise.RunSiLUMul", shape.Arg{Name: "gate", Tensor: gate, Axes: "rows cols"},
		shape.Arg{Name: "up", Tensor: up, Axes: "rows cols"}, shape.Arg{Name: "y", Tensor: y, Axes: "rows cols"})
	if err != nil {
		return err
	}
	c := line(n["cols"])
	return cutile.Launch(ctx, on, cutile.Sized(SiLUMul[E, one, one], shape.Together(n["rows"], c, 1024), c), gate, up, y)
}

// RunRamp queues y[i] = first + step·i for y [n]. From 2^24 on, float32 cannot represent every i.
func RunRamp[E Float](ctx context.Context, on cutile.Target, y *cutile.Tensor[E], first, step float32) error {
	n, err := shape.Check("pointwise.RunRamp", shape.Arg{Name: "y", Tensor: y, Axes: "n"})
	if err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(Ramp[E, one], line(n["n"])), y, first, step)
}

// RunEye queues y[i, j] = 1 where j = i + offset, else 0, for a matrix y.
func RunEye[E Float](ctx context.Context, on cutile.Target, y *cutile.Tensor[E], offset int) error {
	n, err := shape.Check("pointwise.RunEye", shape.Arg{Name: "y", Tensor: y, Axes: "rows cols"})
	if err != nil {
		return err
	}
	k := cutile.Sized(Eye[E, one, one], shape.Fit(n["rows"], 1, 16), shape.Fit(n["cols"], 1, 128))
	return cutile.Launch(ctx, on, k, y, offset)
}
