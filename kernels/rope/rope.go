// Package rope computes rotary position embeddings: pairs of numbers of queries and keys are rotated by angles that grow with a
// token's position, so that the product of a query and a key depends on their distance. Positions may have several axes, as of images and
// videos, and results may be floats of 8 bits.
package rope

import (
	"context"
	"embed"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels.go rope.go rounded.go sections.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types; the kernels compute in float32.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// Pairs tells which numbers of a head form pairs.
type Pairs bool

const (
	Halves     Pairs = false // the i-th of the first half and the i-th of the second, as in GPT-NeoX and Llama
	Neighbours Pairs = true  // two adjacent ones, as in RoFormer and GPT-J
)

// Tables returns cosines and sines for positions up to room and heads of dim numbers, both [room, dim/2] in row-major order:
// pair i of position p is rotated by p·base^(-2i/dim). base is usually 10000.
func Tables(room, dim int, base float64) (cos, sin []float32) {
	half := dim / 2
	cos, sin = make([]float32, room*half), make([]float32, room*half)
	for p := range room {
		for i := range half {
			s, c := math.Sincos(float64(p) * math.Pow(base, -2*float64(i)/float64(dim)))
			cos[p*half+i], sin[p*half+i] = float32(c), float32(s)
		}
	}
	return cos, sin
}

// view is x [tokens, heads, dim] as the kernels want it.
func view[E dtype.Elem](x *cutile.Tensor[E], p Pairs, half int) *cutile.Tensor[E] {
	s := x.Shape()
	if p == Neighbours {
		return x.Reshape(s[0], s[1], half, 2).Permute(0, 1, 3, 2)
	}
	return x.Reshape(s[0], s[1], 2, half)
}

// headsFor chooses how many heads a block turns.
func headsFor(heads, d int) int { return shape.Together(heads, d, 1024) }

func check(function string, n shape.Extents) error {
	if n["dim"] != 2*n["half"] {
		return shape.Wrong(function, "heads have %d numbers and cos has %d a row, expected half as many", n["dim"], n["half"])
	}
	if n["half"] > tileMax {
		return shape.Wrong(function, "heads have %d numbers, expected at most %d", n["dim"], 2*tileMax)
	}
	return nil
}

// Run queues the rotation of x [tokens, heads, dim], in place. cos and sin [room, dim/2] are the results of [Tables]; positions
// [tokens] has the row for each token. The result for a position outside the tables is zeros.
func Run[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], cos, sin *cutile.Tensor[float32],
	positions *cutile.Tensor[int32], p Pairs) error {
	const name = "rope.Run"
	n, err := shape.Check(name, shape.Of("x", x, "tokens heads dim"), shape.Of("cos", cos, "room half"), shape.Of("sin", sin, "room half"),
		shape.Of("positions", positions, "tokens"))
	if err == nil {
		err = check(name, n)
	}
	if err != nil || x.Len() == 0 {
		return err
	}
	d := shape.Fit(n["half"], 1, tileMax)
	h := headsFor(n["heads"], d)
	if on, err = shape.Grid(name, on, n["tokens"], shape.Tiles(n["heads"], h)); err != nil {
		return err
	}
	k := cutile.Sized(Rotate[E, one, one], h, d)
	return cutile.Launch(ctx, on, k, view(x, p, n["half"]), cos, sin, positions)
}

// RunRows is [Run] with one row of cos and sin [tokens, dim/2] for each token: for consecutive tokens these are rows of
// [Tables], cos.Narrow(0, from, from+tokens).
func RunRows[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], cos, sin *cutile.Tensor[float32], p Pairs) error {
	const name = "rope.RunRows"
	n, err := shape.Check(name, shape.Of("x", x, "tokens heads dim"), shape.Of("cos", cos, "tokens half"), shape.Of("sin", sin, "tokens half"))
	if err == nil {
		err = check(name, n)
	}
	if err != nil || x.Len() == 0 {
		return err
	}
	if on, err = shape.Grid(name, on, n["tokens"]); err != nil {
		return err
	}
	d := shape.Fit(n["half"], 1, tileMax)
	h := shape.Together(n["heads"], d, 8192)
	k := cutile.Sized(RotateRows[E, one, one], h, d)
	for from := 0; from < n["heads"]; from += h { // rarely more than once
		heads := x.Narrow(1, from, min(from+h, n["heads"]))
		if err := cutile.Launch(ctx, on, k, view(heads, p, n["half"]), cos, sin); err != nil {
			return err
		}
	}
	return nil
}

// RunBoth queues the rotation of queries q [tokens, heads, dim] and keys k [tokens, groups, dim], in place, in one kernel.
func RunBoth[E Float](ctx context.Context, on cutile.Target, q, k *cutile.Tensor[E], cos, sin *cutile.Tensor[float32],
	positions *cutile.Tensor[int32], p Pairs) error {
	const name = "rope.RunBoth"
	n, err := shape.Check(name, shape.Of("q", q, "tokens heads dim"), shape.Of("k", k, "tokens groups dim"), shape.Of("cos", cos, "room half"),
		shape.Of("sin", sin, "room half"), shape.Of("positions", positions, "tokens"))
	if err == nil {
		err = check(name, n)
	}
	if err != nil || q.Len()+k.Len() == 0 {
		return err
	}
	d := shape.Fit(n["half"], 1, tileMax)
	if n["groups"] > n["heads"] {
		q, k = k, q
		n["groups"], n["heads"] = n["heads"], n["groups"]
	}
	h := headsFor(n["heads"], d)
	if on, err = shape.Grid(name, on, n["tokens"], shape.Tiles(n["heads"], h)); err != nil {
		return err
	}
	kernel := cutile.Sized(RotateBoth[E, one, one, one], h, shape.Fit(n["groups"], 1, h), d)
	return cutile.Launch(ctx, on, kernel, view(q, p, n["half"]), view(k, p, n["half"]), cos, sin, positions)
}

// tileMax is the longest half of a head.
const tileMax = 2048
