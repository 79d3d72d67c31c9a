package attention

import (
	"context"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// RunSavingMasked does the same as [RunMasked], and also stores sums [batch, heads, queries] for [RunBackwardMasked]: the base-2 logarithms
// of the sums of weights, +Inf for a query that sees no key.
func RunSavingMasked[E Float](ctx context.Context, on cutile.Target, q, k, v, o *cutile.Tensor[E], sums *cutile.Tensor[float32], m Mask[E],
	scale float32) error {
	const name = "attention.RunSavingMasked"
	n, err := shape.Check(name, append([]shape.Arg{shape.Of("q", q, "batch heads queries dim"), shape.Of("k", k, "batch groups keys dim"),
		shape.Of("v", v, "batch groups keys dim"), shape.Of("o", o, "batch heads queries dim"), shape.Of("sums", sums, "batch heads queries")},
		m.args("batch heads queries keys")...)...)
	if err == nil {
		err = checkHeads(name, n)
	}
	if err != nil || sums.Len() == 0 {
		return err
	}
	return m.save(ctx, on, name, n, q, k, v, o, sums, scale)
}

// save queues the kernel of [RunSavingMasked] after all shapes were checked.
func (m Mask[E]) save(ctx context.Context, on cutile.Target, name string, n shape.Extents, q, k, v, o *cutile.Tensor[E],
	sums *cutile.Tensor[float32], scale float32) error {
	l, err := m.limits(name, n, o.Device())
	if err != nil {
		return err
	}
	defer l.free() // after the kernel
	rows, cols, d := backwardTiles(n)
	if on, err = shape.Grid(name, on, shape.Tiles(n["queries"], rows), n["heads"], n["batch"]); err != nil {
		return err
	}
	w := shape.Fit(v.Shape()[3], 16, widest)
	return cutile.Launch(ctx, on, cutile.Sized(SavingMasked[E, one, one, one, one], rows, cols, d, w), q, k.T(), v, l.bias, l.seen, l.lengths, o, sums,
		l.back, l.ahead, m.Sinks, m.Bias != nil, m.Seen != nil, scale*math.Log2E, m.softCap())
}

// limits are what kernels are given for a mask.
type limits[E Float] struct {
	back, ahead int
	lengths     *cutile.Tensor[int32]
	bias        *cutile.Tensor[E]
	seen        *cutile.Tensor[bool]
	free        func() // frees tensors that stand for missing ones
}

func (m Mask[E]) limits(name string, n shape.Extents, dev *cutile.Device) (l limits[E], err error) {
	if l.back, l.ahead, err = m.window(name, max(n["keys"], n["queries"])); err != nil {
		return l, err
	}
	lengths, freeLengths, err := m.lengths(dev, n["batch"], n["keys"])
	if err != nil {
		return l, err
	}
	bias, seen, free, err := m.each(dev)
	if err != nil {
		freeLengths()
		return l, err
	}
	l.lengths, l.bias, l.seen, l.free = lengths, bias, seen, func() { freeLengths(); free() }
	return l, nil
}

// RunBackwardMasked queues the gradients of queries, keys and values and, unless to.Bias is nil, of the bias, which has an element for each
// query and key even where that of m is a view that repeats some: add those up. do is the gradient of o; all other arguments are those of the
// preceding call of [RunSavingMasked]. The result is the same in each run.
func RunBackwardMasked[E Float](ctx context.Context, on cutile.Target, q, k, v, o *cutile.Tensor[E], sums *cutile.Tensor[float32],
	do *cutile.Tensor[E], to Gradients[E], m Mask[E], scale float32) error {
	const name, queries, keys, each = "attention.RunBackwardMasked", "batch heads queries dim", "batch groups keys dim", "batch heads queries keys"
	args := []shape.Arg{shape.Of("q", q, queries), shape.Of("k", k, keys), shape.Of("v", v, keys), shape.Of("o", o, queries),
		shape.Of("sums", sums, "batch heads queries"), shape.Of("do", do, queries), shape.Of("to.Q", to.Q, queries), shape.Of("to.K", to.K, keys), shape.Of("to.V", to.V, keys)}
	if to.Bias != nil {
		args = append(args, shape.Of("to.Bias", to.Bias, each))
	}
	n, err := shape.Check(name, append(args, m.args(each)...)...)
	if err == nil {
		err = checkHeads(name, n)
	}
	if err == nil && to.Bias != nil && m.Bias == nil {
		err = shape.Wrong(name, "to.Bias is a tensor, expected nil: there is no m.Bias")
	}
	if err != nil {
		return err
	}
	l, err := m.limits(name, n, q.Device())
	if err != nil {
		return err
	}
	defer l.free() // after the kernels
	rows, cols, d := backwardTiles(n)
	down, across := shape.Tiles(n["queries"], rows), shape.Tiles(n["keys"], cols)
	grids := map[string]cutile.Target{}
	for what, g := range map[string][3]int{"queries": {down, n["heads"], n["batch"]}, "keys": {across, n["groups"], n["batch"]}, "both": {down * across, n["heads"], n["batch"]}} {
		if grids[what], err = shape.Grid(name, on, g[0], g[1:]...); err != nil {
			return err
		}
	}
	deltas, err := cutile.NewTensor[float32](o.Device(), n["batch"], n["heads"], n["queries"])
	if err != nil {
		return err
	}
	defer deltas.Close()
	biased, masked := m.Bias != nil, m.Seen != nil
	scale *= math.Log2E
	if o.Len() > 0 {
		if err := cutile.Launch(ctx, on, cutile.Sized(Deltas[E, one, one], rows, d), o, do, deltas); err != nil {
			return err
		}
		if err := cutile.Launch(ctx, grids["queries"], cutile.Sized(QueryGradientsMasked[E, one, one, one], rows, cols, d), q, do, k, v, l.bias, l.seen, l.lengths,
			sums, deltas, to.Q, l.back, l.ahead, m.Sinks, biased, masked, scale, m.softCap()); err != nil {
			return err
		}
	}
	if to.Bias != nil && to.Bias.Len() > 0 {
		if err := cutile.Launch(ctx, grids["both"], cutile.Sized(BiasGradients[E, one, one, one], rows, cols, d), q, do, k, v, l.bias, l.seen, l.lengths,
			sums, deltas, to.Bias, l.back, l.ahead, m.Sinks, masked, scale, m.softCap()); err != nil {
			return err
		}
	}
	if k.Len() == 0 {
		return nil
	}
	return cutile.Launch(ctx, grids["keys"], cutile.Sized(KeyGradientsMasked[E, one, one, one], rows, cols, d), q, do, k, v, l.bias, l.seen, l.lengths,
		sums, deltas, to.K, to.V, l.back, l.ahead, m.Sinks, biased, masked, scale, m.softCap())
}
