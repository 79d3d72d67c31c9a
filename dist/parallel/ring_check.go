package parallel

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/tile"
)

// widest is the greatest length of a head's row that package attention takes.
const widest = 256

const (
	queryAxes = "batch, heads, tokens, dim"
	keyAxes   = "batch, groups, tokens, dim"
	sumAxes   = "batch, heads, tokens"
)

// like is an argument of the shape of q, or of k.
type like[E attention.Float] struct {
	name   string
	tensor *device.Tensor[E]
	keys   bool
}

// checkRing checks the arguments that all functions have, and others.
func checkRing[E attention.Float](ctx context.Context, function string, r *Ring, q, k, v *device.Tensor[E], sums *device.Tensor[float32], others ...like[E]) error {
	if r == nil || r.group == nil {
		return wrong(function, "the ring is nil: use what NewRing returns")
	}
	g := r.group
	n, err := ranked(ctx, function, g, "q", q, 4, queryAxes)
	if err != nil {
		return err
	}
	m, err := ranked(ctx, function, g, "k", k, 4, keyAxes)
	if err != nil {
		return err
	}
	tokens := r.Len(g.Rank())
	queries, keys := []int{n[0], n[1], tokens, n[3]}, []int{n[0], m[1], tokens, n[3]}
	args := []argument{arg("q", q, queryAxes, queries...), arg("k", k, keyAxes, keys...), arg("v", v, keyAxes, keys...), arg("sums", sums, sumAxes, queries[:3]...)}
	for _, o := range others {
		if o.keys {
			args = append(args, arg(o.name, o.tensor, keyAxes, keys...))
		} else {
			args = append(args, arg(o.name, o.tensor, queryAxes, queries...))
		}
	}
	if err := check(ctx, function, g, args...); err != nil {
		return err
	}
	switch {
	case m[1] == 0 || n[1]%m[1] != 0:
		return wrong(function, "q has %d heads and k has %d, expected a multiple", n[1], m[1])
	case n[3] == 0 || n[3] > widest:
		return wrong(function, "heads have %d elements, expected 1 to %d", n[3], widest)
	case !k.IsContiguous() || !v.IsContiguous():
		return wrong(function, "k and v have the strides %v and %v, so there are gaps: use what the Contiguous method returns", k.Strides(), v.Strides())
	}
	return nil
}

// rowTiles are the extents of tiles of the kernels: so many tokens, and the elements of a row.
func rowTiles[E attention.Float](x *device.Tensor[E]) (m, d int) {
	return fit(x.Shape()[2], 16, 64), fit(x.Shape()[3], 16, widest)
}

// launchRows launches a kernel over the rows of x.
func launchRows[E attention.Float](ctx context.Context, x *device.Tensor[E], kernel func(m, d int) any, args ...any) error {
	m, d := rowTiles(x)
	n := x.Shape()
	grid := x.Device().Grid((n[2]+m-1)/m, n[1], n[0])
	return cutile.Launch(ctx, grid, kernel(m, d), args...)
}

// addTo adds x to acc; with first, it copies.
func addTo[E attention.Float](ctx context.Context, acc *device.Tensor[float32], x *device.Tensor[E], first bool) error {
	return launchRows(ctx, x, func(m, d int) any { return cutile.Sized(addRows[E, tile.D1, tile.D1], m, d) }, x, acc, first)
}

// roundTo rounds x to the elements of y.
func roundTo[E attention.Float](ctx context.Context, y *device.Tensor[E], x *device.Tensor[float32]) error {
	return launchRows(ctx, y, func(m, d int) any { return cutile.Sized(roundRows[E, tile.D1, tile.D1], m, d) }, x, y)
}
