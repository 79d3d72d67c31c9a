package main

import (
	"context"
	"errors"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/embedding"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/loss"
	"github.com/cutile-go/cutile/kernels/norm"
	"github.com/cutile-go/cutile/kernels/pointwise"
	"github.com/cutile-go/cutile/kernels/rope"
	"github.com/cutile-go/cutile/tile"
)

// angles fills what is the same in each step: positions, and cosines and sines of their angles.
func (n *net) angles(ctx context.Context) error {
	cos, sin := rope.Tables(n.span, n.shape.HeadDim, base)
	back := make([]float32, len(sin))
	for i, s := range sin {
		back[i] = -s
	}
	positions := make([]int32, n.windows*n.span)
	for i := range positions {
		positions[i] = int32(i % n.span)
	}
	var failed []error
	for t, x := range map[*floats][]float32{&n.cos: cos, &n.sin: sin, &n.back: back} {
		var err error
		*t, err = cutile.FromSlice(n.dev, x, n.span, n.shape.HeadDim/2)
		failed = append(failed, err)
	}
	failed = append(failed, n.positions.Write(ctx, positions))
	return errors.Join(failed...)
}

// steps runs functions in order until one fails.
func steps(list ...func() error) error {
	for _, f := range list {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// linear queues y = x·wᵀ.
func (n *net) linear(ctx context.Context, x, w, y floats) error {
	return gemm.RunLinear[float32, float32, float32](ctx, n.dev, x, w, nil, y, gemm.Identity[tile.F32T2[tile.D1, tile.D1]])
}

// parts are queries, keys and values as views of a tensor of all: [rows, heads, dim of a head].
func (n *net) parts(all floats) (q, k, v floats) {
	s, rows := n.shape, n.windows*n.span
	part := func(from, count int) floats {
		return all.Narrow(1, from*s.HeadDim, (from+count)*s.HeadDim).Reshape(rows, count, s.HeadDim)
	}
	return part(0, s.Heads), part(s.Heads, s.Groups), part(s.Heads+s.Groups, s.Groups)
}

// heads turns [rows, heads, dim] into [windows, heads, span, dim], a view.
func (n *net) heads(x floats) floats {
	count := x.Shape()[1]
	return x.Reshape(n.windows, n.span, count, n.shape.HeadDim).Permute(0, 2, 1, 3)
}

// mixed is the result of attention with its heads apart.
func (n *net) mixed(x floats) floats {
	return x.Reshape(n.windows*n.span, n.shape.Heads, n.shape.HeadDim)
}

// forward queues the loss of a part of a batch: the mean over its tokens, to a tensor of one number.
func (n *net) forward(ctx context.Context, ids, targets []int32, mean floats) error {
	if err := errors.Join(n.ids.Write(ctx, ids), n.targets.Write(ctx, targets)); err != nil {
		return err
	}
	into := func(i int) floats { // what layer i reads
		if i == len(n.layers) {
			return n.x
		}
		return n.layers[i].x
	}
	if err := embedding.Run(ctx, n.dev, n.ids, n.p.table, into(0)); err != nil {
		return err
	}
	for i := range n.layers {
		if err := n.layer(ctx, n.p.layers[i], n.layers[i], into(i+1)); err != nil {
			return err
		}
	}
	return steps(
		func() error { return norm.RMS(ctx, n.dev, n.x, n.p.norm, n.h, epsilon) },
		func() error { return n.linear(ctx, n.h, n.p.table, n.logits) },
		func() error {
			return loss.CrossEntropy(ctx, n.dev, n.logits, n.targets, mean, loss.Labels{Reduction: loss.Mean})
		},
	)
}

// layer queues y = the result of a layer for s.x.
func (n *net) layer(ctx context.Context, w layerWeights, s saved, y floats) error {
	q, k, v := n.parts(s.qkv)
	hidden, sum := n.shape.Hidden, pointwise.Add[tile.F32T1[tile.D1]]
	return steps(
		func() error { return norm.RMS(ctx, n.dev, s.x, w.norm1, s.h1, epsilon) },
		func() error { return n.linear(ctx, s.h1, w.qkv, s.qkv) },
		func() error { return rope.RunBoth(ctx, n.dev, q, k, n.cos, n.sin, n.positions, rope.Halves) },
		func() error {
			return attention.RunSaving(ctx, n.dev, n.heads(q), n.heads(k), n.heads(v), n.heads(n.mixed(s.mix)), s.sums, true,
				attention.Scale(n.shape.HeadDim))
		},
		func() error { return n.linear(ctx, s.mix, w.out, n.dh) }, // dh is free in the forward pass
		func() error { return pointwise.RunZip(ctx, n.dev, s.x, n.dh, s.mid, sum) },
		func() error { return norm.RMS(ctx, n.dev, s.mid, w.norm2, s.h2, epsilon) },
		func() error { return n.linear(ctx, s.h2, w.gates, s.gates) },
		func() error {
			return pointwise.RunSiLUMul(ctx, n.dev, s.gates.Narrow(1, 0, hidden), s.gates.Narrow(1, hidden, 2*hidden), s.product)
		},
		func() error { return n.linear(ctx, s.product, w.down, n.dh) },
		func() error { return pointwise.RunZip(ctx, n.dev, s.mid, n.dh, y, sum) },
	)
}
