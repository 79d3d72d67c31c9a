package softmax

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/kernels/internal/tuned"
)

// Tiles is the work of a block: so many rows, and so many columns of them at a time. Where these are all columns, a row is read once.
type Tiles struct{ Rows, Cols int }

// otherTiles are what a search tries beside the usual tiles.
var otherTiles = []Tiles{
	{1, 256}, {1, 512}, {1, 1024}, {1, 2048}, {1, 4096}, {1, 8192}, {2, 512}, {2, 1024}, {2, 4096}, {4, 256}, {4, 1024}, {8, 256}, {8, 512}, {16, 128}, {16, 512},
}

// Tuning returns the search for the tiles of [Run] with these arguments, for [cutile.Tune], which overwrites y. Run takes what was found from the
// records of kernels.UseRecords. y has to be contiguous, and other memory than x.
func Tuning[E Float](on cutile.Target, x, y *cutile.Tensor[E]) (s cutile.Search[Tiles], err error) {
	const name = "softmax.Tuning"
	n, err := shape.Check(name, arg("x", x), arg("y", y))
	if err != nil {
		return s, err
	}
	if n["rows"]*n["cols"] == 0 {
		return s, shape.Wrong(name, "y has no elements, so that nothing can be measured")
	}
	if _, err := shape.Grid(name, on, 1); err != nil {
		return s, err
	}
	return search(on, n, x, y), nil
}

func search[E Float](on cutile.Target, n shape.Extents, x, y *cutile.Tensor[E]) cutile.Search[Tiles] {
	var fit []Tiles
	for _, t := range otherTiles {
		fit = append(fit, Tiles{shape.Fit(n["rows"], 1, t.Rows), shape.Fit(n["cols"], 1, t.Cols)})
	}
	r, c := tileFor(n["rows"], n["cols"])
	return cutile.Search[Tiles]{
		Space:   tuned.Space(Tiles{r, c}, fit...),
		Outputs: []cutile.Output{y},
		Launch: func(t Tiles) cutile.Work {
			w, _ := work(on, t, n, x, y) // without a target, the launch says so
			return w
		},
	}
}

// work is the softmax in tiles.
func work[E Float](on cutile.Target, t Tiles, n shape.Extents, x, y *cutile.Tensor[E]) (w cutile.Work, err error) {
	w = cutile.Work{On: on, Kernel: cutile.Sized(Rows[E, one, one], t.Rows, t.Cols), Args: []any{x, y}}
	if t.Cols < n["cols"] {
		w.Kernel = cutile.Sized(LongRows[E, one, one], t.Rows, t.Cols)
		w.On, err = shape.Grid("softmax.Run", on, shape.Tiles(n["rows"], t.Rows))
	}
	return w, err
}

// tunedTiles are the tiles of the records, or the usual ones.
func tunedTiles[E Float](ctx context.Context, on cutile.Target, n shape.Extents, x, y *cutile.Tensor[E]) Tiles {
	r, c := tileFor(n["rows"], n["cols"])
	return tuned.Choose(ctx, Tiles{r, c}, "softmax.Run "+dtype.Of[E]().String(), []tuned.Tensor{x, y},
		func() (cutile.Search[Tiles], error) { return search(on, n, x, y), nil })
}
