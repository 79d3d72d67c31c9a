// Package attention weighs values by how well their keys match queries: softmax(q·kᵀ·scale)·v, in one kernel that never stores
// the matrix of scores. Several heads of queries may share the keys and values of one head (grouped-query attention).
package attention

import (
	"context"
	"embed"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed attention.go backward.go backward_kernels.go backward_part.go decode.go extras.go forward.go masked.go masked_backward.go masked_gradients.go masked_kernels.go latent.go latent_kernels.go near.go near_kernels.go online.go paged.go paged_kernels.go ragged.go ragged_kernels.go reach.go softcap.go tuning.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types. Sums are float32; tensor cores multiply elements of 16 bits.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// Scale returns the usual scale of scores for heads of dim elements.
func Scale(dim int) float32 { return float32(1 / math.Sqrt(float64(dim))) }

// widest is the greatest length of a head's row that a block can hold.
const widest = 256

// checkHeads checks that heads can share keys and values.
func checkHeads(function string, n shape.Extents) error {
	switch {
	case n["groups"] == 0 || n["heads"]%n["groups"] != 0:
		return shape.Wrong(function, "q has %d heads and k has %d, expected a multiple", n["heads"], n["groups"])
	case n["dim"] == 0 && n["width"] > 0:
		return shape.Wrong(function, "queries have 0 elements and values %d, expected one at least", n["width"])
	case max(n["dim"], n["width"]) > widest:
		return shape.Wrong(function, "heads have %d elements, expected at most %d", max(n["dim"], n["width"]), widest)
	}
	return nil
}

// Run queues o = softmax(q·kᵀ·scale)·v for q and o [batch, heads, queries, dim], k and v [batch, groups, keys, dim]; heads is a
// multiple of groups. With causal each query sees only the keys up to its own; if there are more keys than queries, the queries
// are the last ones.
func Run[E Float](ctx context.Context, on cutile.Target, q, k, v, o *cutile.Tensor[E], causal bool, scale float32) error {
	n, err := checkRun("attention.Run", q, k, v, o, causal)
	if err != nil || o.Len() == 0 {
		return err
	}
	w, err := work(on, tunedTiles(ctx, on, n, q, k, v, o, causal, scale), n, q, k, v, o, causal, scale)
	if err != nil {
		return err
	}
	return cutile.Launch(ctx, w.On, w.Kernel, w.Args...)
}

// RunDecode queues o = softmax(q·kᵀ·scale)·v for one query per head: q and o [batch, heads, dim], and a cache of keys and
// values k and v [batch, groups, room, dim], of which each sequence fills lengths [batch]. parts is the number of blocks that
// share the cache of a head; 0 selects a suitable number.
func RunDecode[E Float](ctx context.Context, on cutile.Target, parts int, q, k, v *cutile.Tensor[E], lengths *cutile.Tensor[int32],
	o *cutile.Tensor[E], scale float32) error {
	const name = "attention.RunDecode"
	n, err := shape.Check(name, shape.Of("q", q, "batch heads dim"), shape.Of("k", k, "batch groups room dim"),
		shape.Of("v", v, "batch groups room dim"), shape.Of("lengths", lengths, "batch"), shape.Of("o", o, "batch heads dim"))
	if err == nil {
		err = checkHeads(name, n)
	}
	if err != nil || o.Len() == 0 {
		return err
	}
	return inParts(ctx, on, name, parts, n, q, o, func(on cutile.Target, g, cols, d int, q *cutile.Tensor[E], means, sums *cutile.Tensor[float32]) error {
		return cutile.Launch(ctx, on, cutile.Sized(Decode[E, one, one, one], g, cols, d), q, k, v, lengths, means, sums, scale*math.Log2E)
	})
}

// inParts queues a kernel that decodes parts of caches, with its extents, and the kernel that merges them.
func inParts[E Float](ctx context.Context, on cutile.Target, name string, parts int, n shape.Extents, q, o *cutile.Tensor[E],
	launch func(on cutile.Target, g, cols, d int, q *cutile.Tensor[E], means, sums *cutile.Tensor[float32]) error) error {
	batch, groups, dim := n["batch"], n["groups"], n["dim"]
	share := n["heads"] / groups
	g, cols, d := shape.Fit(share, 16, 128), shape.Fit(n["room"], 16, 64), shape.Fit(dim, 16, widest)
	if share > g {
		return shape.Wrong(name, "%d heads share keys and values, expected at most %d", share, g)
	}
	s := split{groups: groups, blocks: groups, tiles: shape.Tiles(n["room"], cols), d: d}
	return inSplit(ctx, on, name, parts, s, o, func(on cutile.Target, means, sums *cutile.Tensor[float32]) error {
		return launch(on, g, cols, d, q.Reshape(batch, groups, share, dim), means, sums)
	})
}

// split is how the decoding of a sequence is split among blocks: heads into groups, with as many or more blocks, and the cache into
// tiles. Merged rows have extent d.
type split struct{ groups, blocks, tiles, d int }

// inSplit queues a kernel that decodes parts of caches, and the kernel that merges them to o [batch, heads, width].
func inSplit[E Float](ctx context.Context, on cutile.Target, name string, parts int, s split, o *cutile.Tensor[E],
	launch func(on cutile.Target, means, sums *cutile.Tensor[float32]) error) error {
	batch, heads, width := o.Shape()[0], o.Shape()[1], o.Shape()[2]
	pairs, share := batch*s.groups, heads/s.groups
	if parts == 0 {
		parts = partsFor(batch*s.blocks, s.tiles)
	}
	if parts < 1 || parts > mostParts {
		return shape.Wrong(name, "parts is %d, expected 1 to %d, or 0 for a number that fits", parts, mostParts)
	}
	means, err := cutile.NewTensor[float32](o.Device(), pairs, parts, share, width)
	if err != nil {
		return err
	}
	defer means.Close() // after both kernels
	sums, err := cutile.NewTensor[float32](o.Device(), pairs, parts, share)
	if err != nil {
		return err
	}
	defer sums.Close()
	grid, err := shape.Grid(name, on, batch, s.blocks, parts)
	if err != nil {
		return err
	}
	if err := launch(grid, means, sums); err != nil {
		return err
	}
	kernel := cutile.Sized(Merge[E, one, one], shape.Fit(parts, 1, mostParts), s.d)
	return cutile.Launch(ctx, on, kernel, means, sums, o.Reshape(pairs, share, width))
}

// mostParts is how many parts of a cache a block can merge.
const mostParts = 64

// partsFor chooses into how many parts a cache of a number of tiles is split, for a number of pairs of sequence and group:
// at least two tiles a part, and as many blocks as keep a GPU busy.
func partsFor(pairs, tiles int) int {
	const wanted = 256
	return max(1, min(shape.Tiles(wanted, pairs), tiles/2, mostParts))
}
