package softmax

import (
	"context"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

// SparseRows computes y = max(x - t, 0) for each row, with the t for which the sum is 1. A block has R rows of any length and walks over them
// C elements at a time. It finds t by Newton's method: the sum is a convex function of t that falls in straight lines, so that t only
// grows, and elements only drop out, until none does. (A. Martins and R. Astudillo, From softmax to sparsemax, 2016.)
func SparseRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], y tile.InOut[tile.FloatTile2[E, R, C]]) {
	i := tile.BlockID(0)
	peak := tile.F32T2[R, tile.D1](math.Inf(-1))
	for j := range x.Tiles(1) {
		peak = max(peak, tile.F32T2[R, C](x.LoadPad(math.Inf(-1), i, j)).Max1())
	}
	below := func(j int) tile.F32T2[R, C] {
		return tile.F32T2[R, C](x.LoadPad(math.Inf(-1), i, j)) - tile.F32T2[R, C](peak)
	}
	t, last := tile.F32T2[R, tile.D1](-1), tile.F32T2[R, tile.D1](-1) // t is relative to the greatest element, and last how many are above it
	for {
		var sum, count tile.F32T2[R, C]
		for j := range x.Tiles(1) {
			z := below(j)
			above := z > tile.F32T2[R, C](t)
			sum += tile.Where(above, z, 0)
			count += tile.Where(above, tile.F32T2[R, C](1), 0)
		}
		n := count.Sum1()
		if tile.Reshape[tile.I32](tile.Where(n != last, tile.I32T2[R, tile.D1](1), 0).Max0()) == 0 {
			break
		}
		last = n
		t = tile.MaxNum(t, (sum.Sum1()-1)/n)
	}
	for j := range x.Tiles(1) {
		y.Store(tile.FloatTile2[E, R, C](max(below(j)-tile.F32T2[R, C](t), 0)), i, j)
	}
}

// SparseBackwardRows computes dx = dy - the mean of dy over the elements of the row where y is positive, and 0 where it is not. A block has R rows and
// makes two passes over them, C elements at a time.
func SparseBackwardRows[E tile.FloatElem, R, C tile.Dim](y, dy tile.In[tile.FloatTile2[E, R, C]], dx tile.InOut[tile.FloatTile2[E, R, C]]) {
	i := tile.BlockID(0)
	var sum, count tile.F32T2[R, C]
	for j := range y.Tiles(1) {
		on := tile.F32T2[R, C](y.Load(i, j)) > 0
		sum += tile.Where(on, tile.F32T2[R, C](dy.Load(i, j)), 0)
		count += tile.Where(on, tile.F32T2[R, C](1), 0)
	}
	mean := tile.F32T2[R, C](sum.Sum1() / count.Sum1())
	for j := range y.Tiles(1) {
		on := tile.F32T2[R, C](y.Load(i, j)) > 0
		dx.Store(tile.FloatTile2[E, R, C](tile.Where(on, tile.F32T2[R, C](dy.Load(i, j))-mean, 0)), i, j)
	}
}

// Sparsemax queues y = the sparsemax of each row of x [rows, cols], the vector nearest to x among those of positive numbers and zeros that
// sum to 1: elements far below the greatest become 0. The result for a row of -Inf is NaN.
func Sparsemax[E Float](ctx context.Context, on cutile.Target, x, y *cutile.Tensor[E]) error {
	return rows(ctx, on, "softmax.Sparsemax", SparseRows[E, one, one], []shape.Arg{arg("x", x), arg("y", y)}, x, y)
}

// SparsemaxBackward queues the gradient of x, given y = [Sparsemax] of x and the gradient of y.
func SparsemaxBackward[E Float](ctx context.Context, on cutile.Target, y, dy, dx *cutile.Tensor[E]) error {
	return rows(ctx, on, "softmax.SparsemaxBackward", SparseBackwardRows[E, one, one], []shape.Arg{arg("y", y), arg("dy", dy), arg("dx", dx)}, y, dy, dx)
}

// rows launches a kernel that walks along rows of any length.
func rows(ctx context.Context, on cutile.Target, name string, kernel any, check []shape.Arg, args ...any) error {
	n, err := shape.Check(name, check...)
	if err != nil || n["rows"]*n["cols"] == 0 {
		return err
	}
	r, c := tileFor(n["rows"], n["cols"])
	if on, err = shape.Grid(name, on, shape.Tiles(n["rows"], r)); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(kernel, r, c), args...)
}
