package attention

import (
	"context"
	"fmt"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/kernels/internal/tuned"
)

// Tiles is the work of a block: so many queries of a head, and so many keys at a time.
type Tiles struct{ Queries, Keys int }

// otherTiles are what a search tries beside the usual tiles.
var otherTiles = []Tiles{{128, 64}, {64, 64}, {64, 128}, {64, 32}, {32, 64}, {32, 32}, {128, 32}, {128, 128}, {256, 64}, {16, 64}}

// Tuning returns the search for the tiles of [Run] with these arguments, for [cutile.Tune], which overwrites o. Run takes what was found from the
// records of kernels.UseRecords. o has to be contiguous.
func Tuning[E Float](on cutile.Target, q, k, v, o *cutile.Tensor[E], causal bool, scale float32) (s cutile.Search[Tiles], err error) {
	const name = "attention.Tuning"
	n, err := checkRun(name, q, k, v, o, causal)
	if err != nil {
		return s, err
	}
	if o.Len() == 0 {
		return s, shape.Wrong(name, "o has no elements, so that nothing can be measured")
	}
	if _, err := shape.Grid(name, on, 1); err != nil {
		return s, err
	}
	return search(on, n, q, k, v, o, causal, scale), nil
}

// checkRun checks the tensors of Run.
func checkRun[E Float](name string, q, k, v, o *cutile.Tensor[E], causal bool) (shape.Extents, error) {
	n, err := shape.Check(name, shape.Of("q", q, "batch heads queries dim"), shape.Of("k", k, "batch groups keys dim"),
		shape.Of("v", v, "batch groups keys dim"), shape.Of("o", o, "batch heads queries dim"))
	if err == nil {
		err = checkHeads(name, n)
	}
	if err == nil && o.Len() > 0 && (n["keys"] == 0 || causal && n["keys"] < n["queries"]) {
		err = shape.Wrong(name, "there are %d keys for %d queries: a query would see none", n["keys"], n["queries"])
	}
	return n, err
}

// tilesFor chooses the tiles for a number of queries and keys, and the length of a head's row.
func tilesFor(n shape.Extents) Tiles {
	t := Tiles{128, 64}
	if shape.Fit(n["dim"], 16, widest) > 128 {
		t.Queries = 64
	}
	return t.fit(n)
}

func (t Tiles) fit(n shape.Extents) Tiles {
	return Tiles{shape.Fit(n["queries"], 16, t.Queries), shape.Fit(n["keys"], 16, t.Keys)}
}

func search[E Float](on cutile.Target, n shape.Extents, q, k, v, o *cutile.Tensor[E], causal bool, scale float32) cutile.Search[Tiles] {
	var fit []Tiles
	for _, t := range otherTiles {
		fit = append(fit, t.fit(n))
	}
	return cutile.Search[Tiles]{
		Space:   tuned.Space(tilesFor(n), fit...),
		Outputs: []cutile.Output{o},
		Launch: func(t Tiles) cutile.Work {
			w, _ := work(on, t, n, q, k, v, o, causal, scale) // without a target, the launch says so
			return w
		},
	}
}

// work is attention in tiles.
func work[E Float](on cutile.Target, t Tiles, n shape.Extents, q, k, v, o *cutile.Tensor[E], causal bool, scale float32) (w cutile.Work, err error) {
	w.On, err = shape.Grid("attention.Run", on, shape.Tiles(n["queries"], t.Queries), n["heads"], n["batch"])
	d := shape.Fit(n["dim"], 16, widest)
	w.Kernel = cutile.Sized(Full[E, one, one, one], t.Queries, t.Keys, d)
	if causal {
		w.Kernel = cutile.Sized(Causal[E, one, one, one], t.Queries, t.Keys, d)
	}
	w.Args = []any{q, k.T(), v, o, scale * math.Log2E}
	return w, err
}

// tunedTiles are the tiles of the records, or the usual ones.
func tunedTiles[E Float](ctx context.Context, on cutile.Target, n shape.Extents, q, k, v, o *cutile.Tensor[E], causal bool, scale float32) Tiles {
	return tuned.Choose(ctx, tilesFor(n), fmt.Sprint("attention.Run ", dtype.Of[E](), causal), []tuned.Tensor{q, k, v, o},
		func() (cutile.Search[Tiles], error) { return search(on, n, q, k, v, o, causal, scale), nil })
}
