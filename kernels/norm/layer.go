package norm

import "github.com/cutile-go/cutile/tile"

// LayerRows computes y = (x - mean)·rstd·w + b for each row, where rstd is 1/√(variance + eps). A block has R rows of at most C
// elements. mean and rstd are stored for the gradients. (J. L. Ba and others, Layer normalization, 2016.)
//
//cutile:entry
func LayerRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], w, b tile.In[tile.FloatTile1[E, C]],
	y tile.Out[tile.FloatTile2[E, R, C]], mean, rstd tile.InOut[tile.F32T1[R]], eps float32) {
	i := y.Index(0)
	h, mu, r := standard(tile.F32T2[R, C](x.Load(i, 0)), x.Len(1), eps)
	y.Store(tile.FloatTile2[E, R, C](tile.FMA(h, tile.F32T2[R, C](w.Load(0)), tile.F32T2[R, C](b.Load(0)))))
	mean.Store(tile.Reshape[tile.F32T1[R]](mu), i)
	rstd.Store(tile.Reshape[tile.F32T1[R]](r), i)
}

// AddLayerRows computes residual = x + residual, then y, mean and rstd of that like [LayerRows].
//
//cutile:entry
func AddLayerRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], residual tile.InOut[tile.FloatTile2[E, R, C]],
	w, b tile.In[tile.FloatTile1[E, C]], y tile.Out[tile.FloatTile2[E, R, C]], mean, rstd tile.InOut[tile.F32T1[R]], eps float32) {
	i := y.Index(0)
	sum := tile.FloatTile2[E, R, C](tile.F32T2[R, C](x.Load(i, 0)) + tile.F32T2[R, C](residual.Load(i, 0)))
	residual.Store(sum, i, 0)
	h, mu, r := standard(tile.F32T2[R, C](sum), x.Len(1), eps) // of the rounded sum, as a later layer will read it
	y.Store(tile.FloatTile2[E, R, C](tile.FMA(h, tile.F32T2[R, C](w.Load(0)), tile.F32T2[R, C](b.Load(0)))))
	mean.Store(tile.Reshape[tile.F32T1[R]](mu), i)
	rstd.Store(tile.Reshape[tile.F32T1[R]](r), i)
}

// standard shifts and scales rows of n elements, zeros behind them, to mean 0 and variance 1.
func standard[R, C tile.Dim](t tile.F32T2[R, C], n int, eps float32) (h tile.F32T2[R, C], mean, rstd tile.F32T2[R, tile.D1]) {
	size := tile.F32T2[R, tile.D1](n)
	mean = t.Sum1() / size
	d := tile.Where(columns[R, C](0, n), t-tile.F32T2[R, C](mean), 0)
	rstd = tile.Rsqrt((d*d).Sum1()/size + tile.F32T2[R, tile.D1](eps))
	return d * tile.F32T2[R, C](rstd), mean, rstd
}

// columns tells which columns of the j-th tile lie inside a row of n.
func columns[R, C tile.Dim](j, n int) bool {
	at := tile.I32T1[C](j*tile.Extent[C]()) + tile.Iota[C]()
	return tile.I32T2[R, C](at) < tile.I32T2[R, C](n)
}

