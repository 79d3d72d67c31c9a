// Package activation is reached by a kernel of another package.
package activation

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *.go
var files embed.FS
var _ = cutile.Module(files)

// Scaled multiplies by a number.
func Scaled[M, N tile.Dim](x tile.F32T2[M, N], by float32) tile.F32T2[M, N] {
	return x * tile.F32T2[M, N](by)
}

// Other is not reached.
func Other() {}
