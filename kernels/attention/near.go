package attention

import (
	"context"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// RunNeighbours queues attention of the places of images to those around them: q [batch, heads, rows, columns, dim], k [batch, groups, rows,
// columns, dim], v [batch, groups, rows, columns, width] and o [batch, heads, rows, columns, width]. A place sees down rows and right columns:
// from down/2 rows before its own and right/2 columns before it, but moved into the image where they reach beyond an edge, so that each sees
// as many. For lines instead of images, give tensors one row and down 1. (A. Hassani and others, Neighborhood attention transformer, 2023.)
func RunNeighbours[E Float](ctx context.Context, on cutile.Target, q, k, v, o *cutile.Tensor[E], down, right int, scale float32) error {
	const name = "attention.RunNeighbours"
	n, err := shape.Check(name, shape.Of("q", q, "batch heads rows columns dim"), shape.Of("k", k, "batch groups rows columns dim"),
		shape.Of("v", v, "batch groups rows columns width"), shape.Of("o", o, "batch heads rows columns width"))
	if err == nil {
		err = checkHeads(name, n)
	}
	if err != nil || o.Len() == 0 {
		return err
	}
	rows, columns := n["rows"], n["columns"]
	places := rows * columns
	switch {
	case down < 1 || down > rows || right < 1 || right > columns:
		return shape.Wrong(name, "windows have %d rows and %d columns, expected 1 to %d and 1 to %d, those of the image", down, right, rows, columns)
	case places > unlimited:
		return shape.Wrong(name, "there are %d places, expected at most %d", places, unlimited)
	case rows == 1: // a line is a column, whose windows are neighbours in memory
		columns, down, right = 1, right, 1
	}
	line := func(x *cutile.Tensor[E]) *cutile.Tensor[E] {
		s := x.Shape()
		return x.Reshape(s[0], s[1], places, s[4])
	}
	q, k, v, o = line(q), line(k), line(v), line(o)
	again := []shape.Arg{shape.Of("q", q, "b h p d"), shape.Of("k", k, "b g p d"), shape.Of("v", v, "b g p w"), shape.Of("o", o, "b h p w")}
	if _, err := shape.Check(name, again...); err != nil { // views whose rows do not follow each other
		return err
	}
	n["queries"], n["keys"] = places, places
	across, keys, d := backwardTiles(n)
	if on, err = shape.Grid(name, on, shape.Tiles(places, across), n["heads"], n["batch"]); err != nil {
		return err
	}
	kernel := cutile.Sized(Neighbours[E, one, one, one, one], across, keys, d, shape.Fit(n["width"], 16, widest))
	return cutile.Launch(ctx, on, kernel, q, k.T(), v, o, columns, down, right, scale*math.Log2E)
}

// RunSelected queues attention of each query to the keys in a list: q [batch, heads, queries, dim], k [batch, groups, keys, dim], v [batch,
// groups, keys, width], o [batch, heads, queries, width], and list [batch, groups, queries, most] with the numbers of keys, which heads that
// share keys share, too. Numbers that are not those of a key, such as -1, are left out; a number that is there twice counts twice. The
// result for a query without keys is 0.
func RunSelected[E Float](ctx context.Context, on cutile.Target, q, k, v *cutile.Tensor[E], list *cutile.Tensor[int32], o *cutile.Tensor[E], scale float32) error {
	const name = "attention.RunSelected"
	n, err := shape.Check(name, shape.Of("q", q, "batch heads queries dim"), shape.Of("k", k, "batch groups keys dim"),
		shape.Of("v", v, "batch groups keys width"), shape.Of("list", list, "batch groups queries most"), shape.Of("o", o, "batch heads queries width"))
	if err == nil {
		err = checkHeads(name, n)
	}
	if err != nil || o.Len() == 0 {
		return err
	}
	share := n["heads"] / n["groups"]
	switch g := shape.Fit(share, 16, 128); {
	case share > g:
		return shape.Wrong(name, "%d heads share keys and values, expected at most %d", share, g)
	case n["most"] > unlimited:
		return shape.Wrong(name, "lists have %d numbers, expected at most %d", n["most"], unlimited)
	default:
		if on, err = shape.Grid(name, on, n["queries"], n["groups"], n["batch"]); err != nil {
			return err
		}
		_, cols, d := backwardTiles(shape.Extents{"keys": n["most"], "dim": n["dim"], "width": n["width"]})
		kernel := cutile.Sized(Selected[E, one, one, one, one], g, cols, d, shape.Fit(n["width"], 16, widest))
		return cutile.Launch(ctx, on, kernel, q.Reshape(n["batch"], n["groups"], share, n["queries"], n["dim"]), k, v, list,
			o.Reshape(n["batch"], n["groups"], share, n["queries"], n["width"]), scale*math.Log2E)
	}
}
