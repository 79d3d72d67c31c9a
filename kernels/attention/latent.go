package attention

import (
	"context"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// widestLatent is the greatest width of the latent part of a row.
const widestLatent = 512

// RunDecodeLatent queues attention of one query per head to a cache of latent rows, which all heads share: o = softmax(cap(q·rowsᵀ·scale))·the
// first latent elements of rows, for q [batch, heads, dim], rows [batch, room, dim] and o [batch, heads, latent]. The elements of a row from
// latent on carry its position, and only count for scores. q has the matrix of keys in it already, and o lacks that of values. (DeepSeek-AI,
// DeepSeek-V2, 2024.) parts, and the masks that are no tensors for each key, are those of [RunDecodeMasked]; for prompts, whose heads have
// keys and values of their own, there is [RunMasked] or [RunRagged].
func RunDecodeLatent[E Float](ctx context.Context, on cutile.Target, parts int, q, rows, o *cutile.Tensor[E], m Mask[E], scale float32) error {
	const name = "attention.RunDecodeLatent"
	args := []shape.Arg{shape.Of("q", q, "batch heads dim"), shape.Of("rows", rows, "batch room dim"), shape.Of("o", o, "batch heads latent")}
	return m.latent(name, args, q, o, func(n shape.Extents, l latentLaunch[E]) error {
		whole := rows.Reshape(n["batch"], 1, n["room"], n["dim"])
		kernel := cutile.Sized(DecodeLatent[E, one, one, one, one], l.extents...)
		return inSplit(ctx, on, name, parts, l.split, o, func(on cutile.Target, means, sums *cutile.Tensor[float32]) error {
			return cutile.Launch(ctx, on, kernel, l.q, l.turned, whole.Narrow(3, 0, n["latent"]), whole.Narrow(3, n["latent"], n["dim"]), l.lengths, means, sums,
				l.back, m.Sinks, scale*math.Log2E, m.softCap())
		})
	})
}

// RunDecodeLatentPaged is [RunDecodeLatent] with rows in pages, [pages, size, dim], of which table [batch, most] has the numbers, as for
// [RunDecodePaged].
func RunDecodeLatentPaged[E Float](ctx context.Context, on cutile.Target, parts int, q, rows *cutile.Tensor[E], table *cutile.Tensor[int32],
	o *cutile.Tensor[E], m Mask[E], scale float32) error {
	const name = "attention.RunDecodeLatentPaged"
	args := []shape.Arg{shape.Of("q", q, "batch heads dim"), shape.Of("rows", rows, "pages size dim"), shape.Of("table", table, "batch most"), shape.Of("o", o, "batch heads latent")}
	return m.latent(name, args, q, o, func(n shape.Extents, l latentLaunch[E]) error {
		whole := rows.Reshape(n["pages"], 1, n["size"], n["dim"])
		kernel := cutile.Sized(DecodeLatentPaged[E, one, one, one, one], l.extents...)
		return inSplit(ctx, on, name, parts, l.split, o, func(on cutile.Target, means, sums *cutile.Tensor[float32]) error {
			return cutile.Launch(ctx, on, kernel, l.q, l.turned, whole.Narrow(3, 0, n["latent"]), whole.Narrow(3, n["latent"], n["dim"]), table, l.lengths, means, sums,
				l.back, m.Sinks, scale*math.Log2E, m.softCap())
		})
	})
}

// latentLaunch is what kernels for latent rows are given: both parts of queries, the lengths, the window, and extents of tiles.
type latentLaunch[E Float] struct {
	q, turned *cutile.Tensor[E]
	lengths   *cutile.Tensor[int32]
	back      int
	extents   []int
	split     split
}

// latent checks the arguments of [RunDecodeLatent] and its like, and launches.
func (m Mask[E]) latent(name string, args []shape.Arg, q, o *cutile.Tensor[E], launch func(n shape.Extents, l latentLaunch[E]) error) error {
	if m.Lengths != nil {
		args = append(args, shape.Of("m.Lengths", m.Lengths, "batch"))
	}
	n, err := shape.Check(name, args...)
	if err != nil {
		return err
	}
	switch rest := n["dim"] - n["latent"]; {
	case n["latent"] < 1 || n["latent"] > widestLatent || rest < 1 || rest > widest:
		return shape.Wrong(name, "o has %d elements a head and rows have %d, expected 1 to %d, and 1 to %d more", n["latent"], n["dim"], widestLatent, widest)
	case m.Bias != nil || m.Seen != nil:
		return shape.Wrong(name, "m.Bias or m.Seen is a tensor, expected nil")
	}
	if _, paged := n["most"]; paged {
		n["room"] = n["most"] * n["size"]
	}
	m.Causal = true
	l := latentLaunch[E]{q: q.Narrow(2, 0, n["latent"]), turned: q.Narrow(2, n["latent"], n["dim"])}
	if l.back, _, err = m.window(name, n["room"]); err != nil || o.Len() == 0 {
		return err
	}
	var free func()
	if l.lengths, free, err = m.lengths(o.Device(), n["batch"], n["room"]); err != nil {
		return err
	}
	defer free() // after the kernels
	d := shape.Fit(n["latent"], 16, widestLatent)
	g, cols := 16, shape.Fit(n["room"], 16, 64)
	if d > widest {
		cols = min(cols, 32)
	}
	l.extents = []int{g, cols, d, shape.Fit(n["dim"]-n["latent"], 16, widest)}
	l.split = split{groups: 1, blocks: shape.Tiles(n["heads"], g), tiles: shape.Tiles(n["room"], cols), d: d}
	return launch(n, l)
}
