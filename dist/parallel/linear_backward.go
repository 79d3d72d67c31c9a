package parallel

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/tile"
)

// LinearGradients has the tensors for the gradients of the input, shaped like x, of the weights, like w, and of the bias, [rows of w]. What is nil is
// not computed. All processes give the same ones.
type LinearGradients[C Float] struct{ X, W, Bias *device.Tensor[C] }

// ColumnLinearBackward queues the gradients of [ColumnLinear]. x and w are those of the layer. dy is the gradient of x·wᵀ + bias, that is behind that of the
// activation, in the shape of y: of the outputs of this process, or of all, of which it takes its own.
//
// The gradient of the input is summed over the processes, by AllReduce, or where x has a part of the tokens by ReduceScatter; each process rounds its part to
// C before. The sum is queued before the gradients of the weights and the bias are computed, so that it overlaps with them. to.X must be contiguous.
func ColumnLinearBackward[E gemm.Float, C Float](ctx context.Context, g *dist.Group, x, w, dy *device.Tensor[E], to LinearGradients[C]) error {
	const name = "ColumnLinearBackward"
	l, err := columnLayer(ctx, name, g, x, w, arg("dy", dy, "tokens, out"))
	if err == nil {
		err = to.check(ctx, name, g, x.Shape(), w.Shape())
	}
	if err == nil && to.X != nil && !to.X.IsContiguous() {
		err = wrong(name, "to.X has the strides %v, so there are gaps: use what the Contiguous method returns", to.X.Strides())
	}
	if err != nil {
		return err
	}
	var work workspace
	defer work.close() // after the launches
	if l.joined {
		dy = dy.Narrow(1, g.Rank()*l.out, (g.Rank()+1)*l.out)
	}
	if to.W != nil {
		if x, err = allRows(ctx, &work, g, x, l.scattered); err != nil {
			return err
		}
	}
	if to.X != nil {
		if err := summed(ctx, &work, g, l.scattered, to.X, func(dx *device.Tensor[C]) error { return gemm.Run(ctx, g.Device(), dy, w, dx) }); err != nil {
			return err
		}
	}
	return weights(ctx, g, x, dy, to)
}

// RowLinearBackward queues the gradients of [RowLinear]. x and w are those of the layer. dy is the gradient of Σ x·wᵀ + bias, that is behind that of the
// activation, in the shape of y. If it has a part of the tokens, those of all processes are gathered (AllGather); else nothing is sent. The gradient
// of the bias is the same in all processes.
func RowLinearBackward[E gemm.Float, C Float](ctx context.Context, g *dist.Group, x, w, dy *device.Tensor[E], to LinearGradients[C]) error {
	const name = "RowLinearBackward"
	l, err := rowLayer(ctx, name, g, x, w, arg("dy", dy, "tokens, out"))
	if err == nil {
		err = to.check(ctx, name, g, x.Shape(), w.Shape())
	}
	if err == nil && l.scattered && !dy.IsContiguous() {
		err = wrong(name, "dy has the strides %v, so there are gaps: use what the Contiguous method returns", dy.Strides())
	}
	if err != nil {
		return err
	}
	var work workspace
	defer work.close()
	if dy, err = allRows(ctx, &work, g, dy, l.scattered); err != nil {
		return err
	}
	if to.X != nil {
		if err := gemm.Run(ctx, g.Device(), dy, w, to.X); err != nil {
			return err
		}
	}
	return weights(ctx, g, x, dy, to)
}

// check checks the shapes of the gradients that are wanted.
func (to LinearGradients[C]) check(ctx context.Context, name string, g *dist.Group, x, w []int) error {
	var args []argument
	for _, a := range []argument{arg("to.X", to.X, "as x", x...), arg("to.W", to.W, "as w", w...), arg("to.Bias", to.Bias, "rows of w", w[0])} {
		if a.tensor != nil {
			args = append(args, a)
		}
	}
	return check(ctx, name, g, args...)
}

// weights queues the gradients of the weights and of the bias: dyᵀ·x and the sums of the columns of dy.
func weights[E gemm.Float, C Float](ctx context.Context, g *dist.Group, x, dy *device.Tensor[E], to LinearGradients[C]) error {
	if to.W != nil {
		if err := gemm.Run(ctx, g.Device(), dy.T(), x, to.W); err != nil {
			return err
		}
	}
	if to.Bias == nil || to.Bias.Len() == 0 {
		return nil
	}
	m, n := fit(dy.Shape()[0], 16, 32), fit(dy.Shape()[1], 16, 64)
	return cutile.Launch(ctx, g.Device(), cutile.Sized(columnSums[E, C, tile.D1, tile.D1], m, n), dy, to.Bias)
}
