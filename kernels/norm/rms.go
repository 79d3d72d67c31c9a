package norm

import (
	"github.com/cutile-go/cutile/kernels/pointwise"
	"github.com/cutile-go/cutile/tile"
)

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

// RMSOffsetRows computes y = x·rrms·(offset + w) for rows of any length: a block has R rows and makes two passes over them, C elements
// at a time.
func RMSOffsetRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], w tile.In[tile.FloatTile1[E, C]],
	y tile.InOut[tile.FloatTile2[E, R, C]], offset, eps float32) {
	i := tile.BlockID(0)
	r := inverseOf(x, i, eps)
	for j := range x.Tiles(1) {
		y.Store(tile.FloatTile2[E, R, C](scaledBy(x, w, r, offset, i, j)), i, j)
	}
}

// RMSAddRows computes residual = residual + x·rrms·(offset + w), like [RMSOffsetRows].
func RMSAddRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], w tile.In[tile.FloatTile1[E, C]],
	residual tile.InOut[tile.FloatTile2[E, R, C]], offset, eps float32) {
	i := tile.BlockID(0)
	r := inverseOf(x, i, eps)
	for j := range x.Tiles(1) {
		sum := tile.F32T2[R, C](residual.Load(i, j)) + scaledBy(x, w, r, offset, i, j)
		residual.Store(tile.FloatTile2[E, R, C](sum), i, j)
	}
}

// GatedRMSRows computes y = x·rrms·w·silu(gate), like [RMSOffsetRows].
func GatedRMSRows[E tile.FloatElem, R, C tile.Dim](x, gate tile.In[tile.FloatTile2[E, R, C]], w tile.In[tile.FloatTile1[E, C]],
	y tile.InOut[tile.FloatTile2[E, R, C]], eps float32) {
	i := tile.BlockID(0)
	r := inverseOf(x, i, eps)
	for j := range x.Tiles(1) {
		y.Store(tile.FloatTile2[E, R, C](scaledBy(x, w, r, 0, i, j)*pointwise.SiLU(tile.F32T2[R, C](gate.Load(i, j)))), i, j)
	}
}

// inverseOf is [inverse] of the i-th R rows of x, of any length.
func inverseOf[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], i int, eps float32) tile.F32T2[R, tile.D1] {
	var squares tile.F32T2[R, C] // summed along the row at the end
	for j := range x.Tiles(1) {
		t := tile.F32T2[R, C](x.Load(i, j))
		squares = tile.FMA(t, t, squares)
	}
	return tile.Rsqrt(squares.Sum1()/tile.F32T2[R, tile.D1](x.Len(1)) + tile.F32T2[R, tile.D1](eps))
}

// scaledBy is the tile (i, j) of x, times r and offset + w.
func scaledBy[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], w tile.In[tile.FloatTile1[E, C]], r tile.F32T2[R, tile.D1],
	offset float32, i, j int) tile.F32T2[R, C] {
	weight := tile.F32T1[C](w.Load(j)) + tile.F32T1[C](offset)
	return tile.F32T2[R, C](x.Load(i, j)) * tile.F32T2[R, C](r) * tile.F32T2[R, C](weight)
}

// RMSBackwardRows computes the gradients of y = x·rrms·(offset + w): with h = x·rrms and g = dy·(offset + w),
//
//	dx = (g - h·mean(g·h))·rrms        dw = Σ dy·h over all rows
//
// A block processes R rows at a time and writes one row of sums for dw, which [SumRows] adds.
func RMSBackwardRows[E tile.FloatElem, R, C tile.Dim](dy, x tile.In[tile.FloatTile2[E, R, C]], w tile.In[tile.FloatTile1[E, C]],
	dx tile.InOut[tile.FloatTile2[E, R, C]], dw tile.Out[tile.F32T2[tile.D1, C]], offset, eps float32) {
	weight := tile.F32T2[R, C](tile.F32T1[C](w.Load(0)) + tile.F32T1[C](offset))
	var sums tile.F32T2[R, C]
	for i := dw.Index(0); i < x.Tiles(0); i += dw.Tiles(0) {
		d := tile.F32T2[R, C](dy.Load(i, 0))
		h, r := unit(x, i, eps)
		dx.Store(tile.FloatTile2[E, R, C](rmsGradient(d*weight, h, r, x.Len(1))), i, 0)
		sums = tile.FMA(d, h, sums)
	}
	dw.Store(sums.Sum0())
}

// GatedRMSBackwardRows computes the gradients of [GatedRMSRows]: those of [RMSBackwardRows] for dy·silu(gate), and dgate, which is
// dy·x·rrms·w times the derivative of silu.
func GatedRMSBackwardRows[E tile.FloatElem, R, C tile.Dim](dy, x, gate tile.In[tile.FloatTile2[E, R, C]], w tile.In[tile.FloatTile1[E, C]],
	dx, dgate tile.InOut[tile.FloatTile2[E, R, C]], dw tile.Out[tile.F32T2[tile.D1, C]], eps float32) {
	weight := tile.F32T2[R, C](w.Load(0))
	var sums tile.F32T2[R, C]
	for i := dw.Index(0); i < x.Tiles(0); i += dw.Tiles(0) {
		d, s := tile.F32T2[R, C](dy.Load(i, 0)), tile.F32T2[R, C](gate.Load(i, 0))
		h, r := unit(x, i, eps)
		dgate.Store(tile.FloatTile2[E, R, C](pointwise.SiLUBackward(s, d*h*weight)), i, 0)
		d *= pointwise.SiLU(s)
		dx.Store(tile.FloatTile2[E, R, C](rmsGradient(d*weight, h, r, x.Len(1))), i, 0)
		sums = tile.FMA(d, h, sums)
	}
	dw.Store(sums.Sum0())
}

// unit is h = x·rrms for the i-th R rows of x, and rrms; behind the last row both are 0.
func unit[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], i int, eps float32) (h, r tile.F32T2[R, C]) {
	t := tile.F32T2[R, C](x.Load(i, 0))
	r = tile.F32T2[R, C](tile.Where(rowsInside[R](i, x.Len(0)), inverse(t, x.Len(1), eps), 0))
	return t * r, r
}

// rowsInside tells which rows of the i-th tile are among n.
func rowsInside[R tile.Dim](i, n int) bool {
	at := tile.I32T1[R](i*tile.Extent[R]()) + tile.Iota[R]()
	return tile.Reshape[tile.I32T2[R, tile.D1]](at) < tile.I32T2[R, tile.D1](n)
}

// rmsGradient is dx for rows of n elements.
func rmsGradient[R, C tile.Dim](g, h, r tile.F32T2[R, C], n int) tile.F32T2[R, C] {
	along := (g * h).Sum1() / tile.F32T2[R, tile.D1](n)
	return (g - h*tile.F32T2[R, C](along)) * r
}
