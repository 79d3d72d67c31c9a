package conformance

import (
	"math"

	"github.com/cutile-go/cutile/tile"
)

// The kernels of this file change shapes.

func copy1[T tile.Tile](x tile.In[T], z tile.Out[T]) { z.Store(x.Load(z.Index(0))) }

func copy2[T tile.Tile](x tile.In[T], z tile.Out[T]) { z.Store(x.Load(z.Index(0), z.Index(1))) }

func copy3[T tile.Tile](x tile.In[T], z tile.Out[T]) {
	z.Store(x.Load(z.Index(0), z.Index(1), z.Index(2)))
}

func copy4[T tile.Tile](x tile.In[T], z tile.Out[T]) {
	z.Store(x.Load(z.Index(0), z.Index(1), z.Index(2), z.Index(3)))
}

// spreads stores a vector and a scalar as tiles of rank 2, 3 and 4.
func spreads[A, B, C, D tile.Dim](row tile.In[tile.F32T1[D]], col tile.In[tile.F32T2[C, tile.D1]], cube tile.In[tile.F32T3[B, tile.D1, D]], s float32,
	z2 tile.InOut[tile.F32T2[C, D]], z3 tile.InOut[tile.F32T3[B, C, D]], z4 tile.InOut[tile.F32T4[A, B, C, D]]) {
	r, c, q := row.Load(0), col.Load(0, 0), cube.Load(0, 0, 0)
	z2.Store(tile.F32T2[C, D](r)+tile.F32T2[C, D](c)+tile.F32T2[C, D](s), 0, 0)
	z3.Store(tile.F32T3[B, C, D](r)*2+tile.Broadcast[tile.F32T3[B, C, D]](c)+tile.F32T3[B, C, D](q), 0, 0, 0)
	z4.Store(tile.F32T4[A, B, C, D](q)+tile.Broadcast[tile.F32T4[A, B, C, D]](r)+tile.F32T4[A, B, C, D](tile.F32(s)), 0, 0, 0, 0)
}

func spreadInts[A, B tile.Dim](n int, x tile.In[tile.I32T1[B]], z tile.Out[tile.I64T2[A, B]], w tile.Out[tile.U8T2[A, B]]) {
	v := x.Load(z.Index(1))
	z.Store(tile.I64T2[A, B](v) * tile.I64T2[A, B](n))
	w.Store(tile.U8T2[A, B](tile.U8T1[B](v)) + tile.U8T2[A, B](7))
}

// reshapes goes through all ranks and back.
func reshapes(x tile.In[tile.F32T4[tile.D2, tile.D4, tile.D2, tile.D8]], z tile.Out[tile.F32T1[tile.D128]], w tile.Out[tile.F32T1[tile.D128]]) {
	v := x.Load(z.Index(0), 0, 0, 0)
	a := tile.Reshape[tile.F32T3[tile.D8, tile.D2, tile.D8]](v)
	b := tile.Reshape[tile.F32T2[tile.D16, tile.D8]](a.T()).T()
	z.Store(tile.Reshape[tile.F32T1[tile.D128]](b))
	w.Store(tile.Reshape[tile.F32T1[tile.D128]](tile.Reshape[tile.F32T4[tile.D1, tile.D128, tile.D1, tile.D1]](v)))
}

func reshapeOne(x tile.In[tile.I16T2[tile.D1, tile.D1]], z tile.Out[tile.I16T1[tile.D1]]) {
	s := tile.Reshape[tile.I16](x.Load(z.Index(0), 0))
	z.Store(tile.Reshape[tile.I16T1[tile.D1]](s + 1))
}

func transpose[E tile.FloatElem, A, B tile.Dim](x tile.In[tile.FloatTile2[E, A, B]], z tile.Out[tile.FloatTile2[E, B, A]]) {
	z.Store(x.Load(z.Index(1), z.Index(0)).T())
}

