// Package lib is a helper package with a dot in its path.
package lib

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed lib.go
var source embed.FS

var _ = cutile.Module(source)

// Twice doubles a tile.
func Twice[T tile.FloatTile](x T) T { return x + x }
