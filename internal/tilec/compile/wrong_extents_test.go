package compile_test

import "github.com/cutile-go/cutile/tile"

// wrongExtents are the kernels below: extents that follow from others, and do not exist or do not fit.
var wrongExtents = []any{
	halfOfOne[tile.D1], productTooLarge[tile.D4096, tile.D32], halfOfQuarter[tile.D2], deepInside[tile.D2], sizeOfNone[tile.D2], functionOfNone[tile.D1],
	fieldOfNone[tile.D8], givenQuotient[tile.Quotient[tile.D2, tile.D4]], extentOfNone[tile.D2, tile.D4], variableOfNone[tile.D2], conversionToNone[tile.D2],
	countsTooFar[tile.D65536], helperOfNone[tile.D2], reshapesToHalf[tile.D8], halvesAdded[tile.D8], maskOfHalf[tile.D8], extentOfInterface,
	viewOfNone[tile.D2], tooManyElements[tile.D4096],
}

func halfOfOne[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[tile.Quotient[A, tile.D2]]]) { // want 54 "parameter z: tile.Quotient[tile.D1, tile.D2] is 1/2, which is not a whole number: choose an extent that 2 divides"
}

func productTooLarge[A, B tile.Dim](z tile.Out[tile.F32T1[tile.Product[A, B]]]) {} // want 37 "parameter z: tile.Product[tile.D4096, tile.D32] is 4096·32 = 131072, but an extent is at most 65536: choose smaller ones"

type quarter[A tile.Dim] = tile.Quotient[tile.Quotient[A, tile.D2], tile.D2]

func halfOfQuarter[A tile.Dim](x tile.In[tile.F32T1[quarter[A]]]) {} // want 32 "parameter x: tile.Quotient[tile.Quotient[tile.D2, tile.D2], tile.D2] is 1/2, which is not a whole number"

func deepInside[A tile.Dim](z tile.Out[tile.F32T1[tile.Product[tile.Quotient[A, tile.D8], tile.D8]]]) { // want 29 "parameter z: tile.Quotient[tile.D2, tile.D8] is 2/8, which is not a whole number: choose an extent that 8 divides"
}

func sizeOfNone[A tile.Dim](z tile.Out[tile.F32T1[A]], _ tile.Size[tile.Quotient[A, tile.D8]]) {} // want 56 "parameter _: tile.Quotient[tile.D2, tile.D8] is 2/8"

func functionOfNone[A tile.Dim](z tile.Out[tile.F32T1[A]], f func(tile.F32T1[A]) tile.F32T1[tile.Quotient[A, tile.D2]]) { // want 60 "parameter f: tile.Quotient[tile.D1, tile.D2] is 1/2"
	z.Store(1)
}

type halves[A tile.Dim] struct {
	x tile.In[tile.F32T1[tile.Quotient[A, tile.D2]]]
	y tile.In[tile.F32T1[tile.Quotient[A, tile.D16]]] // want 2 "parameter h.y: tile.Quotient[tile.D8, tile.D16] is 8/16"
}

func fieldOfNone[A tile.Dim](h halves[A], z tile.Out[tile.F32T1[A]]) {}

func givenQuotient[A tile.Dim](z tile.Out[tile.F32T1[A]]) { z.Store(1) } // want 32 "parameter z: tile.Quotient[tile.D2, tile.D4] is 2/4, which is not a whole number: choose an extent that 4 divides"

func extentOfNone[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], z tile.Out[tile.F32T2[A, B]]) {
	z.Store(x.Load(0, 0) * tile.F32T2[A, B](tile.F32(tile.Extent[tile.Quotient[A, B]]()))) // want 51 "tile.Quotient[tile.D2, tile.D4] is 2/4, which is not a whole number: choose an extent that 4 divides"
}

func variableOfNone[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	var v tile.F32T1[tile.Quotient[A, tile.D4]] // want 2 "tile.Quotient[tile.D2, tile.D4] is 2/4"
	_ = v
	z.Store(x.Load(0))
}

func conversionToNone[A tile.Dim](x tile.In[tile.F32T1[tile.D1]], z tile.Out[tile.F32T1[A]]) {
	v := tile.F32T1[tile.Quotient[A, tile.D4]](x.Load(0)) // want 7 "tile.Quotient[tile.D2, tile.D4] is 2/4"
	z.Store(tile.F32T1[A](v.Sum0()))
}

func countsTooFar[A tile.Dim](z tile.Out[tile.F32T1[A]]) {
	i := tile.Iota[tile.Product[A, tile.D2]]() // want 7 "tile.Product[tile.D65536, tile.D2] is 65536·2 = 131072, but an extent is at most 65536: choose smaller ones"
	z.Store(tile.F32T1[A](tile.F32T1[tile.D1](i.Max0())))
}

func helperOfNone[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(x.Load(0) * tile.F32T1[A](tile.Reshape[tile.F32](quarters(x.Load(0)))))
}

func quarters[A tile.Dim](x tile.F32T1[A]) tile.F32T2[tile.D1, tile.D1] {
	return tile.Reshape[tile.F32T2[tile.D4, tile.Quotient[A, tile.D4]]](x).Sum0().Sum1() // want 9 "tile.Quotient[tile.D2, tile.D4] is 2/4"
}

func reshapesToHalf[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	v := tile.Reshape[tile.F32T2[tile.D4, tile.Quotient[A, tile.D2]]](x.Load(0)) // want 7 "Reshape from [8] to [4 4] changes the number of elements"
	z.Store(tile.Reshape[tile.F32T1[A]](v))
}

func halvesAdded[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	h := tile.Extract[tile.F32T1[tile.Quotient[A, tile.D2]]](x.Load(0), 0)
	z.Store(tile.F32T1[A](h)) // want 10 "cannot change shape [4] to [8]"
}

func maskOfHalf[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	h := tile.Extract[tile.F32T1[tile.Quotient[A, tile.D2]]](x.Load(0), 0)
	z.Store(tile.Where(h > 0, x.Load(0), 0)) // want 10 "Where: the shapes [4] and [8] differ"
}

func extentOfInterface(x tile.In[tile.F32T1[tile.Product[tile.Dim, tile.D2]]]) {} // want 24 "the extents of tile.In[tile.F32T1[tile.Product[tile.Dim, tile.D2]]] must be known: write dimensions such as tile.D16, or type parameters of constraint tile.Dim"

func viewOfNone[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(tile.F32T1[A](tile.WindowsOf[tile.F32T1[tile.Quotient[A, tile.D4]]](x, 1).Load(0).Sum0())) // want 24 "tile.Quotient[tile.D2, tile.D4] is 2/4"
}

func tooManyElements[A tile.Dim](z tile.Out[tile.F32T2[tile.Product[A, tile.D2], A]]) {} // want 34 "parameter z: a tile of shape [8192 4096] has more than 16777216 elements"
