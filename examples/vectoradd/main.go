// Command vectoradd adds two vectors. It is a minimal program with a kernel.
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"log"
	"math"
	"os"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// The kernel compiler reads this package's source at run time.
//
//go:embed main.go
var source embed.FS
var _ = cutile.Module(source)

// add computes one tile of B elements in each block. The last tile may extend beyond the end: elements outside read as
// zero and are not stored.
func add[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
	i := z.Index(0)
	z.Store(x.Load(i) + y.Load(i))
}

// sum adds two slices of equal length on the device.
func sum(ctx context.Context, dev *cutile.Device, xs, ys []float32) ([]float32, error) {
	if len(xs) != len(ys) {
		return nil, fmt.Errorf("vectors of %d and %d elements", len(xs), len(ys))
	}
	x, err := cutile.FromSlice(dev, xs)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	y, err := cutile.FromSlice(dev, ys)
	if err != nil {
		return nil, err
	}
	defer y.Close()
	z, err := cutile.NewTensor[float32](dev, len(xs))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	if err := cutile.Launch(ctx, dev, add[tile.D1024], x, y, z); err != nil {
		return nil, err
	}
	return z.Slice() // waits for the kernel
}

func run(ctx context.Context, out io.Writer) error {
	dev, err := cutile.Open("") // a GPU if there is one, else the CPU
	if err != nil {
		return err
	}
	defer dev.Close()

	const n = 1_000_003 // not a multiple of the tile
	xs, ys := make([]float32, n), make([]float32, n)
	for i := range xs {
		xs[i], ys[i] = float32(i), 1/float32(i+1)
	}
	zs, err := sum(ctx, dev, xs, ys)
	if err != nil {
		return err
	}
	worst := 0.0
	for i, z := range zs {
		want := float64(xs[i]) + float64(ys[i])
		worst = max(worst, math.Abs(float64(z)-want)/want)
	}
	fmt.Fprintf(out, "device           %s\n", dev.Name())
	fmt.Fprintf(out, "elements         %d\n", n)
	fmt.Fprintf(out, "first            %v\n", zs[:4])
	fmt.Fprintf(out, "relative error   %.1e\n", worst)
	return nil
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}
