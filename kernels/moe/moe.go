// Package moe provides mixture-of-experts layers: each token is multiplied by the matrices of the few experts that a router
// chose for it. Pairs of a token and an expert are sorted by expert, so that a block multiplies rows that share a matrix.
//
// [RunMixture] is a whole layer, of which the host knows only the shapes, and [RunMixtureBackward] computes its gradients. Its parts are
// [RunChoose], [RunSort], [RunSpread], products by gemm.RunRagged, and [RunCollect].
//
// If the host chooses the experts, a layer consists of [Route], [Run] with the first matrices of the experts, pointwise.RunSiLUMul, [Run]
// with the second matrices, and [RunCombine].
package moe

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed choose.go choose_kernels.go kernels.go mixture.go moe.go order.go order_kernels.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types; sums are float32.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// perBlock is how many rows a block has: few enough that experts with few tokens leave little of it free.
const perBlock = 64

// Routes holds the rows that each block multiplies and the expert whose matrix it uses.
type Routes struct {
	rows, experts *cutile.Tensor[int32]
	pairs, most   int // most is the greatest expert
}

// Route sorts pairs of a token and an expert. experts has the expert of each pair, those of token 0 first; all tokens have the
// same number of pairs. A pair with expert -1 is skipped.
func Route(dev *cutile.Device, experts []int32) (*Routes, error) {
	r := &Routes{pairs: len(experts), most: -1}
	var byExpert [][]int32
	for p, e := range experts {
		if e < -1 {
			return nil, shape.Wrong("moe.Route", "pair %d has expert %d, expected -1 or more", p, e)
		}
		for int(e) >= len(byExpert) {
			byExpert = append(byExpert, nil)
		}
		if e >= 0 {
			byExpert[e] = append(byExpert[e], int32(p))
			r.most = max(r.most, int(e))
		}
	}
	var rows, blocks []int32
	for e, pairs := range byExpert {
		for ; len(pairs) > 0; pairs = pairs[min(perBlock, len(pairs)):] {
			n := min(perBlock, len(pairs))
			rows, blocks = append(rows, pairs[:n]...), append(blocks, int32(e))
			for ; n < perBlock; n++ {
				rows = append(rows, -1)
			}
		}
	}
	var err error
	if r.rows, err = cutile.FromSlice(dev, rows); err != nil {
		return nil, err
	}
	if r.experts, err = cutile.FromSlice(dev, blocks); err != nil {
		r.rows.Close()
		return nil, err
	}
	return r, nil
}

// Close frees the memory of the routes when all queued work has run.
func (r *Routes) Close() error {
	r.rows.Close()
	return r.experts.Close()
}

// Run queues y[p] = x[p/share]·w[expert of p] for all pairs p: x is [tokens, k] and y [pairs, n], and share is pairs/tokens; w
// is [experts, k, n]. If x already has a row for each pair, share is 1. Rows of skipped pairs stay unchanged.
func Run[E Float](ctx context.Context, on cutile.Target, r *Routes, x, w, y *cutile.Tensor[E]) error {
	const name = "moe.Run"
	n, err := shape.Check(name, shape.Of("x", x, "tokens k"), shape.Of("w", w, "experts k n"), shape.Of("y", y, "pairs n"))
	if err != nil {
		return err
	}
	switch {
	case r == nil:
		return shape.Wrong(name, "the routes are nil, expected what moe.Route gives")
	case n["pairs"] != r.pairs:
		return shape.Wrong(name, "y has %d rows, expected %d, one for each pair that was routed", n["pairs"], r.pairs)
	case r.most >= n["experts"]:
		return shape.Wrong(name, "w has %d experts, but there are routes to expert %d", n["experts"], r.most)
	case n["tokens"] == 0 && n["pairs"] > 0 || n["tokens"] > 0 && n["pairs"]%n["tokens"] != 0:
		return shape.Wrong(name, "%d pairs are not a multiple of %d tokens", n["pairs"], n["tokens"])
	case !x.IsContiguous() || !y.IsContiguous():
		return shape.Wrong(name, "x has strides %v and y %v, expected contiguous rows", x.Strides(), y.Strides())
	case r.experts.Len() == 0 || n["n"] == 0:
		return nil
	}
	cols, depth := shape.Fit(n["n"], 16, 128), shape.Fit(n["k"], 16, 128/dtype.Of[E]().Size())
	if on, err = shape.Grid(name, on, r.experts.Len(), shape.Tiles(n["n"], cols)); err != nil {
		return err
	}
	kernel := cutile.Sized(Grouped[E, one, one, one], perBlock, cols, depth)
	return cutile.Launch(ctx, on, kernel, x, w, r.rows, r.experts, y, n["pairs"], n["pairs"]/n["tokens"])
}

// RunCombine queues z[t] = Σ weights[t, s]·y[t·share+s] over the share experts of a token: y is [pairs, n], weights [tokens, share] and
// z [tokens, n].
func RunCombine[E Float](ctx context.Context, on cutile.Target, y *cutile.Tensor[E], weights *cutile.Tensor[float32], z *cutile.Tensor[E]) error {
	const name, most = "moe.RunCombine", 64
	n, err := shape.Check(name, shape.Of("y", y, "pairs n"), shape.Of("weights", weights, "tokens share"), shape.Of("z", z, "tokens n"))
	if err != nil {
		return err
	}
	switch {
	case n["pairs"] != n["tokens"]*n["share"]:
		return shape.Wrong(name, "y has %d rows, expected %d for weights of shape %v", n["pairs"], n["tokens"]*n["share"], weights.Shape())
	case n["share"] > most:
		return shape.Wrong(name, "a token has %d experts, expected at most %d", n["share"], most)
	}
	k := cutile.Sized(Combine[E, one, one], shape.Fit(n["share"], 1, most), shape.Fit(n["n"], 1, 512))
	return cutile.Launch(ctx, on, k, y.Reshape(n["tokens"], n["share"], n["n"]), weights, z)
}
