// Package named has kernels in one file, which is registered, and launches in another, which is not.
package named

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels.go
var source embed.FS
var _ = cutile.Module(source)

// Scale multiplies a vector by a number.
func Scale[B tile.Dim](x tile.InOut[tile.F32T1[B]], by float32) {
	i := tile.BlockID(0)
	x.Store(x.Load(i)*tile.F32T1[B](by), i)
}
