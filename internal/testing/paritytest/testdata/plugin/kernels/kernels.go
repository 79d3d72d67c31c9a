// Command kernels is a plugin with a kernel, a package of kernels, and the launches of both.
package main

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/paritytest/testdata/plugin/bare"
	"github.com/cutile-go/cutile/internal/testing/paritytest/testdata/plugin/lib"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

func double[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(2 * x.Load(z.Index(0)))
}

// Double launches the plugin's own kernel.
func Double(dev *cutile.Device, x, z *cutile.Tensor[float32]) error {
	return cutile.Launch(context.Background(), dev, double[tile.D4], x, z)
}

// Triple launches the kernel of the package.
func Triple(dev *cutile.Device, x, z *cutile.Tensor[float32]) error {
	return cutile.Launch(context.Background(), dev, lib.Triple[tile.D4], x, z)
}

// Half launches a kernel that no package registered.
func Half(dev *cutile.Device, x, z *cutile.Tensor[float32]) error {
	return cutile.Launch(context.Background(), dev, bare.Half[tile.D4], x, z)
}

func main() {}
