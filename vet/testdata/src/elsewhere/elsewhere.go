// Package elsewhere launches kernels of other packages.
package elsewhere

import (
	"context"

	"example.com/vetted/unregistered"

	"github.com/cutile-go/cutile"
)

func launch(dev *cutile.Device, z *cutile.Tensor[float32]) error {
	return cutile.Launch(context.Background(), dev, unregistered.One, z) // want `package example.com/vetted/unregistered has no registered source`
}
