// Package hyper computes hyper-connections, which take the place of residual connections: a network has n streams h instead of one, a layer f
// reads a mixture of them, and they are mixed and get its result:
//
//	x = Σ a[s, 0]·h[s]
//	h'[c] = Σ a[s, c+1]·h[s] + b[c]·f(x)
//
// [RunWidth] computes x and the sums, and [RunDepth] adds the result of the layer. The factors a [n, n+1] and b [n] are the same for all tokens
// (static), or [RunFactors] computes them for each token from its streams (dynamic). (D. Zhu and others, Hyper-connections, 2024.)
package hyper

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed backward.go hyper.go kernels.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types. Sums and factors are float32.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// mostStreams is how many streams a block can hold.
const mostStreams = 64

func check(function string, args ...shape.Arg) (shape.Extents, error) {
	n, err := shape.Check(function, args...)
	if err == nil && (n["streams"] < 1 || n["streams"] > mostStreams) {
		err = shape.Wrong(function, "there are %d streams, expected 1 to %d", n["streams"], mostStreams)
	}
	return n, err
}

// tileFor gives the streams and the elements of each that a block has.
func tileFor(n shape.Extents) (s, d int) {
	s = shape.Fit(n["streams"], 1, mostStreams)
	return s, shape.Fit(n["dim"], 1, max(64, 4096/s))
}

// RunWidth queues x = the input of a layer [tokens, dim] and kept = the mixed streams [tokens, streams, dim], for h [tokens, streams, dim] and a
// [tokens, streams, streams+1]. Factors that are the same for all tokens are a view made by Broadcast.
func RunWidth[E Float](ctx context.Context, on cutile.Target, h *cutile.Tensor[E], a *cutile.Tensor[float32], x, kept *cutile.Tensor[E]) error {
	const name = "hyper.RunWidth"
	n, err := check(name, shape.Of("h", h, "tokens streams dim"), shape.Of("a", a, "tokens streams streams+1"), shape.Of("x", x, "tokens dim"),
		shape.Of("kept", kept, "tokens streams dim"))
	switch {
	case err != nil:
		return err
	case n["streams+1"] != n["streams"]+1:
		return shape.Wrong(name, "a has %d factors for each of %d streams, expected %d", n["streams+1"], n["streams"], n["streams"]+1)
	}
	s, d := tileFor(n)
	if on, err = shape.Grid(name, on, n["tokens"], shape.Tiles(n["dim"], d)); err != nil || x.Len() == 0 {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(Width[E, one, one], s, d), h, a, x, kept)
}

// RunDepth queues h = kept + b·y for the result y [tokens, dim] of a layer, b [tokens, streams] and kept and h [tokens, streams, dim].
func RunDepth[E Float](ctx context.Context, on cutile.Target, y *cutile.Tensor[E], b *cutile.Tensor[float32], kept, h *cutile.Tensor[E]) error {
	n, err := check("hyper.RunDepth", shape.Of("y", y, "tokens dim"), shape.Of("b", b, "tokens streams"), shape.Of("kept", kept, "tokens streams dim"),
		shape.Of("h", h, "tokens streams dim"))
	if err != nil {
		return err
	}
	s, d := tileFor(n)
	return cutile.Launch(ctx, on, cutile.Sized(Depth[E, one, one], s, d), y, b, kept, h)
}

// RunFactors queues ab = factors of each token [tokens, streams, factors], computed from its streams h [tokens, streams, dim]:
// ab[s, c] = static[s, c] + scale[c]·tanh(norm(h[s])·w[c]), where norm divides by the root of the mean of the squares and eps, for w [dim,
// factors], static [streams, factors] and scale [factors]. With streams+2 factors, the first streams+1 are a and the last one is b:
// ab.Narrow(2, 0, streams+1) and ab.Select(2, streams+1). There is no gradient of factors yet.
func RunFactors[E Float](ctx context.Context, on cutile.Target, h, w *cutile.Tensor[E], static, scale, ab *cutile.Tensor[float32], eps float32) error {
	const name = "hyper.RunFactors"
	n, err := check(name, shape.Of("h", h, "tokens streams dim"), shape.Of("w", w, "dim factors"), shape.Of("static", static, "streams factors"),
		shape.Of("scale", scale, "factors"), shape.Of("ab", ab, "tokens streams factors"))
	if err != nil {
		return err
	}
	s, d := tileFor(n)
	if on, err = shape.Grid(name, on, n["tokens"]); err != nil || ab.Len() == 0 {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(Factors[E, one, one], s, d), h, w, static, scale, ab, eps)
}
