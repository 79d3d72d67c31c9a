// Command faults doubles five numbers on the device that its argument names, and prints the device and the result. It is run
// where drivers, tools, files and disks are broken.
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *.go
var source embed.FS

var _ = cutile.Module(source)

func double[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(2 * x.Load(z.Index(0)))
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func run(name string) (err error) {
	dev, err := cutile.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	x, err := cutile.FromSlice(dev, []float32{1, 2, 3, 4, 5})
	if err != nil {
		return err
	}
	z, err := cutile.NewTensor[float32](dev, 5)
	if err != nil {
		return err
	}
	if err := cutile.Launch(context.Background(), dev, double[tile.D4], x, z); err != nil {
		return err
	}
	out, err := z.Slice()
	if err != nil {
		return err
	}
	fmt.Println(dev.Name(), out)
	return nil
}
