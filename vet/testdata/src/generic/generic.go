// want package:"registers 1 files"

// Package generic has generic kernels of which nothing names an instance: mistakes that no choice of types avoids.
package generic

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

type views[A tile.Dim] struct {
	X tile.In[tile.F32T1[A]]
	Z tile.Out[tile.F32T1[A]]
}

func inStruct[A tile.Dim](v views[A]) {
	if v.X.Load(0) > 0 { // want `the condition is a mask of shape \[16\], not one truth value: use Where`
		v.Z.Store(1)
	}
}

func dotInto[M, N, K tile.Dim](a tile.In[tile.F32T2[M, K]], b tile.In[tile.F32T2[K, N]], c tile.Out[tile.F16T2[M, N]]) {
	var acc tile.F16T2[M, N]
	c.Store(tile.Dot(a.Load(0, 0), b.Load(0, 0), acc)) // want `products of float32 are accumulated in float32, not in float16`
}

func whereShape[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], y tile.In[tile.F32T1[A]], z tile.Out[tile.F32T2[A, B]]) {
	v := x.Load(0, 0)
	z.Store(tile.Where(y.Load(0) > 0, v, 0)) // want `Where: the shapes \[16\] and \[16 16\] differ`
}

func whereRank[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], y tile.In[tile.F32T2[B, A]], z tile.Out[tile.F32T2[A, B]]) {
	v := x.Load(0, 0)
	z.Store(tile.Where(y.Load(0, 0) > 0, v, 0)) // want `Where: the shapes \[16 1\] and \[1 16\] differ`
}

// fits only where A is 32, which its launches see to.
func fits[A tile.Dim](x tile.In[tile.F32T1[tile.D32]], z tile.Out[tile.F32T1[A]]) {
	z.Store(tile.F32T1[A](x.Load(0)))
}

func otherExtent(x tile.In[tile.F32T1[tile.D32]], z tile.Out[tile.F32T1[tile.D16]]) {
	z.Store(tile.F32T1[tile.D16](x.Load(0))) // want `a conversion cannot change shape \[32\] to \[16\]`
}

func fixedIndex[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(x.Load(0, 0)) // want `a tile of shape \[16\] needs one index for each axis, but there are 2`
}

// spreads fits where A is B, or 1.
func spreads[A, B tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[B]]) {
	z.Store(tile.F32T1[B](x.Load(0)))
}

// parts fits where B is half of A, and blocks where there is a factor for 32 elements.
func parts[A, B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[A]]) {
	z.Store(tile.Cat[tile.F32T1[A]](x.Load(0), x.Load(1), 0))
}

func blocks[M, N, K, B tile.Dim](a tile.In[tile.F8E4M3T2[M, K]], s tile.In[tile.F8E8M0T2[M, B]], b tile.In[tile.F8E4M3T2[K, N]], t tile.In[tile.F8E8M0T2[B, N]], z tile.Out[tile.F32T2[M, N]]) {
	z.Store(tile.DotScaled(a.Load(0, 0), s.Load(0, 0), b.Load(0, 0), t.Load(0, 0), z.Load()))
}

func masks[A, B tile.Dim](x tile.In[tile.F32T1[A]], y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[A]]) {
	z.Store(tile.Where(x.Load(0) > 0 && y.Load(0) > 0, x.Load(0), 0)) // want `the masks differ: bool \[.*\] and bool \[.*\]`
}

// halves fits where R is 2·A·B.
func halves[S, A, B, R tile.Dim](x tile.In[tile.F32T2[S, R]], z tile.Out[tile.F32T4[S, A, B, tile.D2]]) {
	z.Store(tile.Reshape[tile.F32T4[S, A, B, tile.D2]](x.Load(0, 0)))
}

func dotBatchInto[L, M, N, K tile.Dim](a tile.In[tile.F32T3[L, M, K]], b tile.In[tile.F32T3[L, K, N]], c tile.Out[tile.F16T3[L, M, N]]) {
	var acc tile.F16T3[L, M, N]
	c.Store(tile.DotBatch(a.Load(0, 0, 0), b.Load(0, 0, 0), acc)) // want `products of float32 are accumulated in float32, not in float16`
}
