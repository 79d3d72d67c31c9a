// Package entrieswrong calls a generated function wrongly; the Go compiler refuses each call.
package entrieswrong

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cmd/cutile/testdata/entries"
	"github.com/cutile-go/cutile/tile"
)

func wrong(ctx context.Context, dev *cutile.Device, x *cutile.Tensor[float32], d *cutile.Tensor[float64]) {
	entries.LaunchScale[tile.D4](ctx, dev, x, 3, x)
	entries.LaunchScale[tile.D4](ctx, dev, d, 3, x)   // want "cannot use d (variable of type *cutile.Tensor[float64]) as cutile.TensorOf[float32]"
	entries.LaunchScale[tile.D4](ctx, dev, x, "3", x) // want "cannot use "3" (untyped string constant) as float32"
	entries.LaunchScale[tile.D4](ctx, dev, x, x)      // want "not enough arguments in call to entries.LaunchScale[tile.D4]"
	entries.LaunchScale[float32](ctx, dev, x, 3, x)   // want "float32 does not satisfy tile.Dim"
}
