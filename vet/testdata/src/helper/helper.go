// want package:"registers 1 files"

// Package helper has functions that kernels of other packages call.
package helper

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

// Clamp keeps x between 0 and 1.
func Clamp[T tile.FloatTile](x T) T { return min(max(x, 0), 1) }

// Halve cannot be what it says for masks.
func Halve[A, B tile.Dim](x tile.F32T2[A, B]) tile.F32T2[A, B] {
	if x > 0 {
		return x / 2
	}
	return x
}

// Mapped applies a function.
func Mapped[A tile.Dim](x tile.In[tile.F32T1[A]], f func(tile.F32T1[A]) tile.F32T1[A], z tile.Out[tile.F32T1[A]]) {
	z.Store(f(x.Load(z.Index(0))))
}
