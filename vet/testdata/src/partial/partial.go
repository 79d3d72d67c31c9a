// want package:"registers 1 files"

// Package partial embeds one file of two.
package partial

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed partial.go
var source embed.FS
var _ = cutile.Module(source)

func zero(z tile.Out[tile.F32T1[tile.D4]]) {
	z.Store(nothing()) // want `undefined: nothing`
}
