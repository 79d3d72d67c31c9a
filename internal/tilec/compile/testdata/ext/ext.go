// Package ext is a user's package: it declares operations that the language does not have, by directives alone.
package ext

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tile/op"
)

//go:embed ext.go
var source embed.FS

var _ = cutile.Module(source)

// Cat joins two tiles along axis 0.
//
//cutile:op cat(x, y) {dim: 0}
func Cat[R, T tile.Tile](x, y T) R { panic("runs through cutile.Launch") }

// FMA rounds as r says.
//
//cutile:op fma(x, y, z) {rounding_mode: zero}
func FMA[T tile.FloatTile](x, y, z T) T { panic("runs through cutile.Launch") }

// Join stores x beside 2y + 1.
func Join[A, B tile.Dim](x, y tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[B]]) {
	z.Store(Cat[tile.F32T1[B]](x.Load(0), FMA(y.Load(0), 2, 1)))
}

// Misnamed has an attribute that the table does not know.
//
//cutile:op ceil(x) {rounding_mode: zero}
func Misnamed[T tile.FloatTile](x T) T { panic("runs through cutile.Launch") }

// UsesMisnamed is refused at the directive.
func UsesMisnamed[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(Misnamed(x.Load(0)))
}

// Hides has a parameter that hides a value of the enumeration.
//
//cutile:op addf(x, y) {rounding_mode: zero}
func Hides[T tile.FloatTile](x, y T, zero int) T { panic("runs through cutile.Launch") }

// UsesHides is refused at the directive.
func UsesHides[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(Hides(x.Load(0), 1, 0))
}

type bare struct{ v op.Token }

//cutile:param in
func newBare(base op.Pointer[tile.F32T1[tile.D1]]) bare { return bare{op.MakeToken()} }

// UsesBare takes a parameter whose type does not say the tile.
func UsesBare[A tile.Dim](x bare, z tile.Out[tile.F32T1[A]]) { z.Store(1) }
