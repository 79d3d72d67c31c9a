// Command only launches a kernel of package cute and none of package tile.
package main

import (
	"context"
	"embed"
	"fmt"
	"os"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

//go:embed main.go
var source embed.FS
var _ = cutile.Module(source)

func set(x cute.Tensor[float32]) (_ cute.Kernel) {
	x.Set(1, cute.ThreadIdx().X)
	return
}

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
	return dev.Sync(ctx)
}

func main() {
	if err := host(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}
