package softmax

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// Rows computes y = softmax(x) for rows that fit a tile: a block has R rows, of at most C elements.
//
//cutile:entry
func Rows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], y tile.Out[tile.FloatTile2[E, R, C]]) {
	t := tile.F32T2[R, C](x.LoadPad(math.Inf(-1), y.Index(0), 0)) // what lies outside adds e^-Inf = 0
	e := tile.Exp(t - tile.F32T2[R, C](t.Max1()))
	y.Store(tile.FloatTile2[E, R, C](e / tile.F32T2[R, C](e.Sum1())))
}

// LongRows computes y = softmax(x) for rows of any length: a block has R rows and makes two passes over them, C elements at a
// time. The first pass finds the greatest element and the sum together: when a tile has a greater element, the sum so far is
// scaled down to it. (M. Milakov and N. Gimelshein, Online normalizer calculation for softmax, 2018.)
func LongRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], y tile.InOut[tile.FloatTile2[E, R, C]]) {
	i := tile.BlockID(0)
	peak := tile.F32T2[R, tile.D1](-math.MaxFloat32) // not -Inf: a tile of -Inf would subtract it from itself
	var sum tile.F32T2[R, tile.D1]
	for j := range x.Tiles(1) {
		t := tile.F32T2[R, C](x.LoadPad(math.Inf(-1), i, j))
		higher := max(peak, t.Max1())
		sum = tile.FMA(sum, tile.Exp(peak-higher), tile.Exp(t-tile.F32T2[R, C](higher)).Sum1())
		peak = higher
	}
	for j := range x.Tiles(1) {
		t := tile.F32T2[R, C](x.Load(i, j))
		y.Store(tile.FloatTile2[E, R, C](tile.Exp(t-tile.F32T2[R, C](peak))/tile.F32T2[R, C](sum)), i, j)
	}
}

// BackwardRows computes dx = (dy - Σ dy·y)·y, the gradient of x for y = softmax(x). A block has R rows and makes two passes
// over them, C elements at a time.
func BackwardRows[E tile.FloatElem, R, C tile.Dim](y, dy tile.In[tile.FloatTile2[E, R, C]], dx tile.InOut[tile.FloatTile2[E, R, C]]) {
	i := tile.BlockID(0)
	var sum tile.F32T2[R, tile.D1]
	for j := range y.Tiles(1) {
		sum += (tile.F32T2[R, C](y.Load(i, j)) * tile.F32T2[R, C](dy.Load(i, j))).Sum1()
	}
	for j := range y.Tiles(1) {
		d := tile.F32T2[R, C](dy.Load(i, j)) - tile.F32T2[R, C](sum)
		dx.Store(tile.FloatTile2[E, R, C](d*tile.F32T2[R, C](y.Load(i, j))), i, j)
	}
}
