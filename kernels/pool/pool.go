// Package pool reduces windows of elements to their greatest one or their average, along one axis or two: with strides, dilation and
// padding, whole planes, and windows that divide any plane into a given number of parts. It computes gradients, too.
//
// Tensors are [batch, channels, spatial …]. The functions accept views: for images with their channels last, x [batch, rows, cols,
// channels], give x.Permute(0, 3, 1, 2).
package pool

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/kernels/internal/window"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels.go launch.go pool.go spans.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types; sums are float32.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// Options are those of windows, with a number for each spatial axis. Nil stands for strides and dilations of 1 and for no padding; Window is
// needed. One whose extents are those of the input gives one result for each plane.
type Options struct {
	Window       []int // how many elements
	Stride       []int // the distance between windows
	Dilation     []int // the distance between neighbours in a window
	Low, High    []int // the padding before and behind the input
	CountPadding bool  // averages count padding as zeros; without, they are those of the elements that are there
}

// Max queues y = the greatest elements of windows of x: x is [batch, channels, spatial …], and y has as many places as there are windows.
// The result is NaN for a window with one, and -Inf for a window without an element. indices, unless it is nil, has the shape of y and gets
// the place of the first of the greatest elements in its plane, counted in row-major order, or -1.
func Max[E Float](ctx context.Context, on cutile.Target, x, y *cutile.Tensor[E], indices *cutile.Tensor[int32], o Options) error {
	const name = "pool.Max"
	same := []shape.Arg{{Name: "y", Tensor: y}}
	if indices != nil {
		same = append(same, shape.Arg{Name: "indices", Tensor: indices})
	}
	p, err := o.check(name, shape.Arg{Name: "x", Tensor: x}, same...)
	if err != nil || y.Len() == 0 {
		return err
	}
	return overBatch(name, x, y, func(x, y *cutile.Tensor[E], b int) error {
		l, err := begin(name, on, y.Device(), p.forward(false), y.Shape())
		if err != nil {
			return err
		}
		defer l.close() // after the kernel
		if indices == nil {
			return cutile.Launch(ctx, l.on, l.sized(Greatest[E, one, one, one]), x.Span(), layoutOf(x), l.y.begin, l.y.count, l.x.begin, l.x.count,
				y.Span(), layoutOf(y), l.walk)
		}
		at := part(window.Planar(indices), b, y.Shape()[0])
		return cutile.Launch(ctx, l.on, l.sized(GreatestAt[E, one, one, one]), x.Span(), layoutOf(x), l.y.begin, l.y.count, l.x.begin, l.x.count,
			y.Span(), layoutOf(y), at.Span(), layoutOf(at), l.walk)
	})
}

// MaxBackward queues dx, the gradient of x for [Max] with the same options, given dy, the gradient of y, and the indices that Max stored.
func MaxBackward[E Float](ctx context.Context, on cutile.Target, dy *cutile.Tensor[E], indices *cutile.Tensor[int32], dx *cutile.Tensor[E], o Options) error {
	const name = "pool.MaxBackward"
	p, err := o.check(name, shape.Arg{Name: "dx", Tensor: dx}, shape.Arg{Name: "dy", Tensor: dy}, shape.Arg{Name: "indices", Tensor: indices})
	if err != nil || dx.Len() == 0 {
		return err
	}
	return overBatch(name, dy, dx, func(dy, dx *cutile.Tensor[E], b int) error {
		l, err := begin(name, on, dx.Device(), p.backward(), dx.Shape())
		if err != nil {
			return err
		}
		defer l.close() // after the kernel
		at := part(window.Planar(indices), b, dx.Shape()[0])
		return cutile.Launch(ctx, l.on, l.sized(GreatestBackward[E, one, one, one]), dy.Span(), layoutOf(dy), at.Span(), layoutOf(at),
			l.y.begin, l.y.count, l.x.begin, l.x.count, dx.Span(), layoutOf(dx), l.walk)
	})
}

