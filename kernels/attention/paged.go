package attention

import (
	"context"
	"fmt"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// RunDecodePaged is [RunDecodeMasked] of a cache that is kept in pages, k and v [pages, groups, size, dim]: the keys of a sequence are those
// of the pages whose numbers are in its row of table [batch, most], in order. m.Lengths are the lengths, and nil means most·size keys;
// m.Bias and m.Seen are [batch, heads, most·size]. Sequences may share pages. A number that is not one of a page, such as -1, hides the
// keys of its page, and numbers of pages behind the length of a sequence do not matter. If the tensors have another order in memory,
// such as [pages, size, groups, dim], pass views: x.Permute(0, 2, 1, 3).
func RunDecodePaged[E Float](ctx context.Context, on cutile.Target, parts int, q, k, v *cutile.Tensor[E], table *cutile.Tensor[int32],
	o *cutile.Tensor[E], m Mask[E], scale float32) error {
	const name, cache = "attention.RunDecodePaged", "pages groups size dim"
	args := []shape.Arg{shape.Of("q", q, "batch heads dim"), shape.Of("k", k, cache), shape.Of("v", v, cache),
		shape.Of("table", table, "batch most"), shape.Of("o", o, "batch heads dim")}
	n, err := shape.Check(name, args...)
	if err == nil {
		n["room"] = n["most"] * n["size"]
		_, err = shape.Check(name, append(args, m.args(fmt.Sprint("batch heads ", n["room"]))...)...)
	}
	if err == nil {
		err = checkHeads(name, n)
	}
	if err != nil || o.Len() == 0 {
		return err
	}
	m.Causal = true
	back, _, err := m.window(name, n["room"])
	if err != nil {
		return err
	}
	lengths, free, err := m.lengths(o.Device(), n["batch"], n["room"])
	if err != nil {
		return err
	}
	defer free() // after the kernels
	biased, masked := m.Bias != nil, m.Seen != nil
	bias, seen, freeEach, err := m.each(o.Device())
	if err != nil {
		return err
	}
	defer freeEach() // after the kernels
	each := []int{n["batch"], n["groups"], n["heads"] / n["groups"], n["room"]}
	if biased {
		bias = bias.Reshape(each...)
	}
	if masked {
		seen = seen.Reshape(each...)
	}
	return inParts(ctx, on, name, parts, n, q, o, func(on cutile.Target, g, cols, d int, q *cutile.Tensor[E], means, sums *cutile.Tensor[float32]) error {
		return cutile.Launch(ctx, on, cutile.Sized(DecodePaged[E, one, one, one], g, cols, d), q, k, v, table, bias, seen, lengths, means, sums,
			back, m.Sinks, biased, masked, scale*math.Log2E, m.softCap())
	})
}
