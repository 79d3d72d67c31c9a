// Package passes improves Tile IR that the lowering made, without changing what it computes.
package passes

import "github.com/cutile-go/cutile/tileir"

// Run applies every pass to a kernel.
func Run(e *tileir.Entry) {
	combiners(e.Body)
	simplify(e)
	spread(e)
	reciprocal(e.Body)
	narrow(e)
	simplify(e)
}
