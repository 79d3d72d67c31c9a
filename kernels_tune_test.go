package cutile_test

import "github.com/cutile-go/cutile/tile"

// triple multiplies by 3, as the others of its kind do, or should.
func triple[N tile.Dim](x tile.In[tile.F32T1[N]], z tile.Out[tile.F32T1[N]]) {
	z.Store(x.Load(z.Index(0)) * 3)
}

// tripleSlowly is triple with work that changes nothing.
func tripleSlowly[N tile.Dim](x tile.In[tile.F32T1[N]], z tile.Out[tile.F32T1[N]]) {
	v := x.Load(z.Index(0))
	for range 300 {
		v = tile.Sqrt(v * v)
	}
	z.Store(v * 3)
}

// tripleRoughly rounds in another way.
func tripleRoughly[N tile.Dim](x tile.In[tile.F32T1[N]], z tile.Out[tile.F32T1[N]]) {
	z.Store(x.Load(z.Index(0)) / 0.33334)
}

// tripleWrong is wrong in one element.
func tripleWrong[N tile.Dim](x tile.In[tile.F32T1[N]], z tile.Out[tile.F32T1[N]]) {
	v := x.Load(z.Index(0)) * 3
	z.Store(tile.Where(v == 300, v+1, v))
}

// triplePart writes the first block alone.
func triplePart[N tile.Dim](x tile.In[tile.F32T1[N]], z tile.Out[tile.F32T1[N]]) {
	if z.Index(0) == 0 {
		z.Store(x.Load(z.Index(0)) * 3)
	}
}

// tripleAsserts fails.
func tripleAsserts[N tile.Dim](x tile.In[tile.F32T1[N]], z tile.Out[tile.F32T1[N]]) {
	tile.Assert(z.Index(0) > z.Len(0), "no block may run")
	z.Store(x.Load(z.Index(0)) * 3)
}

// tripleNever does not end.
func tripleNever[N tile.Dim](x tile.In[tile.F32T1[N]], z tile.Out[tile.F32T1[N]]) {
	v := x.Load(z.Index(0))
	for n := z.Len(0); n > 0; n |= 1 {
		v += 1
	}
	z.Store(v)
}
