// Command program runs a kernel with a literal as epilogue, a helper of another package and a failing assertion. It is
// built in many ways to show that kernels are found in each.
package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"runtime/pprof"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/processtest/testdata/program/lib.v1"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *.go
var source embed.FS

var _ = cutile.Module(source)

func scale[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]], f func(tile.F32T1[B]) tile.F32T1[B]) {
	z.Store(f(lib.Twice(x.Load(z.Index(0)))))
}

// twice launches inside generic code, where the kernel is a closure of the run-time's.
func twice[B tile.Dim](ctx context.Context, dev *cutile.Device, x, z *cutile.Tensor[float32]) error {
	return cutile.Launch(ctx, dev, double[B], x, z)
}

func double[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(2 * x.Load(z.Index(0)))
}

func fails[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	v := x.Load(z.Index(0))
	tile.Assert(v < 3, "too large")
	z.Store(v)
}

func main() {
	if len(os.Args) > 1 {
		f, err := os.Create(os.Args[1])
		if err != nil {
			panic(err)
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			panic(err)
		}
		defer pprof.StopCPUProfile()
	}
	if err := run(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func run() error {
	ctx := context.Background()
	dev, err := cutile.Open("cpu")
	if err != nil {
		return err
	}
	defer dev.Close()
	x, err := cutile.FromSlice(dev, []float32{1, 2, 3, 4, 5})
	if err != nil {
		return err
	}
	z, err := cutile.NewTensor[float32](dev, 5)
	if err != nil {
		return err
	}
	epilogue := func(v tile.F32T1[tile.D4]) tile.F32T1[tile.D4] {
		return v + 0.5
	}
	if err := cutile.Launch(ctx, dev, scale[tile.D4], x, z, epilogue); err != nil {
		return err
	}
	fmt.Println(z.Slice())
	if err := twice[tile.D2](ctx, dev, x, z); err != nil {
		return err
	}
	fmt.Println(z.Slice())
	if err := cutile.Launch(ctx, dev, fails[tile.D4], x, z); err != nil {
		return err
	}
	fmt.Println("fault:", dev.Sync(ctx))
	return nil
}
