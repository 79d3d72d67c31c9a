package conv

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/kernels/internal/window"
	"github.com/cutile-go/cutile/tile"
)

// InputGradient queues dx, the gradient of x for [Run] with the same w and options and without f, given dy, the gradient of y. That of x
// for [RunTransposed] is Run of dy with the same w.
func InputGradient[E Float](ctx context.Context, on cutile.Target, dy, w, dx *cutile.Tensor[E], o Options) error {
	const name = "conv.InputGradient"
	r := roles[E]{input: dx, weights: w, result: dy, inputName: "dx", weightsName: "w", resultName: "dy", swapped: true}
	p, err := check(name, r, o, nil, "")
	if err != nil || dx.Len() == 0 {
		return err
	}
	return transposed(ctx, on, name, p, r, nil, nil)
}

// WeightGradient queues dw, the gradient of w for [Run] with the same x and options and without f, given dy, the gradient of y. dw is
// contiguous. For [RunTransposed], exchange x and dy. The result is the same in each run.
func WeightGradient[E Float](ctx context.Context, on cutile.Target, dy, x, dw *cutile.Tensor[E], o Options) error {
	const name = "conv.WeightGradient"
	r := roles[E]{input: x, weights: dw, result: dy, inputName: "x", weightsName: "dw", resultName: "dy"}
	p, err := check(name, r, o, nil, "")
	if err != nil || dw.Len() == 0 {
		return err
	}
	if !dw.IsContiguous() {
		return shape.Wrong(name, "dw has strides %v, expected contiguous elements", dw.Strides())
	}
	x, dy = window.Planar(x), window.Planar(dy)
	if err := near(name, "x", x); err != nil {
		return err
	}
	taps := p.inner * p.y.Window * p.x.Window
	m, k := shape.Fit(p.features, 16, 64), shape.Fit(taps, 16, 64)
	rows, cols := placesFor(p.y.Places, p.x.Places, 16, 64)
	table, err := tableOf(dw.Device(), p.taps(x.Strides()), k)
	if err != nil {
		return err
	}
	defer table.Close() // after the kernels
	tiles := shape.Tiles(p.features, m) * shape.Tiles(taps, k)
	parts := partsFor(tiles*p.groups, p.batch*shape.Tiles(p.y.Places, rows)*shape.Tiles(p.x.Places, cols))
	sums, err := cutile.NewTensor[float32](dw.Device(), parts, p.groups, p.features, taps)
	if err != nil {
		return err
	}
	defer sums.Close()
	over, err := shape.Grid(name, on, tiles, p.groups, parts)
	if err != nil {
		return err
	}
	kernel := cutile.Sized(WeightParts[E, one, one, one, one], m, rows, cols, k)
	if err := cutile.Launch(ctx, over, kernel, x.Span(), p.source(x.Strides()), table.Select(0, 0), table.Select(0, 1), table.Select(0, 2),
		dy.Reshape(p.batch, p.groups, p.features, p.y.Places, p.x.Places), sums); err != nil {
		return err
	}
	kernel = cutile.Sized(gemm.Sum[E, one, one], shape.Fit(p.groups*p.features, 1, 16), shape.Fit(taps, 1, 128))
	return cutile.Launch(ctx, on, kernel, sums.Reshape(parts, p.groups*p.features, taps), dw.Reshape(p.groups*p.features, taps),
		gemm.Identity[tile.F32T2[one, one]])
}

// partsFor chooses how many parts to make of sums with a number of tiles, each of a number of steps: enough to keep a device busy.
func partsFor(tiles, steps int) int {
	const wanted = 64
	return max(1, min(shape.Tiles(wanted, tiles), steps/2))
}

// BiasGradient queues db [features], the gradient of a bias: the sums of dy [batch, features, spatial …], the gradient of the sums that
// it was added to.
func BiasGradient[E Float](ctx context.Context, on cutile.Target, dy, db *cutile.Tensor[E]) error {
	flat := dy != nil && dy.Rank() == 3
	_, err := shape.Check("conv.BiasGradient", shape.Of("dy", dy, resultAxes[flat]), shape.Of("db", db, "features"))
	if err != nil {
		return err
	}
	dy = window.Planar(dy)
	r, c := placesFor(dy.Shape()[2], dy.Shape()[3], 1, 1024)
	return cutile.Launch(ctx, on, cutile.Sized(BiasSums[E, one, one], r, c), dy, db)
}
