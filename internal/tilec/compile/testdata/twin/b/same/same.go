// Package same shares its name with another package; only their paths differ.
package same

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed same.go
var source embed.FS

var _ = cutile.Module(source)

// Literal is on the same line of both packages.
var Literal = func(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] { return x + 2 }
