package embedding

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// columnsOf is how many columns of a row a block of bags has.
func columnsOf(n shape.Extents) int { return shape.Fit(n["dim"], 1, 1024) }

// bags checks the arguments that all functions of bags have, and others.
func bags(function string, ids, offsets *cutile.Tensor[int32], rest ...shape.Arg) (shape.Extents, error) {
	return shape.Check(function, append([]shape.Arg{shape.Of("ids", ids, "tokens"), shape.Of("offsets", offsets, "bags")}, rest...)...)
}

// RunBag queues y[b] = the sum of the rows of a bag of ids or, with mean, their mean: ids is [tokens], table [rows, dim] and y [bags, dim].
// Bag b has the ids from offsets[b] to before offsets[b+1], and the last one all from its offset on; offsets [bags] must not decrease. Each
// row is multiplied by its element of weights [tokens], unless that is nil; with mean, it must be. Ids outside the table count as if they
// were not there, and a bag without rows gives zeros.
func RunBag[E Float](ctx context.Context, on cutile.Target, ids, offsets *cutile.Tensor[int32], weights, table, y *cutile.Tensor[E], mean bool) error {
	const name = "embedding.RunBag"
	rest := []shape.Arg{shape.Of("table", table, "rows dim"), shape.Of("y", y, "bags dim")}
	if weights != nil {
		rest = append(rest, shape.Of("weights", weights, "tokens"))
	}
	n, err := bags(name, ids, offsets, rest...)
	if err == nil {
		err = unweighted(name, mean, weights)
	}
	if err != nil {
		return err
	}
	if weights == nil {
		return cutile.Launch(ctx, on, cutile.Sized(Bags[E, one], columnsOf(n)), ids, offsets, table, y, mean)
	}
	return cutile.Launch(ctx, on, cutile.Sized(WeightedBags[E, one], columnsOf(n)), ids, offsets, weights, table, y)
}

// unweighted refuses weights of a mean.
func unweighted[E Float](function string, mean bool, weights *cutile.Tensor[E]) error {
	if mean && weights != nil {
		return shape.Wrong(function, "there are weights and a mean is wanted, expected weights only for a sum")
	}
	return nil
}

// RunBagMax queues y[b] = the greatest element of each column of the rows of a bag, where bags are those of [RunBag]: NaN if there is one,
// and 0 for a bag without rows. places [bags, dim] gets which of the ids each element comes from, the first of several, or -1.
func RunBagMax[E Float](ctx context.Context, on cutile.Target, ids, offsets *cutile.Tensor[int32], table, y *cutile.Tensor[E],
	places *cutile.Tensor[int32]) error {
	n, err := bags("embedding.RunBagMax", ids, offsets, shape.Of("table", table, "rows dim"), shape.Of("y", y, "bags dim"), shape.Of("places", places, "bags dim"))
	if err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(GreatestBags[E, one], columnsOf(n)), ids, offsets, table, y, places)
}

// gradient checks the gradient of a table, and gives the grid of bags.
func gradient(name string, on cutile.Target, n shape.Extents, table *cutile.Tensor[float32]) (cutile.Target, error) {
	if !table.IsContiguous() {
		return nil, shape.Wrong(name, "table has strides %v, expected contiguous rows", table.Strides())
	}
	return shape.Grid(name, on, n["bags"], shape.Tiles(n["dim"], columnsOf(n)))
}

// AddBagGradient queues the addition of the gradients of rows to the gradient of a table [rows, dim], which must initially be zeros, given dy
// [bags, dim], the gradient of y for [RunBag] with the same arguments. Rows of several bags get sums, whose last bits differ from run to run.
func AddBagGradient[E Float](ctx context.Context, on cutile.Target, ids, offsets *cutile.Tensor[int32], weights, dy *cutile.Tensor[E],
	table *cutile.Tensor[float32], mean bool) error {
	const name = "embedding.AddBagGradient"
	rest := []shape.Arg{shape.Of("dy", dy, "bags dim"), shape.Of("table", table, "rows dim")}
	if weights != nil {
		rest = append(rest, shape.Of("weights", weights, "tokens"))
	}
	n, err := bags(name, ids, offsets, rest...)
	if err == nil {
		err = unweighted(name, mean, weights)
	}
	if err != nil || dy.Len() == 0 {
		return err
	}
	if on, err = gradient(name, on, n, table); err != nil {
		return err
	}
	if weights == nil {
		return cutile.Launch(ctx, on, cutile.Sized(BagsBackward[E, one], columnsOf(n)), ids, offsets, dy, table, n["rows"], mean)
	}
	return cutile.Launch(ctx, on, cutile.Sized(WeightedBagsBackward[E, one], columnsOf(n)), ids, offsets, weights, dy, table, n["rows"])
}

// AddBagMaxGradient is [AddBagGradient] for [RunBagMax], with the places [bags, dim] that it stored. ids are contiguous.
func AddBagMaxGradient[E Float](ctx context.Context, on cutile.Target, ids, places *cutile.Tensor[int32], dy *cutile.Tensor[E],
	table *cutile.Tensor[float32]) error {
	const name = "embedding.AddBagMaxGradient"
	n, err := shape.Check(name, shape.Of("ids", ids, "tokens"), shape.Of("places", places, "bags dim"), shape.Of("dy", dy, "bags dim"),
		shape.Of("table", table, "rows dim"))
	if err != nil || dy.Len() == 0 {
		return err
	}
	if !ids.IsContiguous() {
		return shape.Wrong(name, "ids have strides %v, expected contiguous ids", ids.Strides())
	}
	if on, err = gradient(name, on, n, table); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(GreatestBagsBackward[E, one], columnsOf(n)), ids, places, dy, table, n["tokens"], n["rows"])
}

// BagWeightGradient queues dw [tokens], the gradient of the weights of [RunBag], given dy [bags, dim], the gradient of y. It is 0 for ids
// outside the table.
func BagWeightGradient[E Float](ctx context.Context, on cutile.Target, ids, offsets *cutile.Tensor[int32], table, dy, dw *cutile.Tensor[E]) error {
	const name = "embedding.BagWeightGradient"
	n, err := bags(name, ids, offsets, shape.Of("table", table, "rows dim"), shape.Of("dy", dy, "bags dim"), shape.Of("dw", dw, "tokens"))
	if err != nil || dw.Len() == 0 {
		return err
	}
	if n["bags"] == 0 {
		return shape.Wrong(name, "there are %d ids and no bags, expected a bag", n["tokens"])
	}
	if on, err = shape.Grid(name, on, n["bags"]); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(BagWeights[E, one], columnsOf(n)), ids, offsets, table, dy, dw)
}
