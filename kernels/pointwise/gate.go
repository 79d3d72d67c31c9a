package pointwise

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

// Gate is a function by which gated linear units scale another number: [SwiGLU], [GEGLU], [GEGLUTanh], [ReGLU], [GLU] or one of the caller's,
// whose functions are declared in a package whose source is registered. (N. Shazeer, GLU variants improve transformer, 2020.)
type Gate struct {
	Value func(x tile.F32T2[tile.D1, tile.D1]) tile.F32T2[tile.D1, tile.D1]
	Slope func(x, dy tile.F32T2[tile.D1, tile.D1]) tile.F32T2[tile.D1, tile.D1] // dy times the derivative of Value
}

type square = tile.F32T2[tile.D1, tile.D1]

// The gates are named after the units that have them.
var (
	SwiGLU    = Gate{SiLU[square], SiLUBackward[square]}
	GEGLU     = Gate{GELU[square], GELUBackward[square]}
	GEGLUTanh = Gate{GELUTanh[square], GELUTanhBackward[square]}
	ReGLU     = Gate{ReLU[square], ReLUBackward[square]}
	GLU       = Gate{Sigmoid[square], SigmoidBackward[square]}
)

func (g Gate) check(function string, args ...shape.Arg) (shape.Extents, error) {
	for i := range args {
		args[i].Axes = "rows cols"
	}
	n, err := shape.Check(function, args...)
	if err == nil && (g.Value == nil || g.Slope == nil) {
		err = shape.Wrong(function, "g has no functions, expected pointwise.SwiGLU or another Gate")
	}
	return n, err
}

// RunGated queues y = g(gate)·up for matrices, which may be views, such as the two halves of one matrix.
func RunGated[E Float](ctx context.Context, on cutile.Target, g Gate, gate, up, y *cutile.Tensor[E]) error {
	n, err := g.check("pointwise.RunGated", arg("gate", gate), arg("up", up), arg("y", y))
	if err != nil {
		return err
	}
	c := line(n["cols"])
	return cutile.Launch(ctx, on, cutile.Sized(Gated[E, one, one], shape.Together(n["rows"], c, 1024), c), gate, up, y, g.Value)
}

// RunGatedBackward queues the gradients dgate and dup of [RunGated], given dy, the gradient of y.
func RunGatedBackward[E Float](ctx context.Context, on cutile.Target, g Gate, dy, gate, up, dgate, dup *cutile.Tensor[E]) error {
	n, err := g.check("pointwise.RunGatedBackward", arg("dy", dy), arg("gate", gate), arg("up", up), arg("dgate", dgate), arg("dup", dup))
	if err != nil {
		return err
	}
	c := line(n["cols"])
	k := cutile.Sized(GatedBackward[E, one, one], shape.Together(n["rows"], c, 1024), c)
	return cutile.Launch(ctx, on, k, dy, gate, up, dgate, dup, g.Value, g.Slope)
}