// Mean queues y = the averages of windows of x: x is [batch, channels, spatial …], and y has as many places as there are windows. The
// result for a window without an element is 0.
func Mean[E Float](ctx context.Context, on cutile.Target, x, y *cutile.Tensor[E], o Options) error {
	p, err := o.check("pool.Mean", shape.Arg{Name: "x", Tensor: x}, shape.Arg{Name: "y", Tensor: y})
	if err != nil {
		return err
	}
	return average(ctx, on, "pool.Mean", x, y, p.forward(o.CountPadding))
}

// MeanBackward queues dx, the gradient of x for [Mean] with the same options, given dy, the gradient of y.
func MeanBackward[E Float](ctx context.Context, on cutile.Target, dy, dx *cutile.Tensor[E], o Options) error {
	p, err := o.check("pool.MeanBackward", shape.Arg{Name: "dx", Tensor: dx}, shape.Arg{Name: "dy", Tensor: dy})
	if err != nil {
		return err
	}
	return averageBackward(ctx, on, "pool.MeanBackward", dy, dx, p.forward(o.CountPadding), p.backward())
}

// Adaptive queues y = the averages of as many parts of x as y has places: place i of m is the average of the elements from ⌊i·n/m⌋ to before
// ⌈(i + 1)·n/m⌉ of n. Parts may overlap by an element. Of y with spatial extents of 1, the results are those of whole planes.
func Adaptive[E Float](ctx context.Context, on cutile.Target, x, y *cutile.Tensor[E]) error {
	p, err := adaptive("pool.Adaptive", shape.Arg{Name: "x", Tensor: x}, shape.Arg{Name: "y", Tensor: y})
	if err != nil {
		return err
	}
	return average(ctx, on, "pool.Adaptive", x, y, p.forward(false))
}

// AdaptiveBackward queues dx, the gradient of x for [Adaptive], given dy, the gradient of y.
func AdaptiveBackward[E Float](ctx context.Context, on cutile.Target, dy, dx *cutile.Tensor[E]) error {
	p, err := adaptive("pool.AdaptiveBackward", shape.Arg{Name: "dx", Tensor: dx}, shape.Arg{Name: "dy", Tensor: dy})
	if err != nil {
		return err
	}
	return averageBackward(ctx, on, "pool.AdaptiveBackward", dy, dx, p.forward(false), p.backward())
}

func average[E Float](ctx context.Context, on cutile.Target, name string, x, y *cutile.Tensor[E], s [2]spanList) error {
	if y.Len() == 0 {
		return nil
	}
	return overBatch(name, x, y, func(x, y *cutile.Tensor[E], _ int) error {
		l, err := begin(name, on, y.Device(), s, y.Shape())
		if err != nil {
			return err
		}
		defer l.close() // after the kernel
		return cutile.Launch(ctx, l.on, l.sized(Average[E, one, one, one]), x.Span(), layoutOf(x), l.y.begin, l.y.count, l.y.scale,
			l.x.begin, l.x.count, l.x.scale, y.Span(), layoutOf(y), l.walk)
	})
}

// averageBackward has the spans of results, whose scales are those of dy, and the spans of elements of dx.
func averageBackward[E Float](ctx context.Context, on cutile.Target, name string, dy, dx *cutile.Tensor[E], scales, s [2]spanList) error {
	if dx.Len() == 0 {
		return nil
	}
	return overBatch(name, dy, dx, func(dy, dx *cutile.Tensor[E], _ int) error {
		l, err := begin(name, on, dx.Device(), s, dx.Shape())
		if err != nil {
			return err
		}
		defer l.close() // after the kernel
		var by [2]table
		for i := range by {
			if by[i], err = tableOf(dx.Device(), scales[i]); err != nil {
				return err
			}
			defer by[i].close()
		}
		return cutile.Launch(ctx, l.on, l.sized(AverageBackward[E, one, one, one]), dy.Span(), layoutOf(dy), l.y.begin, l.y.count, by[0].scale,
			l.x.begin, l.x.count, by[1].scale, dx.Span(), layoutOf(dx), l.walk)
	})
}
