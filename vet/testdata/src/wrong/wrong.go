// want package:"registers 1 files"

// Package wrong has kernels with mistakes that Go's types cannot see.
package wrong

import (
	"context"
	"embed"

	"example.com/vetted/helper"
	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed wrong.go
var source embed.FS
var _ = cutile.Module(source)

type f32[A, B tile.Dim] = tile.F32T2[A, B]

func maskLost[A, B tile.Dim](x, y tile.In[f32[A, B]], z tile.Out[f32[A, B]]) {
	inside := x.Load(0, 0) < y.Load(0, 0)
	if inside { // want `the condition is a mask of shape \[32 16\], not one truth value: use Where`
		z.Store(x.Load(0, 0))
	}
	row := tile.F32T1[A](tile.Iota[A]())
	z.Store(f32[A, B](row)) // want `a conversion cannot change shape \[32\] to \[32 16\]: it adds leading dimensions and stretches those of 1`
}

var _ = maskLost[tile.D32, tile.D16]

// square fits square tiles alone.
func square[A, B tile.Dim](x tile.In[f32[A, B]], z tile.Out[f32[B, A]]) {
	z.Store(tile.Reshape[f32[B, A]](x.Load(0, 0)))
	_ = f32[B, A](x.Load(0, 0)) // want `a conversion cannot change shape \[16 8\] to \[8 16\]: use Reshape`
}

var _ = square[tile.D16, tile.D16]
var _ = square[tile.D16, tile.D8]

func unnamed[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(x.Load(0, 1)) // want `a tile of shape \[16\] needs one index for each axis`
}

func plain(z tile.Out[tile.F32T1[tile.D4]]) {
	go z.Store(0) // want `a kernel cannot have a go statement`
}

func callsHelper(x tile.In[f32[tile.D32, tile.D16]], z tile.Out[f32[tile.D32, tile.D16]]) { // want `helper.go:22:5: the condition is a mask`
	z.Store(helper.Halve(helper.Clamp(x.Load(0, 0))))
}

func apply[A tile.Dim](x tile.In[tile.F32T1[A]], by float32, z tile.Out[tile.F32T1[A]], f func(tile.F32T1[A]) tile.F32T1[A]) {
	z.Store(f(x.Load(0)) * tile.F32T1[A](by))
}

func lines[A tile.Dim](x tile.F32T1[A]) tile.F32T1[A] {
	if x > 0 { // want `the condition is a mask of shape \[8\], not one truth value: use Where`
		return x
	}
	return 0
}

func launches(ctx context.Context, dev *cutile.Device, x, y *cutile.Tensor[float32], h *cutile.Tensor[float64], other any) {
	type pair struct{ X, Z *cutile.Tensor[float32] }
	k := apply[tile.D8]
	cutile.Launch(ctx, dev, k, 1) // want `kernel wrong.apply\[D8\] expects 4 arguments \(x, by, z, f\), but got 1`
	cutile.Launch(ctx, dev, apply[tile.D8], x, 2, y, helper.Clamp[tile.F32T1[tile.D8]])
	cutile.Launch(ctx, dev, apply[tile.D8], x, 2, y, lines[tile.D8])
	cutile.Launch(ctx, dev, apply[tile.D8], other, 2)
	cutile.Launch(ctx, dev, apply[tile.D8], x, 2, y) // want `kernel wrong.apply\[D8\] expects 4 arguments \(x, by, z, f\), but got 3`
	cutile.Launch(ctx, dev, apply[tile.D8],
		h,           // want `expects argument #1 \(x\) to be a rank-1 tensor of float32, but got \*cutile.Tensor\[float64\]`
		"2",         // want `expects argument #2 \(by\) to be a float32, but got string`
		[]float32{}, // want `expects argument #3 \(z\) to be a rank-1 tensor of float32, but got \[\]float32`
		x,           // want `expects argument #4 \(f\) to be a func\(tile.F32T1\[A\]\) tile.F32T1\[A\], but got \*cutile.Tensor\[float32\]`
	)
	cutile.Launch(ctx, dev, apply[tile.D8], x, 1e99, y, lines[tile.D8]) // want `expects argument #2 \(by\) to be a float32, but got 1e\+99, which does not fit`
	cutile.Launch(ctx, dev, unnamed[tile.D16], pair{})
	cutile.Launch(ctx, dev, unnamed[tile.D16], pair{}, 1)      // want `kernel wrong.unnamed\[D16\] expects 2 arguments \(x, z\), but got 3`
	cutile.Prepare(ctx, dev, plain)                            // want `kernel wrong.plain expects 1 argument \(z\), but got 0`
	cutile.Export(ctx, "", nil, plain, cutile.SpecOf[int8](4)) // want `expects argument #1 \(z\) to be a rank-1 tensor of float32, but got cutile.Spec\[int8\]`
}

// reshaped does not fit the instance that unfit names.
func reshaped[A, B, AB tile.Dim](x tile.In[tile.F32T2[A, B]], z tile.Out[tile.F32T1[AB]]) {
	z.Store(tile.Reshape[tile.F32T1[AB]](x.Load(0, 0))) // want `Reshape from \[4 4\] to \[8\] changes the number of elements`
}

var unfit = reshaped[tile.D4, tile.D4, tile.D8]

// anyExtents is wrong with all of them.
func anyExtents[A, B, AB tile.Dim](x tile.In[tile.F32T2[A, B]], z tile.Out[tile.F32T1[AB]]) {
	if x.Load(0, 0) > 0 { // want `the condition is a mask of shape \[16 16\], not one truth value: use Where`
		z.Store(tile.Reshape[tile.F32T1[AB]](x.Load(0, 0)))
	}
}
