// Package lib has a dot in the last element of its import path, which the run-time spells %2e.
package lib

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed lib.go
var source embed.FS

var _ = cutile.Module(source)

// Pair is a type of this package in a kernel's signature.
type Pair[T tile.FloatTile] struct{ A, B T }

// Scale is a kernel.
func Scale[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	p := Pair[tile.F32T1[B]]{A: x.Load(z.Index(0))}
	z.Store(Double(p.A + p.B))
}

// Double is a helper of another package.
func Double[T tile.FloatTile](x T) T { return x + x }

// Maker gives a literal that is inlined into its caller.
func Maker() func(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] {
	return func(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] {
		return 3 * x
	}
}