// LayerLongRows is [LayerRows] for rows of any length: a block makes two passes over them, C elements at a time. The first pass
// sums differences from the first element of each column of the tile, because the variance would be lost in the difference of
// two large sums. That element belongs to the row, so that its square is part of the variance, too: rounding errors grow at
// most by a factor of the number of tiles. The last tile is handled separately because only its elements must be masked.
func LayerLongRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], w, b tile.In[tile.FloatTile1[E, C]],
	y tile.InOut[tile.FloatTile2[E, R, C]], mean, rstd tile.InOut[tile.F32T1[R]], eps float32) {
	i, n := tile.BlockID(0), tile.F32T2[R, tile.D1](x.Len(1))
	first := tile.F32T2[R, C](x.Load(i, 0))
	full, rest := x.Len(1)/tile.Extent[C](), x.Len(1)%tile.Extent[C]()
	last := columns[R, C](0, rest)
	sum := tile.Where(last, tile.F32T2[R, C](x.Load(i, x.Tiles(1)-1))-first, 0)
	squares := sum * sum // both are summed along the row at the end
	for j := range full {
		d := tile.F32T2[R, C](x.Load(i, j)) - first
		sum += d
		squares = tile.FMA(d, d, squares)
	}
	count := tile.F32T2[R, C](full) + tile.Where(last, tile.F32T2[R, C](1), 0)
	mu := tile.FMA(first, count, sum).Sum1() / n
	away := tile.F32T2[R, C](mu) - first
	squares = tile.FMA(away, tile.FMA(away, count, -2*sum), squares)
	r := tile.Rsqrt(squares.Sum1()/n + tile.F32T2[R, tile.D1](eps))
	for j := range x.Tiles(1) {
		h := (tile.F32T2[R, C](x.LoadUnpadded(i, j)) - tile.F32T2[R, C](mu)) * tile.F32T2[R, C](r)
		y.Store(tile.FloatTile2[E, R, C](tile.FMA(h, tile.F32T2[R, C](w.LoadUnpadded(j)), tile.F32T2[R, C](b.LoadUnpadded(j)))), i, j)
	}
	mean.Store(tile.Reshape[tile.F32T1[R]](mu), i)
	rstd.Store(tile.Reshape[tile.F32T1[R]](r), i)
}

// LayerBackwardRows computes the gradients of [LayerRows]: with h = (x - mean)·rstd and g = dy·w,
//
//	dx = (g - mean(g) - h·mean(g·h))·rstd        dw = Σ dy·h and db = Σ dy over all rows
//
// A block processes R rows at a time and writes one row of sums each for dw and db, which [SumRows] adds.
func LayerBackwardRows[E tile.FloatElem, R, C tile.Dim](dy, x tile.In[tile.FloatTile2[E, R, C]], w tile.In[tile.FloatTile1[E, C]],
	mean, rstd tile.In[tile.F32T1[R]], dx tile.InOut[tile.FloatTile2[E, R, C]], dw, db tile.Out[tile.F32T2[tile.D1, C]]) {
	weight := tile.F32T2[R, C](w.Load(0))
	var gw, gb tile.F32T2[R, C]
	for i := dw.Index(0); i < x.Tiles(0); i += dw.Tiles(0) {
		d := tile.F32T2[R, C](dy.Load(i, 0)) // 0 outside, so that h does not matter there
		h, r := normal(x, mean, rstd, i, 0)
		dx.Store(tile.FloatTile2[E, R, C](rowGradient(d*weight, h, r, x.Len(1))), i, 0)
		gw = tile.FMA(d, h, gw)
		gb += d
	}
	dw.Store(gw.Sum0())
	db.Store(gb.Sum0())
}

// LayerBackwardAtomic computes dx like [LayerBackwardRows] and adds the other gradients to those in dw and db, [cols] numbers
// each, atomically: the last bits of the sums differ from run to run. A block has R rows.
func LayerBackwardAtomic[E tile.FloatElem, R, C tile.Dim](dy, x tile.In[tile.FloatTile2[E, R, C]], w tile.In[tile.FloatTile1[E, C]],
	mean, rstd tile.In[tile.F32T1[R]], dx tile.InOut[tile.FloatTile2[E, R, C]], dw, db tile.Ptr[float32]) {
	i := tile.BlockID(0)
	d := tile.F32T2[R, C](dy.Load(i, 0))
	h, r := normal(x, mean, rstd, i, 0)
	dx.Store(tile.FloatTile2[E, R, C](rowGradient(d*tile.F32T2[R, C](w.Load(0)), h, r, x.Len(1))), i, 0)
	at := tile.Iota[C]()
	inside := at < tile.I32T1[C](x.Len(1))
	tile.AtomicAdd(dw, at, tile.Reshape[tile.F32T1[C]]((d * h).Sum0()), inside)
	tile.AtomicAdd(db, at, tile.Reshape[tile.F32T1[C]](d.Sum0()), inside)
}