// symmetric adds a square of one tile to its transpose.
func symmetric[A tile.Dim](x tile.In[tile.F32T2[A, A]], z tile.Out[tile.F32T2[A, A]]) {
	v := x.Load(z.Index(0), z.Index(1))
	z.Store(v + tile.Permute[tile.F32T2[A, A]](v, 1, 0))
}

func transposeBytes[A, B tile.Dim](x tile.In[tile.U8T2[A, B]], z tile.Out[tile.U8T2[B, A]]) {
	z.Store(x.Load(z.Index(1), z.Index(0)).T())
}

func transposeLast[A, B, C, D tile.Dim](x tile.In[tile.I32T4[A, B, C, D]], z tile.Out[tile.I32T4[A, B, D, C]]) {
	z.Store(x.Load(z.Index(0), z.Index(1), z.Index(3), z.Index(2)).T())
}

func transposeMask[A, B tile.Dim](x tile.In[tile.I8T2[A, B]], z tile.Out[tile.I8T2[B, A]]) {
	m := tile.BoolTile2[A, B](x.Load(z.Index(1), z.Index(0)) > 0)
	z.Store(tile.Where(m.T(), tile.I8T2[B, A](1), 0))
}

func permute021[A, B, C tile.Dim](x tile.In[tile.F32T3[A, B, C]], z tile.Out[tile.F32T3[A, C, B]]) {
	z.Store(tile.Permute[tile.F32T3[A, C, B]](x.Load(z.Index(0), z.Index(2), z.Index(1)), 0, 2, 1))
}

func permute102[A, B, C tile.Dim](x tile.In[tile.F32T3[A, B, C]], z tile.Out[tile.F32T3[B, A, C]]) {
	z.Store(tile.Permute[tile.F32T3[B, A, C]](x.Load(z.Index(1), z.Index(0), z.Index(2)), 1, 0, 2))
}

func permute120[A, B, C tile.Dim](x tile.In[tile.F32T3[A, B, C]], z tile.Out[tile.F32T3[B, C, A]]) {
	z.Store(tile.Permute[tile.F32T3[B, C, A]](x.Load(z.Index(2), z.Index(0), z.Index(1)), 1, 2, 0))
}

func permute201[A, B, C tile.Dim](x tile.In[tile.F32T3[A, B, C]], z tile.Out[tile.F32T3[C, A, B]]) {
	z.Store(tile.Permute[tile.F32T3[C, A, B]](x.Load(z.Index(1), z.Index(2), z.Index(0)), 2, 0, 1))
}

func permute210[A, B, C tile.Dim](x tile.In[tile.F32T3[A, B, C]], z tile.Out[tile.F32T3[C, B, A]]) {
	z.Store(tile.Permute[tile.F32T3[C, B, A]](x.Load(z.Index(2), z.Index(1), z.Index(0)), 2, 1, 0))
}

func permute3201[A, B, C, D tile.Dim](x tile.In[tile.F32T4[A, B, C, D]], z tile.Out[tile.F32T4[D, C, A, B]]) {
	z.Store(tile.Permute[tile.F32T4[D, C, A, B]](x.Load(z.Index(2), z.Index(3), z.Index(1), z.Index(0)), 3, 2, 0, 1))
}

func permute1032[A, B, C, D tile.Dim](x tile.In[tile.F32T4[A, B, C, D]], z tile.Out[tile.F32T4[B, A, D, C]]) {
	z.Store(tile.Permute[tile.F32T4[B, A, D, C]](x.Load(z.Index(1), z.Index(0), z.Index(3), z.Index(2)), 1, 0, 3, 2))
}

func count[T tile.IntTile](z tile.Out[T]) { z.Store(tile.IotaOf[T]() + 3) }

// counts makes places of an index, an Iota and extents.
func counts[A, B tile.Dim](z tile.Out[tile.I32T2[A, B]], w tile.Out[tile.I32T2[A, B]]) {
	i := tile.I32T1[A](z.Index(0)*tile.Extent[A]()) + tile.Iota[A]()
	j := tile.I32T1[B](z.Index(1)*tile.Extent[B]()) + tile.Iota[B]()
	z.Store(tile.I32T2[A, B](tile.Reshape[tile.I32T2[A, tile.D1]](i))*100 + tile.I32T2[A, B](j))
	w.Store(tile.Full(tile.I32T2[A, B](tile.Extent[A]()*1000 + tile.Extent[B]())))
}

