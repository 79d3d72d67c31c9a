package cutile_test

import "github.com/cutile-go/cutile/tile"

// firstOnly sums all tiles, or takes the first one.
//
//cutile:nochecks
func firstOnly[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]], c bool) {
	n := x.Tiles(0)
	if c {
		n = 1
	}
	var v tile.F32T1[A]
	for j := range n {
		v += x.Load(j)
	}
	z.Store(v)
}

// causalSum sums the tiles up to its own.
//
//cutile:nochecks
func causalSum[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]], causal bool) {
	last := x.Tiles(0)
	if causal {
		last = min(z.Index(0)+1, x.Tiles(0))
	}
	var v tile.F32T1[A]
	for j := range last {
		v += x.Load(j)
	}
	z.Store(v)
}

// nestedBounds joins bounds at branches in branches, on conditions that no launch knows.
//
//cutile:nochecks
func nestedBounds[A tile.Dim](x tile.In[tile.F32T1[A]], at tile.In[tile.I32T1[tile.D1]], z tile.Out[tile.F32T1[A]]) {
	k := int(tile.Reshape[tile.I32](at.Load(0)))
	first, n := 0, x.Tiles(0)
	if k > 0 {
		if k > 1 {
			first = 1
		} else {
			n = x.Tiles(0) / 2
		}
	} else if k < -1 {
		n = min(max(k, 0), x.Tiles(0))
	}
	var v tile.F32T1[A]
	for j := first; j < n; j++ {
		v += x.Load(j)
	}
	z.Store(v)
}

// switchedBounds takes its bound from a switch.
//
//cutile:nochecks
func switchedBounds[A tile.Dim](x tile.In[tile.F32T1[A]], at tile.In[tile.I32T1[tile.D1]], z tile.Out[tile.F32T1[A]]) {
	n := 0
	switch k := int(tile.Reshape[tile.I32](at.Load(0))); {
	case k == 1, k == 3:
		n = 1
	case k < x.Tiles(0) && k > 1:
		n = min(2, x.Tiles(0))
	default:
		n = x.Tiles(0)
	}
	var v tile.F32T1[A]
	for j := range n {
		v += x.Load(j)
	}
	z.Store(v)
}

// unboundedBranches has two branches that nothing bounds.
//
//cutile:nochecks
func unboundedBranches[A tile.Dim](x tile.In[tile.F32T1[A]], at tile.In[tile.I32T1[tile.D1]], z tile.Out[tile.F32T1[A]]) {
	n := int(tile.Reshape[tile.I32](at.Load(0)))
	if n > 3 {
		n = n / 2 * 2
	}
	var v tile.F32T1[A]
	for j := range n {
		v += x.Load(j)
	}
	z.Store(v)
}

// outsideBranch has a branch that leaves the tensor, by one tile.
//
//cutile:nochecks
func outsideBranch[A tile.Dim](x tile.In[tile.F32T1[A]], at tile.In[tile.I32T1[tile.D1]], z tile.Out[tile.F32T1[A]], never bool) {
	n := x.Tiles(0)
	if never || int(tile.Reshape[tile.I32](at.Load(0))) > 5 {
		n++
	}
	var v tile.F32T1[A]
	for j := range n {
		v += x.Load(j)
	}
	z.Store(v)
}

// outsideIfSaid leaves the tensor where the launch says so.
//
//cutile:nochecks
func outsideIfSaid[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]], leave bool, by int) {
	n := x.Tiles(0)
	if leave && by > 2 {
		n += by
	}
	var v tile.F32T1[A]
	for j := range n {
		v += x.Load(j)
	}
	z.Store(v)
}
