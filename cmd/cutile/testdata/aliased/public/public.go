// Package public is an alias: in kernels its functions are those of package inner.
package public

import (
	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

var _ = cutile.Alias("github.com/cutile-go/cutile/cmd/cutile/testdata/aliased/inner")

// Relu drops what is negative.
func Relu[T tile.FloatTile](x T) T { panic("inner.Relu stands for it") }
