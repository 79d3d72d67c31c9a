package paritytest_test

import "github.com/cutile-go/cutile/tile"

// The kernels of this file show features that other projects for tile kernels have.

// squareRoot fails two calls below the kernel.
func squareRoot[A tile.Dim](x vec[A]) vec[A] {
	tile.Assert(x >= 0, "the root of less than nothing") // fails
	return tile.Sqrt(x)                                  // roots
}

func leg[A tile.Dim](long, short vec[A]) vec[A] {
	return squareRoot(long*long - short*short) // calls
}

func legs[A tile.Dim](long, short tile.In[vec[A]], z tile.Out[vec[A]]) {
	i := z.Index(0)
	z.Store(leg(long.Load(i), short.Load(i))) // launched
}

// folded cannot be compiled, for a reason two calls below the kernel.
func folded[A tile.Dim](x vec[A], f func(a, b tile.F32) tile.F32) vec[A] {
	parts := []vec[A]{x}
	return parts[int(x.Fold0(0, f))] // mistaken
}

func foldedTwice[A tile.Dim](x vec[A]) vec[A] {
	return folded(x, func(a, b tile.F32) tile.F32 { return a + b }) // folds
}

func mistaken[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	z.Store(foldedTwice(x.Load(z.Index(0)))) // begins
}

// meets adds up what every block has in one tile, and keeps the greatest in another.
func meets[A tile.Dim](x tile.In[tile.I32T1[A]], sum, peak tile.InOut[tile.I32T1[A]]) {
	v := x.Load(tile.BlockID(0))
	sum.Accumulate(tile.RMWAdd, v, 0)
	peak.AccumulateIn(tile.RMWMax, tile.DeviceScope, v, 0)
}

// summedAt calls the user's function of the constraint summer at ranks 1 to 4.
func summedAt[A, B, C, D tile.Dim](x1 tile.In[tile.F32T1[A]], x2 tile.In[tile.F32T2[A, B]], x3 tile.In[tile.F32T3[A, B, C]],
	x4 tile.In[tile.F32T4[A, B, C, D]], z1 tile.Out[tile.F32T1[tile.D1]], z2 tile.Out[tile.F32T2[tile.D1, B]],
	z3 tile.Out[tile.F32T3[tile.D1, B, C]], z4 tile.Out[tile.F32T4[tile.D1, B, C, D]]) {
	z1.Store(summed(x1.Load(0)))
	z2.Store(summed(x2.Load(0, 0)))
	z3.Store(summed(x3.Load(0, 0, 0)))
	z4.Store(summed(x4.Load(0, 0, 0, 0)))
}
