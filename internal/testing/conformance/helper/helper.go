// Package helper has functions that kernels of another package call.
package helper

import (
	"embed"
	"io/fs"

	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/tile"
)

//go:embed helper.go
var source embed.FS

func init() {
	langsrc.Register(&langsrc.Source{Path: "github.com/cutile-go/cutile/internal/testing/conformance/helper", Dir: "conformance/helper", FS: []fs.FS{source}})
}

// Shift is a constant that kernels use.
const Shift = 3

// Pair is two tiles of one type.
type Pair[T tile.NumTile] struct{ First, Second T }

// Swap gives the pair in the other order.
func (p Pair[T]) Swap() Pair[T] { return Pair[T]{p.Second, p.First} }

// Scale multiplies both.
func (p Pair[T]) Scale(by T) Pair[T] {
	p.First *= by
	p.Second *= by
	return p
}

// Poly is a polynomial by Horner's rule, the highest power first.
func Poly[T tile.FloatTile](x T, coefficients ...float64) T {
	var sum T
	for _, c := range coefficients {
		sum = sum*x + T(c)
	}
	return sum
}

// Clamp keeps x between two bounds and says where it did.
func Clamp[T tile.NumTile](x, lo, hi T) (clamped T, outside bool) {
	clamped = min(max(x, lo), hi)
	outside = clamped != x
	return
}
