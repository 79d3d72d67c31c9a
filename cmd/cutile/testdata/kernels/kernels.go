// Package kernels holds the kernels of the tests of cutile dump.
package kernels

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cmd/cutile/testdata/kernels/activation"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *.go
var files embed.FS
var _ = cutile.Module(files)

// slope is what leak multiplies negative values by.
const slope = 0.125

// Add adds two vectors.
func Add[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	i := z.Index(0)
	z.Store(x.Load(i) + y.Load(i))
}

// leak keeps positive values and dampens the others.
func leak[T tile.FloatTile](x T) T {
	positive := x > 0
	return tile.Where(positive, x, slope*x)
}

// Gemm multiplies matrices, and applies a function to each tile of the product.
func Gemm[BM, BN, BK tile.Dim](a tile.In[tile.F16T2[BM, BK]], b tile.In[tile.F16T2[BK, BN]], c tile.Out[tile.F16T2[BM, BN]],
	epilogue func(tile.F32T2[BM, BN]) tile.F32T2[BM, BN], scale float32) {
	var acc tile.F32T2[BM, BN]
	for k := range a.Tiles(1) {
		acc = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), acc)
	}
	acc = activation.Scaled(acc, scale)
	c.Store(tile.F16T2[BM, BN](epilogue(acc)))
}

// Mixed has a mistake that Go does not see.
func Mixed[A, B tile.Dim](x tile.In[tile.F32T1[A]], y tile.Out[tile.F32T1[B]], _ tile.Size[A]) {
	mask := x.Load(0) > 0
	y.Store(tile.Where(mask, tile.F32T1[B](1), 0))
}

// unused is reached by no kernel.
func unused() int { return len("unused") }

// Unroll puts the right halves of rows one behind another, and applies a function to them.
func Unroll[A, B tile.Dim](x tile.In[tile.F32T2[A, B]], z tile.Out[tile.F32T1[tile.Quotient[tile.Product[A, B], tile.D2]]],
	f func(tile.F32T1[tile.Quotient[tile.Product[A, B], tile.D2]]) tile.F32T1[tile.Quotient[tile.Product[A, B], tile.D2]]) {
	right := tile.Extract[tile.F32T2[A, tile.Quotient[B, tile.D2]]](x.Load(z.Index(0), 0), 0, 1)
	z.Store(f(tile.Reshape[tile.F32T1[tile.Quotient[tile.Product[A, B], tile.D2]]](right)))
}
