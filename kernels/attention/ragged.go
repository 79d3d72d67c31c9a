package attention

import (
	"context"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// RunRagged queues attention of sequences of different lengths that lie one after the other: o = softmax(cap(q·kᵀ·scale))·v for q [tokens,
// heads, dim], k [keys, groups, dim], v [keys, groups, width] and o [tokens, heads, width]. The queries of sequence b are the tokens from
// starts[b] to before starts[b+1], and its keys those from keyStarts[b] to before keyStarts[b+1], so that both have an element more than
// there are sequences; they may be the same tensor. The queries are at the last positions of their keys, which matters for m.Causal and
// m.Window. m has no tensors. Tokens before the first start and behind the last one keep what o has; a start that is below the one before
// it counts as that, and one beyond the end as the end. The result for a query that sees no key is 0.
func RunRagged[E Float](ctx context.Context, on cutile.Target, q, k, v, o *cutile.Tensor[E], starts, keyStarts *cutile.Tensor[int32], m Mask[E],
	scale float32) error {
	const name = "attention.RunRagged"
	n, err := shape.Check(name, shape.Of("q", q, "tokens heads dim"), shape.Of("k", k, "keys groups dim"), shape.Of("v", v, "keys groups width"),
		shape.Of("o", o, "tokens heads width"), shape.Of("starts", starts, "starts"), shape.Of("keyStarts", keyStarts, "starts"))
	if err == nil && m.Lengths != nil {
		err = shape.Wrong(name, "m.Lengths is a tensor, expected nil: keyStarts say where keys end")
	}
	if err != nil {
		return err
	}
	return m.ragged(name, on, n, n["keys"], n["starts"]-1, func(on cutile.Target, extents []int, back, ahead int) error {
		return cutile.Launch(ctx, on, cutile.Sized(Ragged[E, one, one, one, one], extents...), q, k, v, o, starts, keyStarts,
			back, ahead, m.Sinks, scale*math.Log2E, m.softCap())
	})
}

// RunPaged is [RunRagged] with keys and values in pages, k [pages, groups, size, dim] and v [pages, groups, size, width], for a prompt or a
// part of it, after its keys and values have been stored: table [batch, most] has the numbers of the pages of each sequence, as for
// [RunDecodePaged], and m.Lengths the numbers of keys, those of the queries included; nil means most·size. starts has batch+1 elements. For
// queries [batch, queries, heads, dim], all of the same number, pass q.Reshape(batch*queries, heads, dim) and multiples of queries.
func RunPaged[E Float](ctx context.Context, on cutile.Target, q, k, v *cutile.Tensor[E], table *cutile.Tensor[int32], o *cutile.Tensor[E],
	starts *cutile.Tensor[int32], m Mask[E], scale float32) error {
	const name = "attention.RunPaged"
	args := []shape.Arg{shape.Of("q", q, "tokens heads dim"), shape.Of("k", k, "pages groups size dim"), shape.Of("v", v, "pages groups size width"),
		shape.Of("table", table, "batch most"), shape.Of("o", o, "tokens heads width"), shape.Of("starts", starts, "starts")}
	if m.Lengths != nil {
		args = append(args, shape.Of("m.Lengths", m.Lengths, "batch"))
	}
	n, err := shape.Check(name, args...)
	if err == nil && n["starts"] != n["batch"]+1 {
		err = shape.Wrong(name, "there are %d starts, expected %d, one more than table has sequences", n["starts"], n["batch"]+1)
	}
	if err != nil {
		return err
	}
	keys := n["most"] * n["size"]
	return m.ragged(name, on, n, keys, n["batch"], func(on cutile.Target, extents []int, back, ahead int) error {
		lengths, free, err := m.lengths(o.Device(), n["batch"], keys)
		if err != nil {
			return err
		}
		defer free() // after the kernel
		return cutile.Launch(ctx, on, cutile.Sized(Paged[E, one, one, one, one], extents...), q, k, v, table, o, starts, lengths,
			back, ahead, m.Sinks, scale*math.Log2E, m.softCap())
	})
}

// ragged checks what [RunRagged] and [RunPaged] have in common and launches their kernel, with tiles for sequences of average length.
func (m Mask[E]) ragged(name string, on cutile.Target, n shape.Extents, keys, sequences int,
	launch func(on cutile.Target, extents []int, back, ahead int) error) error {
	if err := checkHeads(name, n); err != nil {
		return err
	}
	switch {
	case m.Bias != nil || m.Seen != nil:
		return shape.Wrong(name, "m.Bias or m.Seen is a tensor, expected nil: sequences of different lengths have none")
	case sequences < 0:
		return shape.Wrong(name, "starts is empty, expected an element more than there are sequences")
	}
	back, ahead, err := m.window(name, max(keys, n["tokens"]))
	if err != nil || sequences == 0 || n["tokens"]*n["heads"]*n["width"] == 0 {
		return err
	}
	average := map[string]int{"queries": shape.Tiles(n["tokens"], sequences), "keys": max(shape.Tiles(n["keys"], sequences), n["most"]*n["size"]), "dim": n["dim"], "width": n["width"]}
	rows, cols, d := backwardTiles(average)
	if on, err = shape.Grid(name, on, n["tokens"]/rows+sequences, n["heads"]); err != nil {
		return err
	}
	return launch(on, []int{rows, cols, d, shape.Fit(n["width"], 16, widest)}, back, ahead)
}
