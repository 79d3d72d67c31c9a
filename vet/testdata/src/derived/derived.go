// want package:"registers 1 files"

// Package derived has kernels with extents that follow from others.
package derived

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

// unrolled fits for all A and B; halved for all but A of 1; far where A is 2048 or more.
func unrolled[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], z tile.Out[tile.F32T1[tile.Product[A, B]]]) {
	z.Store(tile.Reshape[tile.F32T1[tile.Product[A, B]]](x.Load(0, 0)))
}

func halved[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[tile.Quotient[A, tile.D2]]]) {
	z.Store(tile.Extract[tile.F32T1[tile.Quotient[A, tile.D2]]](x.Load(0), 1))
}

func far[A, B, C tile.Dim](x tile.In[tile.F32T1[A]], y tile.In[tile.F32T2[B, C]], z tile.Out[tile.F32T2[B, tile.Quotient[A, tile.D2048]]]) {
	part := tile.Extract[tile.F32T1[tile.Quotient[A, tile.D2048]]](x.Load(0), 1)
	z.Store(tile.F32T2[B, tile.Quotient[A, tile.D2048]](part))
}

// inHelper has its quotient in a function that it calls.
func inHelper[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(doubled(x.Load(0)))
}

func doubled[A tile.Dim](x tile.F32T1[A]) tile.F32T1[A] {
	h := tile.Reshape[tile.F32T2[tile.Quotient[A, tile.D8], tile.D8]](x)
	return tile.Reshape[tile.F32T1[A]](h + h)
}

// related fits where A is 2·B.
func related[A, B tile.Dim](x tile.In[tile.F32T1[tile.Quotient[A, tile.D2]]], y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(tile.Where(x.Load(0) > 0 && y.Load(0) > 0, y.Load(0), 0))
}

func mask[B tile.Dim](m tile.BoolTile1[B], x tile.F32T1[B]) tile.F32T1[B] { return tile.Where(m, x, 0) }

// relatedMask fits where A is 2·B, too.
func relatedMask[A, B tile.Dim](x tile.In[tile.F32T1[tile.Quotient[A, tile.D2]]], y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(mask[B](x.Load(0) > 0, y.Load(0)))
}

// Mistakes that no extents avoid.

func halfMask[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	v := x.Load(0)
	h := tile.Extract[tile.F32T1[tile.Quotient[A, tile.D2]]](v, 0)
	z.Store(tile.Where(h > 0 && v > 0, v, 0)) // want `the masks differ: bool \[8\] and bool \[16\]`
}

func halfWhere[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], y tile.In[tile.F32T2[A, tile.Quotient[B, tile.D2]]], z tile.Out[tile.F32T2[A, B]]) {
	z.Store(tile.Where(y.Load(0, 0) > 0, x.Load(0, 0), 0)) // want `Where: the shapes \[16 8\] and \[16 16\] differ`
}

func halfGiven[A tile.Dim](x tile.In[tile.F32T1[tile.Quotient[A, tile.D2]]], y tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(whole[A](x.Load(0) > 0, y.Load(0)))
}

func whole[B tile.Dim](m tile.BoolTile1[B], x tile.F32T1[B]) tile.F32T1[B] { // want `a mask of shape \[8\] is used where one of shape \[16\] is needed`
	return tile.Where(m, x, 0)
}

// wrongFar shows its mistake only where A is 2048 or more, and wrongHelper where A is 8 or more.
func wrongFar[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T2[tile.D2048, tile.Quotient[A, tile.D2048]]]) {
	z.Store(tile.Reshape[tile.F32T2[tile.D2048, tile.Quotient[A, tile.D2048]]](tile.Extract[tile.F32T1[tile.Quotient[A, tile.D2]]](x.Load(0), 0))) // want `Reshape from \[.*\] to \[2048 .*\] changes the number of elements`
}

func wrongHelper[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	v := doubled(x.Load(0))
	z.Store(tile.F32T1[A](tile.Reshape[tile.F32T1[tile.Product[A, tile.D2]]](v))) // want `Reshape from \[.*\] to \[.*\] changes the number of elements`
}

func wrongProduct[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], z tile.Out[tile.F32T1[tile.Product[A, tile.Product[B, tile.D2]]]]) {
	z.Store(tile.Reshape[tile.F32T1[tile.Product[A, tile.Product[B, tile.D2]]]](x.Load(0, 0))) // want `Reshape from \[.*\] to \[.*\] changes the number of elements`
}

func neverWhole[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[tile.Quotient[A, tile.Product[A, tile.D2]]]]) { // want `parameter z: tile.Quotient\[tile.D16, tile.Product\[tile.D16, tile.D2\]\] is 16/32, which is not a whole number: choose an extent that 32 divides`
}

func neverInBody[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(x.Load(0) * tile.F32T1[A](tile.F32(tile.Extent[tile.Quotient[tile.D2, tile.D4]]()))) // want `tile.Quotient\[tile.D2, tile.D4\] is 2/4, which is not a whole number: choose an extent that 4 divides`
}

func neverInHelper[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(x.Load(0) * tile.F32T1[A](none()))
}

func none() tile.F32 {
	return tile.F32(tile.Extent[tile.Product[tile.D65536, tile.D2]]()) // want `tile.Product\[tile.D65536, tile.D2\] is 65536·2 = 131072, but an extent is at most 65536: choose smaller ones`
}

// Launches names an instance that cannot be.
func Launches(ctx context.Context, dev *cutile.Device, x, y, z *cutile.Tensor[float32], n int) {
	cutile.Launch(ctx, dev, named[tile.D2], x, z)
	cutile.Launch2(ctx, dev, named[tile.D8], x, z)
	cutile.Launch(ctx, dev, cutile.Sized(halved[tile.D1], 8), x, z)
	cutile.Launch(ctx, dev, cutile.Sized(halved[tile.D1], n), x, z)
	cutile.Launch(ctx, dev, cutile.Sized(far[tile.D1, tile.D1, tile.D1], n, 1, 1), x, y, z)
	cutile.Launch(ctx, dev, cutile.Sized(halved[tile.D1], 1), x, z)                            // want `parameter z: tile.Quotient\[tile.D1, tile.D2\] is 1/2, which is not a whole number`
	cutile.Launch(ctx, dev, cutile.Sized(far[tile.D1, tile.D1, tile.D1], 1024, 1, 1), x, y, z) // want `parameter z: tile.Quotient\[tile.D1024, tile.D2048\] is 1024/2048`
}

func named[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[tile.Quotient[A, tile.D4]]]) { // want `parameter z: tile.Quotient\[tile.D2, tile.D4\] is 2/4, which is not a whole number: choose an extent that 4 divides`
	z.Store(tile.Extract[tile.F32T1[tile.Quotient[A, tile.D4]]](x.Load(0), 0))
}
