// Package wrong adds tiles of different shapes: the Go compiler refuses it, at the line of the call.
package wrong

import (
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tile/op"
)

func addF[T tile.FloatTile](x, y T) T { return op.AddF(x, y, op.NearestEven, false) }

func extents[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], y tile.In[tile.F32T2[B, A]], z tile.Out[tile.F32T2[A, B]]) {
	z.Store(addF(x.Load(0, 0), y.Load(0, 0))) // want "in call to addF, type tile.F32T2[B, A] of y.Load(0, 0) does not match inferred type tile.F32T2[A, B] for T"
}

func ranks[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T2[A, B]]) {
	z.Store(addF(x.Load(0, 0), y.Load(0))) // want "in call to addF, type tile.F32T1[B] of y.Load(0) does not match inferred type tile.F32T2[A, B] for T"
}

func elements[A tile.Dim](x tile.In[tile.F32T1[A]], y tile.In[tile.F16T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(addF(x.Load(0), y.Load(0))) // want "in call to addF, type tile.F16T1[A] of y.Load(0) does not match inferred type tile.F32T1[A] for T"
}

func marks[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(op.AddF(x.Load(0), x.Load(0), op.Ordered, false)) // want "cannot use op.Ordered (constant 1 of int type op.FloatOrder) as op.Rounding value in argument to op.AddF"
}
