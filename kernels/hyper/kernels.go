package hyper

import "github.com/cutile-go/cutile/tile"

// The kernels of this file have the streams of a token in a tile of S rows, and N elements of each at a time.

// Width computes x[t] = Σ a[t, s, 0]·h[t, s] and kept[t, c] = Σ a[t, s, c+1]·h[t, s] over the streams s. The grid is the tokens and the tiles of
// a stream.
func Width[E tile.FloatElem, S, N tile.Dim](h tile.In[tile.FloatTile3[E, tile.D1, S, N]], a tile.In[tile.F32T3[tile.D1, S, tile.D1]],
	x tile.InOut[tile.FloatTile2[E, tile.D1, N]], kept tile.InOut[tile.FloatTile3[E, tile.D1, tile.D1, N]]) {
	t, j := tile.BlockID(0), tile.BlockID(1)
	streams := tile.F32T2[S, N](tile.Reshape[tile.FloatTile2[E, S, N]](h.Load(t, 0, j)))
	for c := range a.Len(2) {
		factors := tile.Reshape[tile.F32T2[S, tile.D1]](a.Load(t, 0, c))
		sum := tile.FloatTile2[E, tile.D1, N]((streams * tile.F32T2[S, N](factors)).Sum0())
		if c == 0 {
			x.Store(sum, t, j)
		} else {
			kept.Store(tile.Reshape[tile.FloatTile3[E, tile.D1, tile.D1, N]](sum), t, c-1, j)
		}
	}
}

// Depth computes h[t, s] = kept[t, s] + b[t, s]·y[t].
//
//cutile:entry
func Depth[E tile.FloatElem, S, N tile.Dim](y tile.In[tile.FloatTile2[E, tile.D1, N]], b tile.In[tile.F32T2[tile.D1, S]],
	kept tile.In[tile.FloatTile3[E, tile.D1, S, N]], h tile.Out[tile.FloatTile3[E, tile.D1, S, N]]) {
	type some = tile.F32T2[S, N]
	t, j := h.Index(0), h.Index(2)
	sum := some(tile.Reshape[tile.FloatTile2[E, S, N]](kept.Load(t, 0, j))) + some(tile.F32T2[tile.D1, N](y.Load(t, j)))*some(b.Load(t, 0).T())
	h.Store(tile.Reshape[tile.FloatTile3[E, tile.D1, S, N]](tile.FloatTile2[E, S, N](sum)))
}

// Factors computes factors of each token: ab[t, s, c] = static[s, c] + scale[c]·tanh(the product of column c of w and the stream s, divided by
// the root of the mean of its squares). The grid is the tokens.
func Factors[E tile.FloatElem, S, N tile.Dim](h tile.In[tile.FloatTile3[E, tile.D1, S, N]], w tile.In[tile.FloatTile2[E, N, tile.D1]],
	static tile.In[tile.F32T2[S, tile.D1]], scale tile.In[tile.F32T1[tile.D1]], ab tile.InOut[tile.F32T3[tile.D1, S, tile.D1]], eps float32) {
	type column = tile.F32T2[S, tile.D1]
	t := tile.BlockID(0)
	load := func(j int) tile.F32T2[S, N] {
		return tile.F32T2[S, N](tile.Reshape[tile.FloatTile2[E, S, N]](h.Load(t, 0, j)))
	}
	var squares column
	for j := range h.Tiles(2) {
		v := load(j)
		squares += (v * v).Sum1()
	}
	over := tile.Rsqrt(squares/column(float32(h.Len(2))) + column(eps))
	for c := range ab.Len(2) {
		var sum column
		for j := range h.Tiles(2) {
			sum += (load(j) * tile.F32T2[S, N](tile.F32T2[N, tile.D1](w.Load(j, c)).T())).Sum1()
		}
		v := static.Load(0, c) + column(scale.Load(c))*tile.Tanh(sum*over)
		ab.Store(tile.Reshape[tile.F32T3[tile.D1, S, tile.D1]](v), t, 0, c)
	}
}