// zeros stores the zero value of a tile, and constants.
func zeros[T tile.NumTile](z, one tile.Out[T]) {
	var v T
	z.Store(v)
	one.Store(1)
}

func choose[T tile.Tile](c tile.In[tile.I8T1[tile.D16]], x, y tile.In[T], z tile.Out[T]) {
	i := z.Index(0)
	z.Store(tile.Where(c.Load(i) != 0, x.Load(i), y.Load(i)))
}

// padded loads the tile beside a ragged end, with each padding.
//
//cutile:outside
func padded[T tile.FloatTile](x tile.In[T], zero, inf, minus, nan, plain, soon, negative tile.InOut[T]) {
	i := x.Tiles(0) - 1
	zero.Store(x.LoadPad(0, i), 0)
	inf.Store(x.LoadPad(math.Inf(1), i), 0)
	minus.Store(x.LoadPad(math.Inf(-1), i), 0)
	nan.Store(x.LoadPad(math.NaN(), i), 0)
	plain.Store(x.Load(i+1), 0)
	soon.Store(x.LoadSoon(4, i), 0)
	negative.Store(x.LoadPad(math.Copysign(0, -1), i), 0)
}

// extents stores what views say of themselves.
func extents[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], y tile.InOut[tile.F32T2[B, A]], z tile.Out[tile.I64T1[tile.D16]]) {
	var v tile.I64T1[tile.D16]
	for i, n := range []int{x.Len(0), x.Len(1), x.Tiles(0), x.Tiles(1), y.Len(0), y.Len(1), y.Tiles(0), y.Tiles(1), z.Len(0), z.Tiles(0)} {
		v = tile.Where(tile.Iota[tile.D16]() == tile.I32T1[tile.D16](i), tile.I64T1[tile.D16](n), v)
	}
	z.Store(v)
}

// blocks stores each block's place in the grid and the grid's size.
func blocks(z tile.InOut[tile.I32T4[tile.D1, tile.D1, tile.D1, tile.D8]]) {
	i := tile.Iota[tile.D8]()
	v := tile.I32T1[tile.D8](0)
	for _, axis := range []int{0, 1, 2} { // a loop over a list is unrolled, so that the axis is a constant
		v = tile.Where(i == tile.I32T1[tile.D8](axis), tile.I32T1[tile.D8](tile.BlockID(axis)), v)
		v = tile.Where(i == tile.I32T1[tile.D8](axis+4), tile.I32T1[tile.D8](tile.NumBlocks(axis)), v)
	}
	z.Store(tile.Reshape[tile.I32T4[tile.D1, tile.D1, tile.D1, tile.D8]](v), tile.BlockID(2), tile.BlockID(1), tile.BlockID(0), 0)
}

// indexes stores the index of each tile of rank 4, where the leading axes share x.
func indexes[A, B, C, D tile.Dim](z tile.Out[tile.I32T4[A, B, C, D]]) {
	z.Store(tile.I32T4[A, B, C, D](z.Index(0)*1000 + z.Index(1)*100 + z.Index(2)*10 + z.Index(3)))
}

func masksInMemory[A tile.Dim](x tile.In[tile.BoolTile1[A]], y tile.In[tile.F32T1[A]], z tile.Out[tile.BoolTile1[A]]) {
	i := z.Index(0)
	z.Store(!x.Load(i) && tile.BoolTile1[A](y.Load(i) > 0))
}

// rankZero has a view of rank 0, which Tile IR lacks.
func rankZero(x tile.In[tile.F32], z tile.Out[tile.F32T1[tile.D8]]) {
	z.Store(tile.F32T1[tile.D8](x.Load()))
}
