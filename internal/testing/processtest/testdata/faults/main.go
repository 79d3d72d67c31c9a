// Command faults doubles five numbers on the device that its argument names, and prints the device and the result. It is run
// where drivers, tools, files and disks are broken. The compiler of the device broken panics.
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
)

//go:embed *.go
var source embed.FS

var _ = cutile.Module(source)

func double[B tile.Dim](x tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	z.Store(2 * x.Load(z.Index(0)))
}

// broken is an engine with a bug.
type broken struct{ *cpu.Device }

func (broken) Name() string { return "broken" }

func (broken) Compile(context.Context, *tileir.Module, string) (engine.Kernel, error) {
	panic("no code")
}

func main() {
	if os.Args[1] == "broken" {
		engine.Register(engine.Kind{Name: "broken", List: func() ([]string, error) { return []string{"broken"}, nil },
			Open: func(int, engine.Options) (engine.Device, error) { return broken{cpu.New(cpu.Options{})}, nil }})
	}
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
