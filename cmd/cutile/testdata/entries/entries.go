// Package entries has kernels for which cutile gen writes launch functions.
package entries

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

//go:generate cutile gen

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

// Scale multiplies by a number of the host.
//
//cutile:entry
func Scale[B tile.Dim](x tile.In[tile.F32T1[B]], by float32, z tile.Out[tile.F32T1[B]]) {
	z.Store(x.Load(z.Index(0)) * tile.F32T1[B](by))
}

// convert changes the element; its tiles are type parameters.
//
//cutile:entry
func convert[A, B tile.Dim, E tile.FloatElem](x tile.In[tile.FloatTile2[E, A, B]], z tile.Out[tile.F16T2[A, B]]) {
	z.Store(tile.F16T2[A, B](x.Load(z.Index(0), z.Index(1))))
}

// double takes tiles of any type.
//
//cutile:entry
func double[T tile.FloatTile](x tile.In[T], on tile.Out[T]) {
	on.Store(x.Load(on.Index(0)) * 2)
}

// fill has parameters of each other kind: a pointer, a dimension without an argument, scalars and a function.
//
//cutile:entry
func fill[B tile.Dim](_ tile.Size[B], p tile.Ptr[int32], n int, at tile.I64, half dtype.Float16, on bool, f func(tile.I32T1[B]) tile.I32T1[B]) {
	i := tile.Iota[B]() + tile.I32T1[B](tile.I32(tile.BlockID(0)*tile.Extent[B]()))
	tile.Scatter(p, i, f(i), i < tile.I32T1[B](tile.I32(n)))
}

// unroll puts the rows of a matrix one behind another and gives f the right half of each; the extents follow from A and B.
//
//cutile:entry
func unroll[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], flat tile.Out[tile.F32T1[tile.Product[A, B]]],
	right tile.InOut[tile.F32T2[A, tile.Quotient[B, tile.D2]]], f func(tile.F32T2[A, tile.Quotient[B, tile.D2]]) tile.F32T2[A, tile.Quotient[B, tile.D2]]) {
	v := x.Load(flat.Index(0), 0)
	flat.Store(tile.Reshape[tile.F32T1[tile.Product[A, B]]](v))
	right.Store(f(tile.Extract[tile.F32T2[A, tile.Quotient[B, tile.D2]]](v, 0, 1)), flat.Index(0), 0)
}

func negative[A, B tile.Dim](x tile.F32T2[A, B]) tile.F32T2[A, B] { return -x }

func square[B tile.Dim](x tile.I32T1[B]) tile.I32T1[B] { return x * x }

// Pair is what a parameter may be: a struct, with exported fields too.
type Pair[B tile.Dim] struct {
	X  tile.In[tile.F32T1[B]]
	by float32
}

// Combine takes structs and arrays: one of views, one of numbers, one of dimensions, which a launch does not give, and one of
// structs.
//
//cutile:entry
func Combine[B tile.Dim](a Pair[B], more [2]tile.In[tile.F32T1[B]], add [3]int32, _ [2]tile.Size[B], pairs [2]Pair[B], z tile.Out[tile.F32T1[B]]) {
	i := z.Index(0)
	v := a.X.Load(i)*tile.F32T1[B](a.by) + more[0].Load(i) + more[1].Load(i) + tile.F32T1[B](tile.F32(add[0]+add[1]+add[2]))
	for _, p := range pairs {
		v += p.X.Load(i) * tile.F32T1[B](p.by)
	}
	z.Store(v)
}

// helper is no entry.
func helper[B tile.Dim](x tile.In[tile.F32T1[B]]) {}
