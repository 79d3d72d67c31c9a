package gemm

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/kernels/internal/tuned"
	"github.com/cutile-go/cutile/tile"
)

// Tiles is the work of a block: M by N elements of the product, K at a time.
type Tiles struct{ M, N, K int }

// otherTiles are what a search tries beside the usual tiles.
var otherTiles = []Tiles{
	{32, 32, 32}, {64, 32, 32}, {32, 64, 32}, {64, 64, 32}, {64, 64, 64}, {64, 64, 128}, {128, 64, 32}, {64, 128, 32}, {128, 64, 64}, {64, 128, 64},
	{128, 128, 32}, {128, 128, 64}, {128, 128, 128}, {256, 64, 32}, {256, 128, 32}, {128, 256, 64},
}

// Tuning returns the search for the tiles of [Run] with these arguments, for [cutile.Tune], which overwrites c. Run takes what was found from the
// records of kernels.UseRecords. c has to be contiguous.
func Tuning[E, C Float](on cutile.Target, a, b *cutile.Tensor[E], c *cutile.Tensor[C]) (s cutile.Search[Tiles], err error) {
	const name = "gemm.Tuning"
	x, err := shape.Check(name, shape.Of("a", a, "m k"), shape.Of("b", b, "k n"), shape.Of("c", c, "m n"))
	if err != nil {
		return s, err
	}
	if x["m"]*x["n"] == 0 {
		return s, shape.Wrong(name, "c has no elements, so that nothing can be measured")
	}
	if _, err := shape.Grid(name, on, 1); err != nil {
		return s, err
	}
	return search(on, x, a, b, c), nil
}

func search[E, C Float](on cutile.Target, x shape.Extents, a, b *cutile.Tensor[E], c *cutile.Tensor[C]) cutile.Search[Tiles] {
	var fit []Tiles
	for _, t := range otherTiles {
		fit = append(fit, Tiles{shape.Fit(x["m"], 16, t.M), shape.Fit(x["n"], 16, t.N), shape.Fit(x["k"], 16, t.K)})
	}
	usual := blockFor[E](x)
	return cutile.Search[Tiles]{
		Space:   tuned.Space(Tiles{usual.m, usual.n, usual.k}, fit...),
		Outputs: []cutile.Output{c},
		Launch: func(t Tiles) cutile.Work {
			w, _ := work(on, block{t.M, t.N, t.K}, x, a, b, c) // without a target, the launch says so
			return w
		},
	}
}

// work is a product in tiles.
func work[E, C Float](on cutile.Target, t block, x shape.Extents, a, b *cutile.Tensor[E], c *cutile.Tensor[C]) (w cutile.Work, err error) {
	w.On, err = shape.Grid("gemm.Run", on, t.blocks(x))
	w.Kernel = cutile.Sized(Grouped[E, float32, C, one, one, one], t.m, t.n, t.k)
	w.Args = []any{a, b, c, Identity[tile.F32T2[one, one]]}
	return w, err
}

// tunedBlock is the block of the records, or the usual one.
func tunedBlock[E, C Float](ctx context.Context, on cutile.Target, x shape.Extents, a, b *cutile.Tensor[E], c *cutile.Tensor[C]) block {
	usual := blockFor[E](x)
	t := tuned.Choose(ctx, Tiles{usual.m, usual.n, usual.k}, "gemm.Run "+dtype.Of[E]().String()+" "+dtype.Of[C]().String(), []tuned.Tensor{a, b, c},
		func() (cutile.Search[Tiles], error) { return search(on, x, a, b, c), nil })
	return block{t.M, t.N, t.K}
}
