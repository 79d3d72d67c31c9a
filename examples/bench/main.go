// Command bench measures two kernels that multiply matrices, one of package tile and one of package cute, beside each other for several sizes,
// and writes a table, a plot of their speed and one with the roof of the device.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/bench"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/tile"
)

//go:embed main.go
var source embed.FS

var _ = cutile.Module(source)

// product is the textbook kernel: each block computes a tile of c.
func product[M, N, K tile.Dim](a tile.In[tile.F32T2[M, K]], b tile.In[tile.F32T2[K, N]], c tile.Out[tile.F32T2[M, N]]) {
	var sum tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		sum = tile.Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), sum)
	}
	c.Store(sum)
}

// element computes an element of c with each thread.
func element(a, b, c cute.Tensor[float32]) (_ cute.Kernel) {
	j := cute.BlockIdx().X*cute.BlockDim().X + cute.ThreadIdx().X
	i := cute.BlockIdx().Y
	if j < c.Size(1) {
		sum := float32(0)
		for k := range a.Size(1) {
			sum += a.At(i, k) * b.At(k, j)
		}
		c.Set(sum, i, j)
	}
	return
}

func launchElements(a, b, c cute.Tensor[float32]) error {
	element(a, b, c).Launch(cute.Launch{Grid: cute.D3(cute.CeilDiv(c.Size(1), 64), c.Size(0), 1), Block: cute.D3(64, 1, 1)})
	return nil
}

var elements = cute.Jit(launchElements)

// cases are the ways to multiply matrices of n rows and columns. The first is what the others are compared with.
func cases(dev *cutile.Device, n int) ([]bench.Case, error) {
	a, errA := cutile.Uniform[float32](dev, 1, -1, 1, n, n)
	b, errB := cutile.Uniform[float32](dev, 2, -1, 1, n, n)
	c, errC := cutile.NewTensor[float32](dev, n, n)
	work := []bench.Case{
		{Name: "package kernels/gemm", Work: cutile.Work{Run: func() error { return gemm.Run(context.Background(), dev, a, b, c) }}},
		{Name: "tiles of 64", Work: cutile.Work{Kernel: product[tile.D64, tile.D64, tile.D64], Args: []any{a, b, c}}},
		{Name: "tiles of 16", Work: cutile.Work{Kernel: product[tile.D16, tile.D16, tile.D16], Args: []any{a, b, c}}},
	}
	if n <= mostThreads || dev.Name() != "cpu" { // which emulates threads
		work = append(work, bench.Case{Name: "threads", Work: cutile.Work{Run: func() error {
			return elements(cute.Of[float32](a), cute.Of[float32](b), cute.Of[float32](c))
		}}})
	}
	for i := range work {
		work[i].Work.On, work[i].Outputs = dev, []cutile.Output{c}
		work[i].Bytes, work[i].Flops = 3*4*int64(n)*int64(n), 2*int64(n)*int64(n)*int64(n) // of Run nothing is known, and tiles may be larger than c
	}
	return work, errors.Join(errA, errB, errC)
}

// mostThreads is the greatest size for threads on the CPU.
const mostThreads = 64

func run(ctx context.Context, out io.Writer, dir string, sizes []int, o bench.Options) error {
	dev, err := cutile.Open("")
	if err != nil {
		return err
	}
	defer dev.Close()
	if o.Roof == nil {
		if o.Roof, err = bench.Roof(ctx, dev); err != nil {
			return err
		}
	}
	o.Title, o.Check = "products of float32 matrices", true
	report, err := bench.Sweep(ctx, "n", sizes, func(n int) ([]bench.Case, error) { return cases(dev, n) }, o)
	if err != nil {
		return err
	}
	if err := report.WriteTable(out); err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer, bench.Plot) error{"speed.svg": report.WriteSVG, "roof.svg": report.WriteRoof} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := errors.Join(write(f, bench.Plot{LogX: true}), f.Close()); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\nspeed.svg and roof.svg show it\n")
	return nil
}

func main() {
	dir := flag.String("dir", ".", "the `folder` of the plots")
	budget := flag.Duration("budget", time.Second, "the `time` for each size")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *dir, []int{32, 64, 128, 256, 512, 1024}, bench.Options{Budget: *budget}); err != nil {
		log.Fatal(err)
	}
}
