// Command cover launches kernels of which some statements do not run: TestCover knows them by their comments.
package main

import (
	"context"
	"embed"
	"fmt"
	"os"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed main.go
var source embed.FS
var _ = cutile.Module(source)

// shapes has a part for each form of statement.
func shapes[N tile.Dim](x tile.In[tile.F32T1[N]], n int32, z tile.InOut[tile.F32T1[N]]) {
	v := x.Load(0)
	if tile.Extent[N]() > 100 { // which is known when it is compiled
		v = v * v // not run
	}
	if n > 100 {
		v = -v // not run
	} else if n > 50 {
		v = tile.Abs(v) // not run
	} else {
		v += v
	}
	for i := range n - 3 {
		v *= tile.F32T1[N](float32(i)) // not run
	}
	for i := int32(0); i < n; i++ {
		if i == 5 {
			break // not run
		}
		if i == 1 {
			continue
		}
		v = helper(v, i)
	}
	const times = 2
	for range times {
		v -= v
	}
	switch n {
	case 1:
		v++ // not run
	case 3:
		v--
	default:
		v += 2 // not run
	}
	sum := tile.Reduce[tile.F32](v, 0, 0, func(a, b tile.F32) tile.F32 {
		return a + b
	})
	z.Store(v+tile.F32T1[N](sum), 0)
	if n == 3 {
		return
	}
	z.Store(v, 0) // not run
}

// helper is a function that a kernel calls.
func helper[N tile.Dim](v tile.F32T1[N], i int32) tile.F32T1[N] {
	if twice(i) > 1000 {
		return v // not run
	}
	return v
}

// twice has no type of the language.
func twice(i int32) int32 {
	if i < 0 {
		return 0 // not run
	}
	return 2 * i
}

// never is not launched.
func never[N tile.Dim](x tile.In[tile.F32T1[N]], z tile.Out[tile.F32T1[N]]) {
	z.Store(x.Load(tile.BlockID(0))) // not run
}

// host is not code of a device.
func host(ctx context.Context) error {
	dev, err := cutile.Open("cpu")
	if err != nil {
		return err
	}
	defer dev.Close()
	x, err := cutile.FromSlice(dev, make([]float32, 16))
	if err != nil {
		return err
	}
	z, err := cutile.FromSlice(dev, make([]float32, 16))
	if err != nil {
		return err
	}
	if err := cutile.Launch(ctx, dev.Grid(1), shapes[tile.D16], x, 3, z); err != nil {
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
