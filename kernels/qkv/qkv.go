// Package qkv has the step of a transformer between the projection to queries, keys and values and attention, in one kernel:
// heads of queries and keys are normalised and turned by their positions, and keys and values join those of earlier tokens in
// a cache. It does what norm.RMS, rope.RunBoth and kvcache.Run do one after the other, without rounding or memory in between.
//
// Texts that begin, of many tokens, and texts that grow by one token each are the same to it: every token says where it stands
// and where its key and value go.
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

// Float are the elements; the kernels compute in float32.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

type one = tile.D1

// Step are the tensors of a step. Q, K and V may be parts of one tensor [tokens, (heads + 2·groups)·dim], as a projection leaves
// it: x.Narrow(1, 0, heads·dim).Reshape(tokens, heads, dim), and so on.
type Step[E Float] struct {
	Q    *cutile.Tensor[E] // [tokens, heads, dim], changed in place
	K, V *cutile.Tensor[E] // [tokens, groups, dim], which stay as they are

	// WQ and WK [dim] are the weights of the normalisation x·w/√(mean of x² + Eps) of each head of Q and K. There is none where
	// both are nil.
	WQ, WK *cutile.Tensor[E]
	Eps    float32

	// Cos and Sin [angles, dim/2] are those of rope.Tables, and Positions [tokens] says which row each token takes. A position
	// outside the tables gives zeros.
	Cos, Sin  *cutile.Tensor[float32]
	Positions *cutile.Tensor[int32]

	// Neighbours says that numbers side by side are turned together, as in RoFormer and GPT-J. Otherwise it is the i-th of the
	// first half of a head and the i-th of the second, as in GPT-NeoX and Llama.
	Neighbours bool

	// ToK and ToV [sequences, groups, room, dim] are the cache. Slots [tokens] says where each token goes: to place slot%room of
	// sequence slot/room. Pages of a fixed size are such sequences. No two tokens may have one place. A slot outside the cache,
	// such as -1, keeps the key and the value out of it; the query is turned all the same.
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

// Run queues a step: Q is normalised and turned in place, K is normalised, turned and stored in the cache, and V is stored in the
// cache. Sums and products are float32.
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
	// Values have pairs, too: a launch sees that parts of one tensor do not meet where they are cut alike.
	q, k, v := pairsOf(s.Q, s.Neighbours), pairsOf(s.K, s.Neighbours), pairsOf(s.V, s.Neighbours)
	toK, toV := pairsOf(s.ToK, s.Neighbours), pairsOf(s.ToV, s.Neighbours)
	if !s.normal() {
		return cutile.Launch(ctx, on, cutile.Sized(Append[E, one, one, one], h, g, d), q, k, v, s.Cos, s.Sin, s.Positions, toK, toV, s.Slots)
	}
	return cutile.Launch(ctx, on, cutile.Sized(NormAppend[E, one, one, one], h, g, d), q, k, v, pairsOf(s.WQ, s.Neighbours),
		pairsOf(s.WK, s.Neighbours), s.Cos, s.Sin, s.Positions, toK, toV, s.Slots, s.Eps)
}
