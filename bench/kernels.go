package bench

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels.go
var source embed.FS
var _ = cutile.Module(source)

// vector is the tile of the kernels below.
type vector = tile.F32T1[tile.D1024]

// flush writes memory that nothing reads.
func flush(x tile.Out[vector]) { x.Store(0) }

// triad computes z = 2x + y: it moves three elements for each two operations.
func triad(x, y tile.In[vector], z tile.Out[vector]) {
	i := z.Index(0)
	z.Store(2*x.Load(i) + y.Load(i))
}

// chainSteps is how many steps chains makes for an element.
const chainSteps = 128

// chains computes four chains of multiplications with an addition each for each element, so that a step need not wait for the one before.
func chains(x tile.In[vector], y tile.Out[vector]) {
	v := x.Load(y.Index(0))
	a, b, c, d := v, v+1, v+2, v+3
	for range [chainSteps / 4]int{} { // which is unrolled
		a, b, c, d = tile.FMA(a, 0.5, 1), tile.FMA(b, 0.5, 1), tile.FMA(c, 0.5, 1), tile.FMA(d, 0.5, 1)
	}
	y.Store(a + b + (c + d))
}
