// Package elsewhere launches kernels of other packages.
package elsewhere

import (
	"context"

	"example.com/vetted/helper"
	"example.com/vetted/unregistered"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

func launch(dev *cutile.Device, z *cutile.Tensor[float32]) error {
	return cutile.Launch(context.Background(), dev, unregistered.One, z) // want `package example.com/vetted/unregistered has no registered source`
}

func literal(dev *cutile.Device, x, z *cutile.Tensor[float32]) error {
	return cutile.Launch(context.Background(), dev, helper.Mapped[tile.D4], x, func(v tile.F32T1[tile.D4]) tile.F32T1[tile.D4] { // want `the function literal at elsewhere.go:\d+ is in package example.com/vetted/elsewhere, which has no registered source: add to that package`
		return v
	}, z)
}
