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
	z.Store(x.Load(0) + y.Load(0)) // want 10 "mismatched types"
}

func elementTypes[A tile.Dim](x tile.In[tile.F16T1[A]], z tile.Out[row[A]]) {
	z.Store(x.Load(0)) // want 10 "cannot use x.Load(0)"
}

func dotInner[M, N, K tile.Dim](a tile.In[mat[M, K]], b tile.In[mat[N, K]], c tile.Out[mat[M, N]]) {
	c.Store(tile.Dot(a.Load(0, 0), b.Load(0, 0), mat[M, N](0))) // want 33 "does not match"
}

func keptAxis[M, N tile.Dim](x tile.In[mat[M, N]], z tile.Out[mat[D, N]]) {
	z.Store(x.Load(0, 0).Sum1()) // want 10 "cannot use"
}

// D is a dimension.
type D = tile.D1

func maxShapes[M, N tile.Dim](x tile.In[mat[M, N]], z tile.Out[mat[M, N]]) {
	z.Store(max(x.Load(0, 0), x.Load(0, 0).T())) // want 28 "mismatched types"
}

func shiftFloat[A tile.Dim](x tile.In[row[A]], z tile.Out[row[A]]) {
	z.Store(x.Load(0) << 2) // want 10 "shifted operand"
}

func expOfInts[A tile.Dim](x tile.In[tile.I32T1[A]], z tile.Out[tile.I32T1[A]]) {
	z.Store(tile.Exp(x.Load(0))) // want 18 "does not satisfy tile.FloatTile"
}

func writesIn[A tile.Dim](x tile.In[row[A]]) {
	x.Store(x.Load(0)) // want 4 "x.Store undefined"
}

func fraction[A tile.Dim](x tile.In[tile.I32T1[A]], z tile.Out[tile.I32T1[A]]) {
	z.Store(x.Load(0) + 1.5) // want 22 "truncated"
}

// Own is no dimension: their set is closed, so that every extent is a power of two.
type Own struct{}

func (Own) extent() int { return 3 }

var _ row[Own] // want 11 "Own does not satisfy tile.Dim"

func maskAsTile[A tile.Dim](x tile.In[row[A]], z tile.Out[row[A]]) {
	z.Store(x.Load(0) > 1) // want 10 "cannot use"
}

func double[B tile.Dim](x tile.In[row[B]], z tile.Out[row[B]]) { z.Store(2 * x.Load(z.Index(0))) }

func launches(ctx context.Context, dev *cutile.Device, f *cutile.Tensor[float32], d *cutile.Tensor[float64]) {
	_ = cutile.Launch2(ctx, dev, double[tile.D16], f, d)    // want 20 "does not satisfy tile.Elem"
	_ = cutile.Launch2(ctx, dev, double[tile.D16], f)       // want 49 "not enough arguments"
	_ = cutile.Launch3(ctx, dev, double[tile.D16], f, f, f) // want 31 "double"
}

func stores(x tile.In[row[D]], n int, s float32, z tile.Out[row[D]]) {
	z.Store(nil)           // want 10 "cannot use nil as row[D] value in argument to z.Store"
	z.Store(n)             // want 10 "cannot use n"
	z.Store(x.Load(0) * s) // want 10 "invalid operation: x.Load(0) * s"
	z.Store(x)             // want 10 "cannot use x"
	z.Store(x.Load(0), 0)  // want 21 "too many arguments in call to z.Store"
	z.Store(x.Load(0.5))   // want 17 "cannot use 0.5"
	z.Store(x.Load("0"))   // want 17 "cannot use "0""
	z.Store(x.Load(s))     // want 17 "cannot use s"
	z.Store(x.Load(0)[0])  // want 19 "cannot index x.Load(0)"
	z.Store("zero")        // want 10 "cannot use "zero""
	x.Index(0)             // want 4 "x.Index undefined"
	return x.Load(0)       // want 9 "too many return values"
}

func operators[N tile.Dim](x, y tile.In[row[N]], i tile.In[tile.I32T1[N]], z tile.Out[row[N]]) {
	a, b, k := x.Load(0), y.Load(0), i.Load(0)
	z.Store(a && b)                  // want 10 "invalid operation: operator && not defined on a"
	z.Store(!a)                      // want 11 "invalid operation: operator ! not defined on a"
	z.Store(a % b)                   // want 10 "invalid operation: operator % not defined on a"
	z.Store(a & b)                   // want 10 "invalid operation: operator & not defined on a"
	z.Store(a + k)                   // want 10 "invalid operation: a + k"
	z.Store(tile.Where(a > 0, a, k)) // want 31 "in call to tile.Where, type tile.I32T1[N] of k does not match inferred type row[N] for T"
	z.Store(tile.Where(a, b, 0))     // want 20 "in call to tile.Where, B"
	z.Store(a.Sum1())                // want 12 "a.Sum1 undefined"
	z.Store(a.T())                   // want 12 "a.T undefined"
	z.Store(tile.Sqrt(k))            // want 19 "in call to tile.Sqrt, T"
	z.Store(tile.Max(a, b))          // want 15 "undefined: tile.Max"
	z.Store(row[N](len(a)))          // want 21 "invalid argument: a"
	if a == nil {                    // want 10 "invalid operation: a == nil"
	}
	for range a { // want 12 "cannot range over a"
	}
	a, c := b, k // want 5 "declared and not used: c"
}

func pointers(f tile.Ptr[float32], p *tile.Ptr[float32], x tile.In[row[D]]) {
	tile.AtomicMax(f, tile.Iota[D](), x.Load(0), true) // want 16 "row[D] does not satisfy tile.IntTile"
	tile.AtomicAdd(p, tile.Iota[D](), x.Load(0), true) // want 17 "in call to tile.AtomicAdd, type *tile.Ptr[float32] of p does not match tile.Ptr[E]"
	tile.AtomicAdd(f, 0, x.Load(0), true)              // want 16 "int does not satisfy tile.IntTile"
	tile.AtomicAdd(f, tile.Iota[D](), x.Load(0))       // want 36 "not enough arguments in call to tile.AtomicAdd"
	tile.AtomicAdd(f, tile.Iota[D](), x.Load(0), 1)    // want 16 "int does not satisfy ~bool"
	tile.Gather(f, tile.Iota[D](), true, 0)            // want 13 "int does not satisfy tile.NumTile"
	f[0] = 1                                           // want 3 "cannot index f"
	*f = 1                                             // want 3 "invalid operation: cannot indirect f"
}

var (
	_ tile.F32T7[D, D, D, D, D, D, D] // want 9 "undefined: tile.F32T7"
	_ tile.D3                         // want 9 "undefined: tile.D3"
	_ row                             // want 4 "cannot use generic type row[N tile.Dim] without instantiation"
	_ mat[D]                          // want 4 "not enough type arguments for type mat: have 1, want 2"
	_ tile.In[float32]                // want 12 "float32 does not satisfy tile.Tile"
	_ tile.Ptr[string]                // want 13 "string does not satisfy tile.NumElem"
	_ tile.Ptr[row[D]]                // want 13 "row[D] does not satisfy tile.NumElem"
	_ tile.FloatTile1[int32, D]       // want 20 "int32 does not satisfy tile.FloatElem"
	_ tile.IntTile1[float32, D]       // want 18 "float32 does not satisfy tile.IntElem"
	_ = tile.Dot[float32, float32, D] // want 14 "cannot infer N"
	_ = tile.Extent[int]()            // want 18 "int does not satisfy tile.Dim"
)
