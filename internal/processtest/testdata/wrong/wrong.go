// Package wrong holds mistakes that the Go compiler itself refuses. A comment "want" gives a part of its message.
package wrong

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

type (
	row[N tile.Dim]    = tile.F32T1[N]
	mat[M, N tile.Dim] = tile.F32T2[M, N]
)

func sumShapes[A, B tile.Dim](x tile.In[row[A]], y tile.In[row[B]], z tile.Out[row[A]]) {
	z.Store(x.Load(0) + y.Load(0)) // want "mismatched types"
}

func elementTypes[A tile.Dim](x tile.In[tile.F16T1[A]], z tile.Out[row[A]]) {
	z.Store(x.Load(0)) // want "cannot use x.Load(0)"
}

func dotInner[M, N, K tile.Dim](a tile.In[mat[M, K]], b tile.In[mat[N, K]], c tile.Out[mat[M, N]]) {
	c.Store(tile.Dot(a.Load(0, 0), b.Load(0, 0), mat[M, N](0))) // want "does not match"
}

func keptAxis[M, N tile.Dim](x tile.In[mat[M, N]], z tile.Out[mat[D, N]]) {
	z.Store(x.Load(0, 0).Sum1()) // want "cannot use"
}

// D is a dimension.
type D = tile.D1

func maxShapes[M, N tile.Dim](x tile.In[mat[M, N]], z tile.Out[mat[M, N]]) {
	z.Store(max(x.Load(0, 0), x.Load(0, 0).T())) // want "mismatched types"
}

func shiftFloat[A tile.Dim](x tile.In[row[A]], z tile.Out[row[A]]) {
	z.Store(x.Load(0) << 2) // want "shifted operand"
}

func expOfInts[A tile.Dim](x tile.In[tile.I32T1[A]], z tile.Out[tile.I32T1[A]]) {
	z.Store(tile.Exp(x.Load(0))) // want "does not satisfy tile.FloatTile"
}

func writesIn[A tile.Dim](x tile.In[row[A]]) {
	x.Store(x.Load(0)) // want "x.Store undefined"
}

func fraction[A tile.Dim](x tile.In[tile.I32T1[A]], z tile.Out[tile.I32T1[A]]) {
	z.Store(x.Load(0) + 1.5) // want "truncated"
}

// Own is no dimension: their set is closed, so that every extent is a power of two.
type Own struct{}

func (Own) extent() int { return 3 }

var _ row[Own] // want "Own does not satisfy tile.Dim"

func maskAsTile[A tile.Dim](x tile.In[row[A]], z tile.Out[row[A]]) {
	z.Store(x.Load(0) > 1) // want "cannot use"
}

func double[B tile.Dim](x tile.In[row[B]], z tile.Out[row[B]]) { z.Store(2 * x.Load(z.Index(0))) }

func launches(ctx context.Context, dev *cutile.Device, f *cutile.Tensor[float32], d *cutile.Tensor[float64]) {
	_ = cutile.Launch2(ctx, dev, double[tile.D16], f, d)    // want "does not satisfy tile.Elem"
	_ = cutile.Launch2(ctx, dev, double[tile.D16], f)       // want "not enough arguments"
	_ = cutile.Launch3(ctx, dev, double[tile.D16], f, f, f) // want "double"
}
