// Package lib is linked into the plugin alone.
package lib

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

// Triple is a kernel.
func Triple[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(3 * x.Load(z.Index(0)))
}
