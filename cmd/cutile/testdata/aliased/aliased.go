// Package aliased has a kernel that calls a function of an alias.
package aliased

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cmd/cutile/testdata/aliased/inner"
	"github.com/cutile-go/cutile/cmd/cutile/testdata/aliased/public"
	"github.com/cutile-go/cutile/tile"
)

//go:embed aliased.go
var source embed.FS
var _ = cutile.Module(source)

// Relu calls one function under two paths.
func Relu[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(public.Relu(-inner.Relu(x.Load(z.Index(0)))))
}
