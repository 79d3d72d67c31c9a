package norm

import "github.com/cutile-go/cutile/tile"

// In the kernels of this file x, y and their gradients are [batch, channels, places], and what belongs to a channel is [channels]. A tile
// has R sequences, M channels and N places of them.

// inside tells which elements of the tile (i, j) lie inside of a tensor, apart from its channels.
func inside[R, M, N tile.Dim](i, j, batch, places int) tile.BoolTile3[R, M, N] {
	type all = tile.I32T3[R, M, N]
	b := tile.I32T1[R](i*tile.Extent[R]()) + tile.Iota[R]()
	p := tile.I32T1[N](j*tile.Extent[N]()) + tile.Iota[N]()
	return tile.BoolTile3[R, M, N](all(tile.Reshape[tile.I32T3[R, tile.D1, tile.D1]](b)) < all(batch) && all(p) < all(places))
}

// perChannel repeats a number for each channel.
func perChannel[R, N, M tile.Dim](v tile.F32T1[M]) tile.F32T3[R, M, N] {
	return tile.F32T3[R, M, N](tile.Reshape[tile.F32T3[tile.D1, M, tile.D1]](v))
}

// sumChannels adds up what a tile has of each channel.
func sumChannels[R, M, N tile.Dim](t tile.F32T3[R, M, N]) tile.F32T1[M] {
	return tile.Reshape[tile.F32T1[M]](t.Sum0().Sum2())
}

// Moments computes the mean of each channel, the mean square of what it is away from that, and rstd, which is 1/√(variance + eps). It
// makes one pass, and sums differences from the first element of each place of the tile; see [LayerLongRows]. A block has M channels.
//
//cutile:entry
func Moments[E tile.FloatElem, R, M, N tile.Dim](x tile.In[tile.FloatTile3[E, R, M, N]], mean, variance, rstd tile.Out[tile.F32T1[M]], eps float32) {
	type part = tile.F32T3[R, M, N]
	c, n := mean.Index(0), tile.F32T1[M](x.Len(0)*x.Len(2))
	first := part(x.Load(0, c, 0))
	var sum, squares, count part
	for i := range x.Tiles(0) {
		for j := range x.Tiles(2) {
			there := inside[R, M, N](i, j, x.Len(0), x.Len(2))
			d := tile.Where(there, part(x.Load(i, c, j))-first, 0)
			sum += d
			squares = tile.FMA(d, d, squares)
			count += tile.Where(there, part(1), 0)
		}
	}
	mu := sumChannels(tile.FMA(first, count, sum)) / n
	away := perChannel[R, N](mu) - first
	squares = tile.FMA(away, tile.FMA(away, count, -2*sum), squares)
	v := max(sumChannels(squares)/n, 0)
	mean.Store(mu)
	variance.Store(v)
	rstd.Store(tile.Rsqrt(v + tile.F32T1[M](eps)))
}

// Blend moves numbers by a part of their distance from fresh·factor. A block has B of them.
func Blend[B tile.Dim](fresh tile.In[tile.F32T1[B]], to tile.InOut[tile.F32T1[B]], factor, part float32) {
	i := tile.BlockID(0)
	was := to.Load(i)
	to.Store(tile.FMA(tile.F32T1[B](part), fresh.Load(i)*tile.F32T1[B](factor)-was, was), i)
}

// BatchRows computes y = (x - mean)/√(variance + eps)·w + b.
//
//cutile:entry
func BatchRows[E tile.FloatElem, R, M, N tile.Dim](x tile.In[tile.FloatTile3[E, R, M, N]], mean, variance tile.In[tile.F32T1[M]],
	w, b tile.In[tile.FloatTile1[E, M]], y tile.Out[tile.FloatTile3[E, R, M, N]], eps float32) {
	i, c, j := y.Index(0), y.Index(1), y.Index(2)
	scale := tile.Rsqrt(variance.Load(c)+tile.F32T1[M](eps)) * tile.F32T1[M](w.Load(c))
	d := tile.F32T3[R, M, N](x.Load(i, c, j)) - perChannel[R, N](mean.Load(c))
	y.Store(tile.FloatTile3[E, R, M, N](tile.FMA(d, perChannel[R, N](scale), perChannel[R, N](tile.F32T1[M](b.Load(c))))))
}

// BatchBackwardRows computes the gradients of [BatchRows] where mean and variance are those of x: with h = (x - mean)·rstd and n elements of
// a channel,
//
//	dw = Σ dy·h        db = Σ dy        dx = (dy - db/n - h·dw/n)·w·rstd
//
// A block has M channels and makes two passes over them.
func BatchBackwardRows[E tile.FloatElem, R, M, N tile.Dim](dy, x tile.In[tile.FloatTile3[E, R, M, N]], w tile.In[tile.FloatTile1[E, M]],
	mean, rstd tile.In[tile.F32T1[M]], dx tile.InOut[tile.FloatTile3[E, R, M, N]], dw, db tile.InOut[tile.FloatTile1[E, M]]) {
	type part = tile.F32T3[R, M, N]
	c, n := tile.BlockID(0), tile.F32T1[M](x.Len(0)*x.Len(2))
	mu, r := perChannel[R, N](mean.Load(c)), perChannel[R, N](rstd.Load(c))
	var along, common part
	for i := range x.Tiles(0) {
		for j := range x.Tiles(2) {
			d := part(dy.Load(i, c, j)) // 0 outside, so that h does not matter there
			along = tile.FMA(d, (part(x.Load(i, c, j))-mu)*r, along)
			common += d
		}
	}
	gw, gb := sumChannels(along), sumChannels(common)
	dw.Store(tile.FloatTile1[E, M](gw), c)
	db.Store(tile.FloatTile1[E, M](gb), c)
	a, m := perChannel[R, N](gw/n), perChannel[R, N](gb/n)
	scale := perChannel[R, N](tile.F32T1[M](w.Load(c)) * rstd.Load(c))
	for i := range x.Tiles(0) {
		for j := range x.Tiles(2) {
			h := (part(x.Load(i, c, j)) - mu) * r
			dx.Store(tile.FloatTile3[E, R, M, N]((part(dy.Load(i, c, j))-m-h*a)*scale), i, c, j)
		}
	}
}
