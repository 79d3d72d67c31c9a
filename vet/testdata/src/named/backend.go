// want package:"registers 1 files"

package named

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// launch is generic code: the Go runtime knows the instance by its line alone.
func launch[B tile.Dim](ctx context.Context, dev *cutile.Device, x *cutile.Tensor[float32]) error {
	sized := cutile.Sized(Scale[B], 16) // want `the program finds the instance of Scale that generic code names by its line, but the source of backend.go is not registered: write //go:embed kernels.go backend.go`
	if err := cutile.Launch(ctx, dev.Grid(1), sized, x, 2); err != nil {
		return err
	}
	k := Scale[B] // want `the source of backend.go is not registered: write //go:embed kernels.go backend.go`
	if _, err := cutile.Prepare(ctx, dev.Grid(1), (k), x, 2); err != nil {
		return err
	}
	return cutile.Launch(ctx, dev.Grid(1), Scale[tile.D16], x, 2) // found by its name
}
