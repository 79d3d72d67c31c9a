package dist_test

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// The kernel compiler reads the source of the tests' kernels.
//
//go:embed kernels_test.go
var source embed.FS
var _ = cutile.Module(source)

// twice doubles a vector.
func twice[B tile.Dim](x tile.In[tile.F32T1[B]], y tile.Out[tile.F32T1[B]]) {
	i := y.Index(0)
	v := x.Load(i)
	y.Store(v + v)
}
