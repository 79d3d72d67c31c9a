// Package qkv computes the step of a transformer between the projection to queries, keys and values and attention, in one
// kernel: heads of queries and keys are normalised and rotated by their positions, and keys and values are added to those of
// earlier tokens in a cache. It does the same as norm.RMS, rope.RunBoth and kvcache.Run in sequence, without rounding or memory
// traffic between them.
//
// It treats new texts of many tokens and texts that grow by one token in the same way: each token has its own position, and a
// slot for its key and value.
package qkv

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels.go qkv.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types; the kernels compute in float32.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// Step holds the tensors of a step. Q, K and V may be parts of one tensor [tokens, (heads + 2·groups)·dim], the result of a
// projection: x.Narrow(1, 0, heads·dim).Reshape(tokens, heads, dim), and so on.
type Step[E Float] struct {
	Q    *cutile.Tensor[E] // [tokens, heads, dim], changed in place
	K, V *cutile.Tensor[E] // [tokens, groups, dim], not changed

	// WQ and WK [dim] are the weights of the normalisation x·w/√(mean of x² + Eps) of each head of Q and K. If both are nil,
	// there is no normalisation.
	WQ, WK *cutile.Tensor[E]
	Eps    float32

	// Cos and Sin [angles, dim/2] are the results of rope.Tables, and Positions [tokens] has the row for each token. The result
	// for a position outside the tables is zeros.
	Cos, Sin  *cutile.Tensor[float32]
	Positions *cutile.Tensor[int32]

	// Neighbours means that adjacent numbers form the pairs that are rotated, as in RoFormer and GPT-J. Otherwise the i-th
	// numbers of the two halves of a head form a pair, as in GPT-NeoX and Llama.
	Neighbours bool

	// ToK and ToV [sequences, groups, room, dim] are the cache. Slots [tokens] has the destination of each token: place
	// slot%room of sequence slot/room. Such a sequence can be a page of a fixed size. No two tokens may have the same slot. If
	// the slot is outside the cache, such as -1, key and value are not stored; the query is still rotated.
	ToK, ToV *cutile.Tensor[E]
	Slots    *cutile.Tensor[int32]
}

// args are the tensors with their axes.
func (s *Step[E]) args() []shape.Arg {
	const fresh, cache, table = "tokens groups dim", "sequences groups room dim", "angles half"
	args := []shape.Arg{{Name: "Q", Tensor: s.Q, Axes: "tokens heads dim"}, {Name: "K", Tensor: s.K, Axes: fresh}, {Name: "V", Tensor: s.V, Axes: fresh}}
	if s.normal() {
		args = append(args, shape.Arg{Name: "WQ", Tensor: s.WQ, Axes: "dim"}, shape.Arg{Name: "WK", Tensor: s.WK, Axes: "dim"})
	}
	return append(args, shape.Arg{Name: "Cos", Tensor: s.Cos, Axes: table}, shape.Arg{Name: "Sin", Tensor: s.Sin, Axes: table},
		shape.Arg{Name: "Positions", Tensor: s.Positions, Axes: "tokens"}, shape.Arg{Name: "ToK", Tensor: s.ToK, Axes: cache},
		shape.Arg{Name: "ToV", Tensor: s.ToV, Axes: cache}, shape.Arg{Name: "Slots", Tensor: s.Slots, Axes: "tokens"})
}

// normal says whether heads are normalised. One weight without the other is for the check of the arguments to refuse.
func (s *Step[E]) normal() bool { return s.WQ != nil || s.WK != nil }

// widest is the longest head that a block can hold.
const widest = 8192

func (s *Step[E]) check(function string) (shape.Extents, error) {
	n, err := shape.Check(function, s.args()...)
	switch {
	case err != nil:
		return nil, err
	case n["dim"] != 2*n["half"]:
		return nil, shape.Wrong(function, "heads have %d numbers and Cos has %d a row, expected half as many", n["dim"], n["half"])
	case n["dim"] > widest:
		return nil, shape.Wrong(function, "heads have %d numbers, expected at most %d", n["dim"], widest)
	}
	return n, nil
}

// pairsOf is x [..., dim] as [..., 2, dim/2], where the two belong together.
func pairsOf[E Float](x *cutile.Tensor[E], neighbours bool) *cutile.Tensor[E] {
	axes := x.Shape()
	lead, dim := axes[:len(axes)-1], axes[len(axes)-1]
	if neighbours {
		return x.Reshape(append(lead, dim/2, 2)...).T()
	}
	return x.Reshape(append(lead, 2, dim/2)...)
}

// Run queues a step: Q is normalised and rotated in place, K is normalised, rotated and stored in the cache, and V is stored in
// the cache. Sums and products are float32.
func Run[E Float](ctx context.Context, on cutile.Target, s Step[E]) error {
	const name = "qkv.Run"
	n, err := s.check(name)
	if err != nil || s.Q.Len()+s.K.Len() == 0 {
		return err
	}
	d := shape.Fit(n["half"], 1, widest/2)
	h, g := shape.Together(n["heads"], d, 1024), shape.Together(n["groups"], d, 1024)
	if on, err = shape.Grid(name, on, n["tokens"], shape.Tiles(n["heads"], h)+shape.Tiles(n["groups"], g)); err != nil {
		return err
	}
	// Values have pairs, too: a launch can tell that parts of one tensor do not overlap if all are cut in the same way.
	q, k, v := pairsOf(s.Q, s.Neighbours), pairsOf(s.K, s.Neighbours), pairsOf(s.V, s.Neighbours)
	toK, toV := pairsOf(s.ToK, s.Neighbours), pairsOf(s.ToV, s.Neighbours)
	if !s.normal() {
		return cutile.Launch(ctx, on, cutile.Sized(Append[E, one, one, one], h, g, d), q, k, v, s.Cos, s.Sin, s.Positions, toK, toV, s.Slots)
	}
	return cutile.Launch(ctx, on, cutile.Sized(NormAppend[E, one, one, one], h, g, d), q, k, v, pairsOf(s.WQ, s.Neighbours),
		pairsOf(s.WK, s.Neighbours), s.Cos, s.Sin, s.Positions, toK, toV, s.Slots, s.Eps)
}
