// want package:"registers [12] files"

// Package right has nothing to report: host code beside kernels, generic kernels of any element, kernels with functions.
package right

import (
	"context"
	"embed"
	"fmt"

	"example.com/vetted/helper"
	"example.com/vetted/public"
	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

type frame struct{ values []float32 }

func scale[E tile.FloatElem, A tile.Dim](x tile.In[tile.FloatTile1[E, A]], by tile.FloatTile0[E], z tile.Out[tile.FloatTile1[E, A]]) {
	z.Store(helper.Clamp(x.Load(z.Index(0))) * tile.FloatTile1[E, A](by))
}

func clamp[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(public.Clamp(x.Load(z.Index(0))))
}

func apply(x tile.In[tile.F32T1[tile.D8]], z tile.Out[tile.F32T1[tile.D8]], f func(tile.F32T1[tile.D8]) tile.F32T1[tile.D8]) {
	z.Store(f(x.Load(z.Index(0))))
}

// flat fits only where AB is A·B, which its launches see to.
func flat[A, B, AB tile.Dim](x tile.In[tile.F32T2[A, B]], z tile.Out[tile.F32T1[AB]]) {
	z.Store(tile.Reshape[tile.F32T1[AB]](x.Load(0, 0)))
}

// scaled fits only some pairs of elements.
func scaled[E, S tile.FloatElem](x tile.In[tile.FloatTile2[E, tile.D16, tile.D32]], s tile.In[tile.FloatTile2[S, tile.D16, tile.D1]], z tile.Out[tile.F32T2[tile.D16, tile.D16]]) {
	z.Store(tile.DotScaled(x.Load(0, 0), s.Load(0, 0), x.Load(0, 0).T(), s.Load(0, 0).T(), z.Load()))
}

// keep is no kernel, but what kernels call.
func keep[A tile.Dim](z tile.InOut[tile.F32T1[A]], x tile.F32T1[A]) { z.Store(x, 0) }

func kept[A tile.Dim](z tile.InOut[tile.F32T1[A]]) { keep(z, z.Load(0)+1) }

// RunSized launches kernels whose extents are known when the program runs.
func RunSized(ctx context.Context, dev *cutile.Device, x, z *cutile.Tensor[float32], n int) {
	cutile.Launch(ctx, dev, cutile.Sized(flat[tile.D1, tile.D4, tile.D1], n, 4, 4*n), x, z)
	k := cutile.Sized(kept[tile.D1], n)
	cutile.Launch(ctx, dev, k, z)
}

// Run launches through an adapter, which vet does not know.
func Run(ctx context.Context, dev *cutile.Device, x, y *cutile.Tensor[float32], f frame, n float32) {
	m := map[string]int{}
	fmt.Println(m)
	by := n
	cutile.Launch(ctx, dev, scale[float32, tile.D64], f, 2, x)
	cutile.Launch(ctx, dev, scale[float32, tile.D64], x, &by, y)
	cutile.Launch(ctx, dev, apply, x, y, func(t tile.F32T1[tile.D8]) tile.F32T1[tile.D8] { return -t })
	cutile.Launch(ctx, dev, apply, x, y, helper.Clamp[tile.F32T1[tile.D8]])
	args := []any{x, 1, y}
	cutile.Launch(ctx, dev, scale[float32, tile.D32], args...)
}
