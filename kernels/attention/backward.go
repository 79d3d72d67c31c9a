package attention

import (
	"context"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// checkSeen checks that each query sees a key.
func checkSeen(function string, n shape.Extents, causal bool) error {
	if n["keys"] == 0 || causal && n["keys"] < n["queries"] {
		return shape.Wrong(function, "there are %d keys for %d queries: a query would see none", n["keys"], n["queries"])
	}
	return nil
}

// backwardTiles is how many queries and keys a block has at a time, and the extent of their rows.
func backwardTiles(n shape.Extents) (rows, cols, d int) {
	d = shape.Fit(n["dim"], 16, widest)
	most := 64
	if max(d, n["width"]) > 128 {
		most = 32
	}
	return shape.Fit(n["queries"], 16, most), shape.Fit(n["keys"], 16, most), d
}

// RunSaving does the same as [Run], and also stores sums [batch, heads, queries], the base-2 logarithms of the sums of weights,
// for [RunBackward].
func RunSaving[E Float](ctx context.Context, on cutile.Target, q, k, v, o *cutile.Tensor[E], sums *cutile.Tensor[float32],
	causal bool, scale float32) error {
	const name = "attention.RunSaving"
	n, err := shape.Check(name, shape.Of("q", q, "batch heads queries dim"), shape.Of("k", k, "batch groups keys dim"),
		shape.Of("v", v, "batch groups keys dim"), shape.Of("o", o, "batch heads queries dim"), shape.Of("sums", sums, "batch heads queries"))
	if err == nil {
		err = checkHeads(name, n)
	}
	if err != nil || o.Len() == 0 {
		return err
	}
	if err := checkSeen(name, n, causal); err != nil {
		return err
	}
	rows, cols, d := backwardTiles(n)
	if on, err = shape.Grid(name, on, shape.Tiles(n["queries"], rows), n["heads"], n["batch"]); err != nil {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(Saving[E, one, one, one], rows, cols, d), q, k.T(), v, o, sums, causal, scale*math.Log2E)
}

// Gradients holds the tensors for the gradients of queries, keys and values and, for [RunBackwardMasked], of the bias, or nil.
type Gradients[E Float] struct{ Q, K, V, Bias *cutile.Tensor[E] }

// RunBackward queues the gradients of queries, keys and values. It writes to the tensors of to, shaped like q, k and v. do is
// the gradient of o; all other arguments are those of the preceding call of [RunSaving]. The result is the same in each run.
func RunBackward[E Float](ctx context.Context, on cutile.Target, q, k, v, o *cutile.Tensor[E], sums *cutile.Tensor[float32],
	do *cutile.Tensor[E], to Gradients[E], causal bool, scale float32) error {
	const name, queries, keys = "attention.RunBackward", "batch heads queries dim", "batch groups keys dim"
	n, err := shape.Check(name, shape.Of("q", q, queries), shape.Of("k", k, keys), shape.Of("v", v, keys), shape.Of("o", o, queries),
		shape.Of("sums", sums, "batch heads queries"), shape.Of("do", do, queries), shape.Of("to.Q", to.Q, queries), shape.Of("to.K", to.K, keys), shape.Of("to.V", to.V, keys))
	if err == nil {
		err = checkHeads(name, n)
	}
	if err == nil && to.Bias != nil {
		err = shape.Wrong(name, "to.Bias is a tensor, expected nil: there is no bias")
	}
	if err == nil && o.Len() > 0 {
		err = checkSeen(name, n, causal)
	}
	if err != nil {
		return err
	}
	rows, cols, d := backwardTiles(n)
	overQueries, err := shape.Grid(name, on, shape.Tiles(n["queries"], rows), n["heads"], n["batch"])
	if err != nil {
		return err
	}
	overKeys, err := shape.Grid(name, on, shape.Tiles(n["keys"], cols), n["groups"], n["batch"])
	if err != nil {
		return err
	}
	deltas, err := cutile.NewTensor[float32](o.Device(), n["batch"], n["heads"], n["queries"])
	if err != nil {
		return err
	}
	defer deltas.Close() // after the kernels
	scale *= math.Log2E
	if o.Len() > 0 {
		if err := cutile.Launch(ctx, on, cutile.Sized(Deltas[E, one, one], rows, d), o, do, deltas); err != nil {
			return err
		}
		kernel := cutile.Sized(QueryGradients[E, one, one, one], rows, cols, d)
		if err := cutile.Launch(ctx, overQueries, kernel, q, do, k, v, sums, deltas, to.Q, causal, scale); err != nil {
			return err
		}
	}
	if k.Len() == 0 {
		return nil
	}
	kernel := cutile.Sized(KeyGradients[E, one, one, one], rows, cols, d)
	return cutile.Launch(ctx, overKeys, kernel, q, do, k, v, sums, deltas, to.K, to.V, causal, scale)
}
