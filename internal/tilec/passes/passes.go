// Package passes improves Tile IR that the lowering made, without changing what it computes; [Fast] alone rounds otherwise.
package passes

import (
	"context"

	"github.com/cutile-go/cutile/tileir"
)

// Run applies every pass to a kernel. Where ctx ends first it gives its error, and the kernel is of no use.
func Run(ctx context.Context, e *tileir.Entry) error {
	for _, pass := range []func(*tileir.Entry){combiners, simplify, spread, reciprocal, narrow, simplify, saturate} {
		if err := ctx.Err(); err != nil {
			return err
		}
		pass(e)
	}
	return nil
}
