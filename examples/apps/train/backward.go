package main

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/loss"
	"github.com/cutile-go/cutile/kernels/norm"
	"github.com/cutile-go/cutile/kernels/pointwise"
	"github.com/cutile-go/cutile/kernels/rope"
	"github.com/cutile-go/cutile/tile"
)

// backward queues the gradients of all parameters for the part of a batch of the last forward pass. The sum of a bucket of gradients over all
// processes begins when the bucket is complete.
func (n *net) backward(ctx context.Context, ids []int32) error {
	err := steps(
		func() error {
			return loss.CrossEntropyBackward(ctx, n.dev, n.logits, n.targets, n.share, n.dlogits, loss.Labels{Reduction: loss.Mean})
		},
		func() error { return n.linearBackward(ctx, n.h, n.p.table, n.dlogits, n.dh, n.g.table) },
		func() error { return norm.RMSBackward(ctx, n.dev, n.dh, n.x, n.p.norm, n.dx, n.g.norm, epsilon) },
		func() error { return n.sums.Ready(ctx, n.g.norm) },
	)
	for i := len(n.layers) - 1; i >= 0 && err == nil; i-- {
		err = n.layerBackward(ctx, n.p.layers[i], n.g.layers[i], n.layers[i])
	}
	if err != nil {
		return err
	}
	return steps(
		func() error { return addTableGradient(ctx, ids, n.dx, n.g.table) },
		func() error { return n.sums.Ready(ctx, n.g.table) },
	)
}

// linearBackward queues the gradients dx and dw of y = x·wᵀ, given dy.
func (n *net) linearBackward(ctx context.Context, x, w, dy, dx, dw floats) error {
	return steps(
		func() error { return gemm.Run(ctx, n.dev, dy.T(), x, dw) },
		func() error {
			if dw == n.g.table { // more is added to it
				return nil
			}
			return n.sums.Ready(ctx, dw)
		},
		func() error { return gemm.Run(ctx, n.dev, dy, w, dx) },
	)
}

// layerBackward queues the gradients of a layer. n.dx is the gradient of its result before and of its input afterwards.
func (n *net) layerBackward(ctx context.Context, w, g layerWeights, s saved) error {
	q, k, v := n.parts(s.qkv)
	dq, dk, dv := n.parts(n.dqkv)
	h := n.shape.Hidden
	half := func(x floats, i int) floats { return x.Narrow(1, i*h, (i+1)*h) }
	residual := func() error { return pointwise.RunAXPY(ctx, n.dev, 1, n.dnorm, n.dx) }
	return steps(
		func() error { return n.linearBackward(ctx, s.product, w.down, n.dx, n.dproduct, g.down) },
		func() error {
			return cutile.Launch(ctx, n.dev, gateGradients[tile.D8, tile.D128], half(s.gates, 0), half(s.gates, 1), n.dproduct,
				half(n.dgates, 0), half(n.dgates, 1))
		},
		func() error { return n.linearBackward(ctx, s.h2, w.gates, n.dgates, n.dh, g.gates) },
		func() error { return n.normBackward(ctx, s.mid, w.norm2, g.norm2) },
		residual,
		func() error { return n.linearBackward(ctx, s.mix, w.out, n.dx, n.dmix, g.out) },
		func() error {
			to := attention.Gradients[float32]{Q: n.heads(dq), K: n.heads(dk), V: n.heads(dv)}
			return attention.RunBackward(ctx, n.dev, n.heads(q), n.heads(k), n.heads(v), n.heads(n.mixed(s.mix)), s.sums,
				n.heads(n.mixed(n.dmix)), to, true, attention.Scale(n.shape.HeadDim))
		},
		func() error { return rope.RunBoth(ctx, n.dev, dq, dk, n.cos, n.back, n.positions, rope.Halves) }, // rotations back
		func() error { return n.linearBackward(ctx, s.h1, w.qkv, n.dqkv, n.dh, g.qkv) },
		func() error { return n.normBackward(ctx, s.x, w.norm1, g.norm1) },
		residual,
	)
}

// normBackward queues the gradients of a normalisation of x, n.dnorm and dw. n.dh is the gradient of its result.
func (n *net) normBackward(ctx context.Context, x, w, dw floats) error {
	return steps(
		func() error { return norm.RMSBackward(ctx, n.dev, n.dh, x, w, n.dnorm, dw, epsilon) },
		func() error { return n.sums.Ready(ctx, dw) },
	)
}
