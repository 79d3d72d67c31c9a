package moe

import (
	"context"
	"errors"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// Order is an order of pairs of a token and an expert, on the device: rows of the same expert follow each other, so that [gemm.RunRagged]
// multiplies them by the matrix of their expert. [RunSort] computes it; the host does not know it.
//
// Since all memory is made before, an Order can be sorted and used again and again.
type Order struct {
	tokens, share, experts int
	sorted                 bool

	counts, offsets *cutile.Tensor[int32] // [experts+1], the last one for pairs without an expert
	places, pairs   *cutile.Tensor[int32] // [tokens*share]
	parts, starts   *cutile.Tensor[int32] // [chunks, experts+1]
}

// chunkOf is how many pairs are counted together.
const chunkOf = 64

// NewOrder makes memory for an order of pairs, of which each token has share.
func NewOrder(dev *cutile.Device, tokens, share, experts int) (*Order, error) {
	const name = "moe.NewOrder"
	switch {
	case tokens < 0 || share < 0 || experts < 0:
		return nil, shape.Wrong(name, "there are %d tokens, %d experts for each and %d experts, expected no negative numbers", tokens, share, experts)
	case share > 0 && tokens > math.MaxInt32/2/share:
		return nil, shape.Wrong(name, "%d tokens have %d experts each, expected at most %d pairs", tokens, share, math.MaxInt32/2)
	}
	o := &Order{tokens: tokens, share: share, experts: experts}
	pairs := tokens * share
	for _, m := range []struct {
		t     **cutile.Tensor[int32]
		shape []int
	}{
		{&o.counts, []int{experts + 1}}, {&o.offsets, []int{experts + 1}}, {&o.places, []int{pairs}}, {&o.pairs, []int{pairs}},
		{&o.parts, []int{shape.Tiles(pairs, chunkOf), experts + 1}}, {&o.starts, []int{shape.Tiles(pairs, chunkOf), experts + 1}},
	} {
		t, err := cutile.NewTensor[int32](dev, m.shape...)
		if err != nil {
			return nil, errors.Join(err, o.Close())
		}
		*m.t = t
	}
	return o, nil
}

// Close frees the memory when all queued work has run.
func (o *Order) Close() error {
	var errs []error
	for _, t := range []*cutile.Tensor[int32]{o.counts, o.offsets, o.places, o.pairs, o.parts, o.starts} {
		if t != nil {
			errs = append(errs, t.Close())
		}
	}
	return errors.Join(errs...)
}

// Counts are how many rows each expert has [experts].
func (o *Order) Counts() *cutile.Tensor[int32] { return o.counts.Narrow(0, 0, o.experts) }

// Offsets are the rows where those of each expert begin, and behind them the number of all [experts+1], as [gemm.RunRagged] takes them.
func (o *Order) Offsets() *cutile.Tensor[int32] { return o.offsets }

// Places are the rows of the pairs of each token [tokens, share], -1 for pairs without an expert.
func (o *Order) Places() *cutile.Tensor[int32] { return o.places.Reshape(o.tokens, o.share) }

// Pairs are the pairs of the rows [tokens*share], where token t has the pairs from t*share on. Rows behind the last offset have -1.
func (o *Order) Pairs() *cutile.Tensor[int32] { return o.pairs }

// RunSort queues the sorting of pairs by expert, those of the same expert in the order of their tokens: ids [tokens, share] are the experts of
// each token. A pair whose expert is none of those that exist, such as -1, has no row.
func RunSort(ctx context.Context, on cutile.Target, o *Order, ids *cutile.Tensor[int32]) error {
	const name = "moe.RunSort"
	n, err := shape.Check(name, shape.Of("ids", ids, "tokens share"))
	switch {
	case err != nil:
		return err
	case o == nil:
		return shape.Wrong(name, "the order is nil, expected what moe.NewOrder gives")
	case n["tokens"] != o.tokens || n["share"] != o.share:
		return shape.Wrong(name, "ids has shape %v, expected %v, that of the order", ids.Shape(), []int{o.tokens, o.share})
	case !ids.IsContiguous():
		return shape.Wrong(name, "ids have strides %v, expected contiguous ids", ids.Strides())
	}
	single, err := shape.Grid(name, on, 1)
	if err != nil {
		return err
	}
	flat, c := ids.Reshape(o.tokens*o.share), shape.Fit(o.experts+1, 1, 128)
	if flat.Len() > 0 {
		if err := cutile.Launch(ctx, on, cutile.Sized(Counts[one, one], chunkOf, c), flat, o.parts); err != nil {
			return err
		}
	}
	k := cutile.Sized(Starts[one, one], shape.Fit(shape.Tiles(flat.Len(), chunkOf), 1, 16), c)
	if err := cutile.Launch(ctx, single, k, o.parts, o.starts, o.counts, o.offsets); err != nil {
		return err
	}
	if flat.Len() > 0 {
		if err := cutile.Launch(ctx, on, cutile.Sized(Places[one, one], chunkOf, c), flat, o.starts, o.offsets, o.places, o.pairs); err != nil {
			return err
		}
	}
	o.sorted = true
	return nil
}

// check checks tensors against an order, and gives weights, whose name is what, as one line: those of the caller, or one number that nothing
// reads.
func (o *Order) check(function, what string, weights *cutile.Tensor[float32], args ...shape.Arg) (n shape.Extents, line *cutile.Tensor[float32], err error) {
	if weights != nil {
		args = append(args, shape.Of(what, weights, "tokens share"))
	}
	n, err = shape.Check(function, args...)
	switch {
	case err != nil:
		return nil, nil, err
	case o == nil || !o.sorted:
		return nil, nil, shape.Wrong(function, "the order is nil or not sorted, expected one for which moe.RunSort was called")
	case n["tokens"] != o.tokens || n["rows"] != o.tokens*o.share:
		return nil, nil, shape.Wrong(function, "there are %d tokens and %d rows, expected %d and %d, those of the order", n["tokens"], n["rows"], o.tokens, o.tokens*o.share)
	case weights == nil:
		line, err = cutile.NewTensor[float32](o.pairs.Device(), 1)
		return n, line, err
	case n["share"] != o.share:
		return nil, nil, shape.Wrong(function, "%s has shape %v, expected %v, that of the order", what, weights.Shape(), []int{o.tokens, o.share})
	case !weights.IsContiguous():
		return nil, nil, shape.Wrong(function, "%s has strides %v, expected contiguous elements", what, weights.Strides())
	}
	return n, weights.Reshape(n["rows"]), nil
}

// RunSpread queues the distribution of tokens to the rows of their experts: rows[r] = x[t] for the token t of row r, for x [tokens, n] and rows
// [tokens*share, n]. If weights [tokens, share] is not nil, rows are multiplied by the weights of their pairs. Rows without a pair become
// zeros. It is the gradient of [RunCollect]: of the rows, given that of y.
func RunSpread[E Float](ctx context.Context, on cutile.Target, o *Order, x *cutile.Tensor[E], weights *cutile.Tensor[float32], rows *cutile.Tensor[E]) error {
	n, line, err := o.check("moe.RunSpread", "weights", weights, shape.Of("x", x, "tokens n"), shape.Of("rows", rows, "rows n"))
	if err != nil {
		return err
	}
	if weights == nil {
		defer line.Close() // after the kernel
	}
	if rows.Len() == 0 {
		return nil
	}
	k := cutile.Sized(Spread[E, one], shape.Fit(n["n"], 1, 2048))
	return cutile.Launch(ctx, on, k, x, o.pairs, line, rows, o.share, weights != nil)
}

// RunCollect queues the way back: y[t] = the sum of the rows of token t, times weights [tokens, share] unless these are nil, for rows
// [tokens*share, n] and y [tokens, n]. Sums are float32. It is the gradient of [RunSpread]: of x, given that of the rows.
func RunCollect[E Float](ctx context.Context, on cutile.Target, o *Order, rows *cutile.Tensor[E], weights *cutile.Tensor[float32], y *cutile.Tensor[E]) error {
	n, line, err := o.check("moe.RunCollect", "weights", weights, shape.Of("y", y, "tokens n"), shape.Of("rows", rows, "rows n"))
	if err != nil {
		return err
	}
	if weights == nil {
		defer line.Close() // after the kernel
	}
	if o.share == 0 { // sums of nothing
		return y.Fill(ctx, *new(E))
	}
	k := cutile.Sized(Collect[E, one], shape.Fit(n["n"], 1, 2048))
	return cutile.Launch(ctx, on, k, rows, o.Places(), line, y, weights != nil)
}

// RunWeightGradient queues dweights [tokens, share], the gradient of the weights of [RunCollect], given dy [tokens, n], the gradient of y: the
// product of the row of a pair and the row of dy of its token.
func RunWeightGradient[E Float](ctx context.Context, on cutile.Target, o *Order, rows, dy *cutile.Tensor[E], dweights *cutile.Tensor[float32]) error {
	const name = "moe.RunWeightGradient"
	if dweights == nil {
		return shape.Wrong(name, "dweights is nil, expected a tensor")
	}
	n, line, err := o.check(name, "dweights", dweights, shape.Of("dy", dy, "tokens n"), shape.Of("rows", rows, "rows n"))
	if err != nil || line.Len() == 0 {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(WeightSlopes[E, one], shape.Fit(n["n"], 1, 2048)), rows, dy, o.places, line, o.share)
}
