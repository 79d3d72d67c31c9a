// Package deep lies below a package with functions of the same names: an import finds the one of its whole path.
package deep

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"

	"example.com/activation"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

// Leaky is another one.
func Leaky[T tile.FloatTile](x T) T { return activation.Leaky(x) * 1000 }
