// want package:"is an alias of example.com/vetted/helper"

// Package public gives a function of helper under its own path.
package public

import (
	"example.com/vetted/helper"
	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

const of = "example.com/vetted/helper"

var _ = cutile.Alias(of)

// Clamp is helper.Clamp.
func Clamp[T tile.FloatTile](x T) T { return helper.Clamp(x) }
