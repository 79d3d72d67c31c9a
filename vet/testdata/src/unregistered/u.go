// Package unregistered forgets to register its source.
package unregistered

import "github.com/cutile-go/cutile/tile"

func zero(z tile.Out[tile.F32T1[tile.D4]]) { // want `package unregistered has kernels, but no registered source: add to it`
	z.Store(0)
}

// One is launched by other packages.
func One(z tile.Out[tile.F32T1[tile.D4]]) { z.Store(1) }
