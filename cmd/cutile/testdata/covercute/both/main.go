// Command both launches a kernel of package tile and one of package cute: TestCoverCute knows what counts.
package main

import (
	"context"
	"embed"
	"fmt"
	"os"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/tile"
)

//go:embed main.go
var source embed.FS
var _ = cutile.Module(source)

func double[B tile.Dim](x tile.Out[tile.F32T1[B]]) {
	x.Store(x.Load() * tile.F32T1[B](shared(2)))
}

// shared is a function that kernels of both packages call.
func shared(x float32) float32 { return x }

func set(x cute.Tensor[float32]) (_ cute.Kernel) {
	x.Set(half(shared(1)), cute.ThreadIdx().X)
	return
}

// half is called by a kernel of package cute alone.
func half(x float32) float32 { return x }

func run(x cute.Tensor[float32]) error {
	set(x).Launch(cute.Launch{Block: cute.D3(32, 1, 1)})
	return nil
}

func host(ctx context.Context) error {
	dev, err := cutile.Open("cpu")
	if err != nil {
		return err
	}
	defer dev.Close()
	x, err := cutile.NewTensor[float32](dev, 32)
	if err != nil {
		return err
	}
	if err := cute.Jit(run)(cute.Of[float32](x)); err != nil {
		return err
	}
	if err := cutile.Launch(ctx, dev, double[tile.D32], x); err != nil {
		return err
	}
	return dev.Sync(ctx)
}

func main() {
	if err := host(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}
