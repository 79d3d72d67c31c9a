// Package delta computes linear attention with the gated delta rule, whose cost for each token does not grow with the tokens before it: a
// state S of each head takes the place of keys and values. Token t forgets a part of the state, corrects what the state holds for its key k
// towards its value v, and reads what it holds for its query q:
//
//	S = exp(gate)·S
//	S = S + beta·k·(v - kᵀ·S)
//	o = scale·qᵀ·S
//
// Without gates, which are zeros then, this is the delta rule, for which keys usually have length 1. (S. Yang and others, Gated delta
// networks, 2024.)
package delta

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed delta.go kernels.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types. Sums and states are float32.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// widest is the greatest length of a row of q and k that a block can hold.
const widest = 256

// Run queues the gated delta rule for many tokens, a number of them at a time: q and k [batch, groups, tokens, dim], v and o [batch, heads,
// tokens, width], gate and beta [batch, heads, tokens]; heads is a multiple of groups, and heads/groups of them share queries and keys. state
// [batch, heads, dim, width] holds what came before, zeros at the start of a text, and becomes what the tokens leave. Gates below -110
// forget all.
func Run[E Float](ctx context.Context, on cutile.Target, q, k, v *cutile.Tensor[E], gate, beta, state *cutile.Tensor[float32], o *cutile.Tensor[E],
	scale float32) error {
	return run(ctx, "delta.Run", on, q, k, v, gate, beta, state, o, scale, true)
}

// RunSteps does the same as [Run], one token after the other, for texts that grow by one or a few tokens.
func RunSteps[E Float](ctx context.Context, on cutile.Target, q, k, v *cutile.Tensor[E], gate, beta, state *cutile.Tensor[float32], o *cutile.Tensor[E],
	scale float32) error {
	return run(ctx, "delta.RunSteps", on, q, k, v, gate, beta, state, o, scale, false)
}

func run[E Float](ctx context.Context, name string, on cutile.Target, q, k, v *cutile.Tensor[E], gate, beta, state *cutile.Tensor[float32],
	o *cutile.Tensor[E], scale float32, chunked bool) error {
	const keys, values, numbers = "batch groups tokens dim", "batch heads tokens width", "batch heads tokens"
	n, err := shape.Check(name, shape.Of("q", q, keys), shape.Of("k", k, keys), shape.Of("v", v, values), shape.Of("gate", gate, numbers),
		shape.Of("beta", beta, numbers), shape.Of("state", state, "batch heads dim width"), shape.Of("o", o, values))
	if err != nil {
		return err
	}
	switch {
	case n["groups"] == 0 || n["heads"]%n["groups"] != 0:
		return shape.Wrong(name, "v has %d heads and k has %d, expected a multiple", n["heads"], n["groups"])
	case n["dim"] < 1 || n["dim"] > widest:
		return shape.Wrong(name, "keys have %d elements, expected 1 to %d", n["dim"], widest)
	}
	d := shape.Fit(n["dim"], 16, widest)
	w := shape.Fit(n["width"], 16, 64)
	if on, err = shape.Grid(name, on, shape.Tiles(n["width"], w), n["heads"], n["batch"]); err != nil || o.Len() == 0 {
		return err
	}
	if chunked {
		return cutile.Launch(ctx, on, cutile.Sized(Chunks[E, one, one, one], shape.Fit(n["tokens"], 16, 32), d, w), q, k, v, gate, beta, state, o, scale)
	}
	return cutile.Launch(ctx, on, cutile.Sized(Steps[E, one, one], d, w), q, k, v, gate, beta, state, o, scale)
}
