// Package nowhere launches another package's kernel in generic code, and registers nothing.
package nowhere

import (
	"context"

	"example.com/vetted/named"
	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

func launch[B tile.Dim](ctx context.Context, dev *cutile.Device, x *cutile.Tensor[float32]) error {
	return cutile.Launch(ctx, dev.Grid(1), named.Scale[B], x, 2) // want `the program finds the instance of Scale that generic code names by its line, but the source of nowhere.go is not registered: add to package nowhere\n\t//go:embed \*.go`
}
