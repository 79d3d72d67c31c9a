package norm

import "github.com/cutile-go/cutile/tile"

// RMSRows computes y = x·rrms·w for each row, where rrms is 1/√(mean of x² + eps). A block has R rows of at most C elements.
// (B. Zhang and R. Sennrich, Root mean square layer normalization, 2019.)
//
//cutile:entry
func RMSRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], w tile.In[tile.FloatTile1[E, C]],
	y tile.Out[tile.FloatTile2[E, R, C]], eps float32) {
	t := tile.F32T2[R, C](x.Load(y.Index(0), 0))
	h := t * tile.F32T2[R, C](inverse(t, x.Len(1), eps))
	y.Store(tile.FloatTile2[E, R, C](h * tile.F32T2[R, C](w.Load(0))))
}

// inverse is 1/√(mean of t² + eps) over n elements of each row.
func inverse[R, C tile.Dim](t tile.F32T2[R, C], n int, eps float32) tile.F32T2[R, tile.D1] {
	return tile.Rsqrt((t*t).Sum1()/tile.F32T2[R, tile.D1](n) + tile.F32T2[R, tile.D1](eps))
}

// RMSLongRows is [RMSRows] for rows of any length: a block makes two passes over them, C elements at a time.
func RMSLongRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], w tile.In[tile.FloatTile1[E, C]],
	y tile.InOut[tile.FloatTile2[E, R, C]], eps float32) {
	i := tile.BlockID(0)
	var squares tile.F32T2[R, C] // summed along the row at the end
	for j := range x.Tiles(1) {
		t := tile.F32T2[R, C](x.Load(i, j))
		squares = tile.FMA(t, t, squares)
	}
	r := tile.Rsqrt(squares.Sum1()/tile.F32T2[R, tile.D1](x.Len(1)) + tile.F32T2[R, tile.D1](eps))
	for j := range x.Tiles(1) {
		h := tile.F32T2[R, C](x.Load(i, j)) * tile.F32T2[R, C](r)
		y.Store(tile.FloatTile2[E, R, C](h*tile.F32T2[R, C](w.Load(j))), i, j)
	}
}

// AddRMSRows computes residual = x + residual, then y = [RMSRows] of that: two steps of a transformer's layer that read the
// same rows.
//
//cutile:entry
func AddRMSRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], residual tile.InOut[tile.FloatTile2[E, R, C]],
	w tile.In[tile.FloatTile1[E, C]], y tile.Out[tile.FloatTile2[E, R, C]], eps float32) {
	i := y.Index(0)
	sum := tile.FloatTile2[E, R, C](tile.F32T2[R, C](x.Load(i, 0)) + tile.F32T2[R, C](residual.Load(i, 0)))
	residual.Store(sum, i, 0)
	t := tile.F32T2[R, C](sum) // rounded, as a later layer will read it
	h := t * tile.F32T2[R, C](inverse(t, x.Len(1), eps))
	y.Store(tile.FloatTile2[E, R, C](h * tile.F32T2[R, C](w.Load(0))))
}

// RMSBackwardRows computes the gradients of [RMSRows]: with h = x·rrms and g = dy·w,
//
//	dx = (g - h·mean(g·h))·rrms        dw = Σ dy·h over all rows
//
// A block processes R rows at a time and writes one row of sums for dw, which [SumRows] adds.
func RMSBackwardRows[E tile.FloatElem, R, C tile.Dim](dy, x tile.In[tile.FloatTile2[E, R, C]], w tile.In[tile.FloatTile1[E, C]],
	dx tile.InOut[tile.FloatTile2[E, R, C]], dw tile.Out[tile.F32T2[tile.D1, C]], eps float32) {
	n := x.Len(1)
	weight := tile.F32T2[R, C](w.Load(0))
	var sums tile.F32T2[R, C]
	for i := dw.Index(0); i < x.Tiles(0); i += dw.Tiles(0) {
		d, t := tile.F32T2[R, C](dy.Load(i, 0)), tile.F32T2[R, C](x.Load(i, 0))
		r := tile.F32T2[R, C](inverse(t, n, eps))
		g, h := d*weight, t*r
		along := (g * h).Sum1() / tile.F32T2[R, tile.D1](n)
		dx.Store(tile.FloatTile2[E, R, C]((g-h*tile.F32T2[R, C](along))*r), i, 0)
		sums = tile.FMA(d, h, sums)
	}
	dw.Store(sums.Sum0())
}
