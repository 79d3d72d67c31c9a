package norm

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// groups are those of the channels of images.
type groups struct {
	images
	groups int
}

// groupsOf checks tensors like imagesOf, those of stats, which are [batch, groups], and that groups have equally many channels.
func groupsOf(function string, n int, same, stats []shape.Arg, rest ...shape.Arg) (groups, error) {
	m, err := imagesOf(function, same, rest...)
	if err != nil {
		return groups{}, err
	}
	if n < 1 || m.channels%n != 0 {
		return groups{}, shape.Wrong(function, "there are %d groups for %d channels, expected a number that divides them", n, m.channels)
	}
	for i := range stats {
		stats[i].Axes = fmt.Sprint(m.batch, " ", n)
	}
	_, err = shape.Check(function, stats...)
	return groups{m, n}, err
}

// in views a tensor by groups.
func in[E Float](g groups, t *cutile.Tensor[E]) *cutile.Tensor[E] {
	return t.Reshape(g.batch*g.groups, g.channels/g.groups, g.places)
}

// perGroup views what there is one of for each channel.
func perGroup[E Float](g groups, t *cutile.Tensor[E]) *cutile.Tensor[E] {
	return t.Reshape(g.groups, g.channels/g.groups)
}

// tile gives the extents of tiles of channels and places.
func (g groups) tile() (c, n int) {
	n = shape.Fit(g.places, 1, 1024)
	return shape.Fit(g.channels/g.groups, 1, max(1, 1024/n)), n
}

// Group queues y = (x - mean)·rstd·w + b, with the mean of each group of neighbouring channels of each of the sequences x
// [batch, channels, …], and rstd, which is 1/√(variance + eps). w and b are [channels]. mean and rstd [batch, groups] are stored for the
// gradients; either may be nil if it is not needed. As many groups as channels make it instance normalisation. x and y are contiguous.
// (Y. Wu and K. He, Group normalization, 2018.)
func Group[E Float](ctx context.Context, on cutile.Target, groups int, x, w, b, y *cutile.Tensor[E], mean, rstd *cutile.Tensor[float32],
	eps float32) error {
	var stats []shape.Arg
	if mean != nil {
		stats = append(stats, shape.Of("mean", mean, ""))
	}
	if rstd != nil {
		stats = append(stats, shape.Of("rstd", rstd, ""))
	}
	g, err := groupsOf("norm.Group", groups, []shape.Arg{{Name: "x", Tensor: x}, {Name: "y", Tensor: y}}, stats,
		shape.Of("w", w, channel), shape.Of("b", b, channel))
	if err != nil || y.Len() == 0 {
		return err
	}
	n := g.batch * g.groups
	variance, err := cutile.NewTensor[float32](y.Device(), n)
	if err != nil {
		return err
	}
	defer variance.Close() // after the kernels
	if mean != nil {
		mean = mean.Reshape(n)
	}
	if rstd != nil {
		rstd = rstd.Reshape(n)
	}
	return kept(y.Device(), n, mean, rstd, func(mean, rstd *cutile.Tensor[float32]) error {
		whole := images{1, n, g.channels / g.groups * g.places}
		r, c, p := whole.tile()
		if err := cutile.Launch(ctx, on, cutile.Sized(Moments[E, one, one, one], r, c, p), of(whole, x), mean, variance, rstd, eps); err != nil {
			return err
		}
		c, p = g.tile()
		return cutile.Launch(ctx, on, cutile.Sized(GroupRows[E, one, one], c, p), in(g, x), mean, rstd, perGroup(g, w), perGroup(g, b), in(g, y))
	})
}

// GroupBackward queues the gradients dx, dw and db of [Group], given the gradient of y and the mean and rstd that Group stored. Tensors
// have the shapes that they have there.
func GroupBackward[E Float](ctx context.Context, on cutile.Target, groups int, dy, x, w *cutile.Tensor[E], mean, rstd *cutile.Tensor[float32],
	dx, dw, db *cutile.Tensor[E]) error {
	const name = "norm.GroupBackward"
	g, err := groupsOf(name, groups, []shape.Arg{{Name: "dy", Tensor: dy}, {Name: "x", Tensor: x}, {Name: "dx", Tensor: dx}},
		[]shape.Arg{shape.Of("mean", mean, ""), shape.Of("rstd", rstd, "")}, shape.Of("w", w, channel), shape.Of("dw", dw, channel), shape.Of("db", db, channel))
	if err != nil || g.channels == 0 {
		return err
	}
	over, err := shape.Grid(name, on, g.batch*g.groups)
	if err != nil {
		return err
	}
	mean, rstd = mean.Flatten(), rstd.Flatten()
	c, p := g.tile()
	k := cutile.Sized(GroupBackwardW[E, one, one], min(c, 16), p)
	if err := cutile.Launch(ctx, on, k, in(g, dy), in(g, x), mean, rstd, perGroup(g, dw), perGroup(g, db)); err != nil || x.Len() == 0 {
		return err
	}
	return cutile.Launch(ctx, over, cutile.Sized(GroupBackwardRows[E, one, one], c, p), in(g, dy), in(g, x), perGroup(g, w), mean, rstd, in(g, dx))
}
