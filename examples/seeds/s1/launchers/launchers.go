// Package launchers has a kernel with the directive //cutile:entry, for which cutile gen writes the functions that
// launch it.
package launchers

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:generate go run github.com/cutile-go/cutile/cmd/cutile gen

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

// Add adds matrices.
//
//cutile:entry
func Add[A, B tile.Dim](x, y tile.In[tile.F32T2[A, B]], z tile.Out[tile.F32T2[A, B]]) {
	i, j := z.Index(0), z.Index(1)
	z.Store(x.Load(i, j) + y.Load(i, j))
}
