// Package activation gives what an internal package declares. It has no source of its own to register: an alias stands for
// it.
package activation

import (
	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"

	"example.com/activation/internal/core"
)

var _ = cutile.Alias("example.com/activation/internal/core")

// Range is bounds for [Clamp].
type Range[T tile.FloatTile] = core.Range[T]

// Clamp keeps x in bounds.
func Clamp[T tile.FloatTile](x T, r Range[T]) T { return core.Clamp(x, r) }

// Slope is that of [Leaky] below zero.
const Slope = core.Slope

// Leaky keeps a part of what is negative.
func Leaky[T tile.FloatTile](x T) T { return core.Leaky(x) }
