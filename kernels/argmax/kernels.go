package argmax

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// NaN is passed over; of equal elements the first counts.

// best is the greatest element so far in each of R·C lanes, and the column that it comes from.
type best[R, C tile.Dim] struct {
	value tile.F32T2[R, C]
	at    tile.I32T2[R, C]
}

func begin[R, C tile.Dim]() best[R, C] {
	return best[R, C]{value: tile.Inf[tile.F32T2[R, C]](-1), at: tile.I32T2[R, C](math.MaxInt32)}
}

// with is the result with one more tile, whose columns start at from.
func (b best[R, C]) with(t tile.F32T2[R, C], from int) best[R, C] {
	col := tile.I32T2[R, C](tile.I32T1[C](from) + tile.Iota[C]())
	better := t > b.value || t == b.value && col < b.at
	return best[R, C]{value: tile.Where(better, t, b.value), at: tile.Where(better, col, b.at)}
}

// row is the best of all lanes of each row of n; its place is MaxInt32 where there was no number.
func (b best[R, C]) row(n int) (value tile.F32T2[R, tile.D1], at tile.I32T2[R, tile.D1]) {
	value = b.value.Max1()
	at = tile.Where(b.value == tile.F32T2[R, C](value), b.at, math.MaxInt32).Min1()
	return value, tile.Where(at < tile.I32T2[R, tile.D1](n), at, math.MaxInt32)
}

// place is the result for each row of n: 0 where there was no number.
func (b best[R, C]) place(n int) tile.I32T1[R] {
	_, at := b.row(n)
	return tile.Reshape[tile.I32T1[R]](tile.Where(at < math.MaxInt32, at, 0))
}

// Rows finds the index of the greatest element of each row of x. A block has R rows and processes C elements of each at a time.
//
//cutile:entry
func Rows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], y tile.Out[tile.I32T1[R]]) {
	b := begin[R, C]()
	for j := range x.Tiles(1) {
		b = b.with(tile.F32T2[R, C](x.LoadPad(math.Inf(-1), y.Index(0), j)), j*tile.Extent[C]())
	}
	y.Store(b.place(x.Len(1)))
}

// Parts finds the greatest element and its index in each of P parts of each row: part p has the tiles p, p+P, p+2P …  [Merge]
// combines the parts, values and places [rows, P].
//
//cutile:entry
func Parts[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], values tile.Out[tile.F32T2[R, tile.D1]],
	places tile.Out[tile.I32T2[R, tile.D1]]) {
	b := begin[R, C]()
	for j := values.Index(1); j < x.Tiles(1); j += values.Tiles(1) {
		b = b.with(tile.F32T2[R, C](x.LoadPad(math.Inf(-1), values.Index(0), j)), j*tile.Extent[C]())
	}
	value, at := b.row(x.Len(1))
	values.Store(value)
	places.Store(at)
}

// Head is [Parts] of logits = x·w that are never stored, for the last layer of a language model: x is [rows, k], w [k, n]. A
// block has R rows and C columns, and processes K elements along k at a time.
//
//cutile:entry
func Head[E tile.FloatElem, R, C, K tile.Dim](x tile.In[tile.FloatTile2[E, R, K]], w tile.In[tile.FloatTile2[E, K, C]],
	values tile.Out[tile.F32T2[R, tile.D1]], places tile.Out[tile.I32T2[R, tile.D1]]) {
	i, j := values.Index(0), values.Index(1)
	var logits tile.F32T2[R, C]
	for k := range x.Tiles(1) {
		logits = tile.Dot(x.Load(i, k), w.Load(k, j), logits)
	}
	col := tile.I32T2[R, C](tile.I32T1[C](j*tile.Extent[C]()) + tile.Iota[C]())
	logits = tile.Where(col < tile.I32T2[R, C](w.Len(1)), logits, tile.Inf[tile.F32T2[R, C]](-1))
	value, at := begin[R, C]().with(logits, j*tile.Extent[C]()).row(w.Len(1))
	values.Store(value)
	places.Store(at)
}

// Merge computes y = the index of the greatest element of all parts.
//
//cutile:entry
func Merge[R, C tile.Dim](values tile.In[tile.F32T2[R, C]], places tile.In[tile.I32T2[R, C]], y tile.Out[tile.I32T1[R]]) {
	b := begin[R, C]()
	for j := range values.Tiles(1) {
		t := values.LoadPad(math.Inf(-1), y.Index(0), j)
		col := tile.I32T2[R, C](tile.I32T1[C](j*tile.Extent[C]()) + tile.Iota[C]())
		at := tile.Where(col < tile.I32T2[R, C](values.Len(1)), places.Load(y.Index(0), j), math.MaxInt32)
		better := t > b.value || t == b.value && at < b.at
		b = best[R, C]{value: tile.Where(better, t, b.value), at: tile.Where(better, at, b.at)}
	}
	y.Store(b.place(math.MaxInt32))
}
