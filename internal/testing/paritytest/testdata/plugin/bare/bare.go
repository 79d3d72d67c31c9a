// Package bare does not register its source.
package bare

import "github.com/cutile-go/cutile/tile"

// Half is a kernel.
func Half[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(x.Load(z.Index(0)) / 2)
}
