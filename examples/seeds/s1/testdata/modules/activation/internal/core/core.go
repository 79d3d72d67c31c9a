// Package core declares activations.
package core

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed core.go
var source embed.FS
var _ = cutile.Module(source)

// Range is bounds for [Clamp].
type Range[T tile.FloatTile] struct{ Low, High T }

// Clamp keeps x in bounds.
func Clamp[T tile.FloatTile](x T, r Range[T]) T { return max(r.Low, min(x, r.High)) }

// Slope is that of [Leaky] below zero.
const Slope = 0.125

// Leaky keeps a part of what is negative.
func Leaky[T tile.FloatTile](x T) T { return tile.Where(x > 0, x, x*Slope) }
