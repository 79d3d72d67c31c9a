package norm

import (
	"context"
	"errors"
	"strconv"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// images are tensors [batch, channels, …] of one shape, seen with a single axis of places.
type images struct{ batch, channels, places int }

// imagesOf checks tensors of one shape [batch, channels, …], and others with one number for each channel or, as axes says, something else.
func imagesOf(function string, same []shape.Arg, rest ...shape.Arg) (images, error) {
	if err := shape.Same(function, same...); err != nil {
		return images{}, err
	}
	s := same[0].Tensor.Shape()
	if len(s) < 2 {
		return images{}, shape.Wrong(function, "%s has shape %v of rank %d, expected rank 2 at least: [batch channels …]", same[0].Name, s, len(s))
	}
	m := images{s[0], s[1], 1}
	for _, n := range s[2:] {
		m.places *= n
	}
	for i := range rest {
		if rest[i].Axes == channel {
			rest[i].Axes = strconv.Itoa(m.channels)
		}
	}
	_, err := shape.Check(function, rest...)
	return m, err
}

// channel stands for the axes of a tensor with one number for each channel.
const channel = "channels"

// of views a tensor with one axis of places.
func of[E Float](m images, t *cutile.Tensor[E]) *cutile.Tensor[E] {
	return t.Reshape(m.batch, m.channels, m.places)
}

// tile gives the extents of tiles that reduce channels: several of them where few places are neighbours.
func (m images) tile() (r, c, n int) {
	n = shape.Fit(m.places, 1, 1024)
	c = shape.Fit(m.channels, 1, max(1, 64/n))
	return shape.Fit(m.batch, 1, max(1, 1024/(n*c))), c, n
}

// Batch queues y = (x - mean)/√(variance + eps)·w + b for each channel of x and y [batch, channels, …], with w, b, mean and variance
// [channels]: batch normalisation by numbers that were learned, for inference. (S. Ioffe and C. Szegedy, Batch normalization, 2015.)
func Batch[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], mean, variance *cutile.Tensor[float32], w, b, y *cutile.Tensor[E],
	eps float32) error {
	m, err := imagesOf("norm.Batch", []shape.Arg{{Name: "x", Tensor: x}, {Name: "y", Tensor: y}}, shape.Of("mean", mean, channel),
		shape.Of("variance", variance, channel), shape.Of("w", w, channel), shape.Of("b", b, channel))
	if err != nil || y.Len() == 0 {
		return err
	}
	return batch(ctx, on, m, x, mean, variance, w, b, y, eps)
}

func batch[E Float](ctx context.Context, on cutile.Target, m images, x *cutile.Tensor[E], mean, variance *cutile.Tensor[float32],
	w, b, y *cutile.Tensor[E], eps float32) error {
	r, c, n := m.tile()
	return cutile.Launch(ctx, on, cutile.Sized(BatchRows[E, one, one, one], r, c, n), of(m, x), mean, variance, w, b, of(m, y), eps)
}

// Running are the numbers by which [Batch] normalises, which follow those of the batches of a training: of each new mean or variance, the
// part Momentum replaces the same part of the old one. The variance is that of a larger set of which the batch is a sample: its sum of
// squares is divided by n - 1.
type Running struct {
	Mean, Variance *cutile.Tensor[float32] // both [channels], or nil for none
	Momentum       float32                 // 0.1 is usual
}

// BatchTraining queues y = (x - mean)·rstd·w + b with the mean of each channel of x [batch, channels, …] and rstd, which is
// 1/√(variance + eps). w and b are [channels], as are mean and rstd, which are stored for [BatchBackward], and the numbers of running, which
// are updated. A channel has two elements at least where these are wanted.
func BatchTraining[E Float](ctx context.Context, on cutile.Target, x, w, b, y *cutile.Tensor[E], mean, rstd *cutile.Tensor[float32],
	running Running, eps float32) error {
	const name = "norm.BatchTraining"
	rest := []shape.Arg{shape.Of("w", w, channel), shape.Of("b", b, channel), shape.Of("mean", mean, channel), shape.Of("rstd", rstd, channel)}
	follow := running.Mean != nil || running.Variance != nil
	if follow {
		rest = append(rest, shape.Of("running.Mean", running.Mean, channel), shape.Of("running.Variance", running.Variance, channel))
	}
	m, err := imagesOf(name, []shape.Arg{{Name: "x", Tensor: x}, {Name: "y", Tensor: y}}, rest...)
	if err != nil || x.Len() == 0 {
		return err
	}
	elements := m.batch * m.places
	if follow && elements < 2 {
		return shape.Wrong(name, "a channel has 1 element, expected 2 at least for a running variance")
	}
	variance, err := cutile.NewTensor[float32](y.Device(), m.channels)
	if err != nil {
		return err
	}
	defer variance.Close() // after the kernels
	r, c, n := m.tile()
	if err := cutile.Launch(ctx, on, cutile.Sized(Moments[E, one, one, one], r, c, n), of(m, x), mean, variance, rstd, eps); err != nil {
		return err
	}
	if follow {
		err = errors.Join(blend(ctx, on, mean, running.Mean, 1, running.Momentum),
			blend(ctx, on, variance, running.Variance, float32(elements)/float32(elements-1), running.Momentum))
	}
	if err != nil {
		return err
	}
	return batch(ctx, on, m, x, mean, variance, w, b, y, eps)
}

func blend(ctx context.Context, on cutile.Target, fresh, running *cutile.Tensor[float32], factor, part float32) error {
	n := shape.Fit(running.Len(), 1, 256)
	on, err := shape.Grid("norm.BatchTraining", on, shape.Tiles(running.Len(), n))
	if err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(Blend[one], n), fresh, running, factor, part)
}

// BatchBackward queues the gradients dx, dw and db of [BatchTraining], given the gradient of y and the mean and rstd that were stored.
// Tensors have the shapes that they have there.
func BatchBackward[E Float](ctx context.Context, on cutile.Target, dy, x, w *cutile.Tensor[E], mean, rstd *cutile.Tensor[float32],
	dx, dw, db *cutile.Tensor[E]) error {
	const name = "norm.BatchBackward"
	m, err := imagesOf(name, []shape.Arg{{Name: "dy", Tensor: dy}, {Name: "x", Tensor: x}, {Name: "dx", Tensor: dx}}, shape.Of("w", w, channel),
		shape.Of("mean", mean, channel), shape.Of("rstd", rstd, channel), shape.Of("dw", dw, channel), shape.Of("db", db, channel))
	if err != nil || m.channels == 0 {
		return err
	}
	r, c, n := m.tile()
	if on, err = shape.Grid(name, on, shape.Tiles(m.channels, c)); err != nil {
		return err
	}
	k := cutile.Sized(BatchBackwardRows[E, one, one, one], r, c, n)
	return cutile.Launch(ctx, on, k, of(m, dy), of(m, x), w, mean, rstd, of(m, dx), dw, db)
}
