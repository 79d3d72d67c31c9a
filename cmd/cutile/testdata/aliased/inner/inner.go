// Package inner has a function for kernels.
package inner

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed inner.go
var source embed.FS
var _ = cutile.Module(source)

// Relu drops what is negative.
func Relu[T tile.FloatTile](x T) T { return max(x, 0) }