// rowGradient is dx for rows of n elements.
func rowGradient[R, C tile.Dim](g, h, r tile.F32T2[R, C], n int) tile.F32T2[R, C] {
	size := tile.F32T2[R, tile.D1](n)
	common, along := g.Sum1()/size, (g*h).Sum1()/size
	return (g - tile.F32T2[R, C](common) - h*tile.F32T2[R, C](along)) * r
}

// normal is the tile (i, j) of x before it was scaled and shifted, and rstd.
func normal[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.FloatTile2[E, R, C]], mean, rstd tile.In[tile.F32T1[R]],
	i, j int) (h, r tile.F32T2[R, C]) {
	mu := tile.F32T2[R, C](tile.Reshape[tile.F32T2[R, tile.D1]](mean.Load(i)))
	r = tile.F32T2[R, C](tile.Reshape[tile.F32T2[R, tile.D1]](rstd.Load(i)))
	return (tile.F32T2[R, C](x.Load(i, j)) - mu) * r, r
}

// LayerBackwardX computes only the gradient of x, for rows of any length.
func LayerBackwardX[E tile.FloatElem, R, C tile.Dim](dy, x tile.In[tile.FloatTile2[E, R, C]], w tile.In[tile.FloatTile1[E, C]],
	mean, rstd tile.In[tile.F32T1[R]], dx tile.InOut[tile.FloatTile2[E, R, C]]) {
	i, n := tile.BlockID(0), tile.F32T2[R, tile.D1](x.Len(1))
	var common, along tile.F32T2[R, C]
	for j := range x.Tiles(1) {
		g := tile.F32T2[R, C](dy.Load(i, j)) * tile.F32T2[R, C](w.Load(j))
		h, _ := normal(x, mean, rstd, i, j)
		common += g
		along = tile.FMA(g, h, along)
	}
	c, a := tile.F32T2[R, C](common.Sum1()/n), tile.F32T2[R, C](along.Sum1()/n)
	for j := range x.Tiles(1) {
		g := tile.F32T2[R, C](dy.Load(i, j)) * tile.F32T2[R, C](w.Load(j))
		h, r := normal(x, mean, rstd, i, j)
		dx.Store(tile.FloatTile2[E, R, C]((g-c-h*a)*r), i, j)
	}
}

// LayerBackwardW computes sums for the gradients of w and b, for rows of any length: a block has C columns of rows at regular
// distances and writes one row of sums each.
func LayerBackwardW[E tile.FloatElem, R, C tile.Dim](dy, x tile.In[tile.FloatTile2[E, R, C]], mean, rstd tile.In[tile.F32T1[R]],
	dw, db tile.Out[tile.F32T2[tile.D1, C]]) {
	j := dw.Index(1)
	var gw, gb tile.F32T2[R, C]
	for i := dw.Index(0); i < x.Tiles(0); i += dw.Tiles(0) {
		d := tile.F32T2[R, C](dy.Load(i, j))
		h, _ := normal(x, mean, rstd, i, j)
		gw = tile.FMA(d, h, gw)
		gb += d
	}
	dw.Store(gw.Sum0())
	db.Store(gb.Sum0())
}

// SumRows computes y = the sum of x over its rows: a block has C columns and processes R rows at a time.
//
//cutile:entry
func SumRows[E tile.FloatElem, R, C tile.Dim](x tile.In[tile.F32T2[R, C]], y tile.Out[tile.FloatTile1[E, C]]) {
	var sum tile.F32T2[R, C]
	for i := range x.Tiles(0) {
		sum += x.Load(i, y.Index(0))
	}
	y.Store(tile.FloatTile1[E, C](tile.Reshape[tile.F32T1[C]](sum.Sum0())))
}
