// Command ranks computes π in as many processes as started it: each sums its part of an integral, and all add their sums.
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
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/tile"
)

//go:embed main.go
var source embed.FS
var _ = cutile.Module(source)

// heights sums 4/(1+x²) over the points of one tile in each block. Points beyond the end add nothing: they read as +Inf.
func heights[B tile.Dim](x tile.In[tile.F64T1[B]], sums tile.Out[tile.F64T1[tile.D1]]) {
	i := sums.Index(0)
	p := x.LoadPad(math.Inf(1), i)
	sums.Store((4 / (1 + p*p)).Sum0())
}

const tileLen = 1024 // the extent that is passed to the kernel

// integrate sums the heights of n points, of which this process takes its part, over all processes.
func integrate(ctx context.Context, dev *cutile.Device, g *dist.Group, n int) (float64, error) {
	from, to := n*g.Rank()/g.Size(), n*(g.Rank()+1)/g.Size()
	at := func(i int) float64 { return (float64(i) + 0.5) / float64(n) }
	points, err := cutile.Linspace[float64](dev, at(from), at(to-1), to-from)
	if err != nil {
		return 0, err
	}
	defer points.Close()
	sums, err := cutile.NewTensor[float64](dev, (to-from+tileLen-1)/tileLen)
	if err != nil {
		return 0, err
	}
	defer sums.Close()
	if err := cutile.Launch(ctx, dev, heights[tile.D1024], points, sums); err != nil {
		return 0, err
	}
	own := 0.0
	parts, err := sums.Slice() // waits for the kernel
	if err != nil {
		return 0, err
	}
	for _, s := range parts {
		own += s
	}
	total, err := cutile.Full(dev, own, 1)
	if err != nil {
		return 0, err
	}
	defer total.Close()
	if err := dist.AllReduce(ctx, g, dist.Sum, total, total); err != nil {
		return 0, err
	}
	return total.Item() // waits for the other processes
}

// run prints the result in rank 0: each process would print the same.
func run(ctx context.Context, out io.Writer) error {
	self, err := dist.Self()
	if err != nil {
		return err
	}
	dev, err := cutile.Open(self.Device("")) // each process takes a GPU, where there are some
	if err != nil {
		return err
	}
	defer dev.Close()
	g, err := dist.Join(ctx, dev)
	if err != nil {
		return err
	}
	const n = 1_000_003
	sum, err := integrate(ctx, dev, g, n)
	if err != nil {
		return err
	}
	if pi := sum / n; g.Rank() == 0 {
		fmt.Fprintf(out, "processes   %d\n", g.Size())
		fmt.Fprintf(out, "points      %d\n", n)
		fmt.Fprintf(out, "π           %.9f\n", pi)
		fmt.Fprintf(out, "error       %.1e\n", math.Abs(pi-math.Pi))
	}
	return g.Close()
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err) // the launcher ends the other processes
	}
}
