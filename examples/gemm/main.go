// Command gemm multiplies half-precision matrices, without an epilogue and with a fused bias and activation.
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

//go:embed main.go
var source embed.FS
var _ = cutile.Module(source)

// product returns the tile (i, j) of a·b, summed in float32. Kernels call functions like any Go code; the compiler
// inlines them.
func product[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], i, j int) tile.F32T2[M, N] {
	var sum tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		sum = tile.Dot(a.Load(i, k), b.Load(k, j), sum)
	}
	return sum
}

// gemm computes c = a·b.
func gemm[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], c tile.Out[tile.F16T2[M, N]]) {
	c.Store(tile.F16T2[M, N](product(a, b, c.Index(0), c.Index(1))))
}

// linear computes c = activate(a·b + bias). The function is known when the kernel is compiled and inlined like any
// other, so the product is not written to memory in between.
func linear[M, N, K tile.Dim](a tile.In[tile.F16T2[M, K]], b tile.In[tile.F16T2[K, N]], bias tile.In[tile.F32T1[N]],
	c tile.Out[tile.F16T2[M, N]], activate func(tile.F32T2[M, N]) tile.F32T2[M, N]) {
	i, j := c.Index(0), c.Index(1)
	x := product(a, b, i, j) + tile.F32T2[M, N](bias.Load(j)) // the conversion broadcasts a row over the tile
	c.Store(tile.F16T2[M, N](activate(x)))
}

// relu replaces negative values by zero.
func relu[T tile.FloatTile](x T) T { return max(x, 0) }

// gelu is the Gaussian error linear unit, approximated by tanh as usual.
func gelu[T tile.FloatTile](x T) T {
	return 0.5 * x * (1 + tile.Tanh(math.Sqrt2/math.SqrtPi*(x+0.044715*x*x*x)))
}

// A block computes 64 by 64 elements of the product, in steps of 64 along the inner dimension.
type (
	dimM  = tile.D64
	dimN  = tile.D64
	dimK  = tile.D64
	block = tile.F32T2[dimM, dimN]
)

// multiply queues c = a·b, or c = activate(a·b + bias) if activate is given.
func multiply(ctx context.Context, on cutile.Target, a, b *cutile.Tensor[dtype.Float16], bias *cutile.Tensor[float32],
	c *cutile.Tensor[dtype.Float16], activate func(block) block) error {
	if activate == nil {
		return cutile.Launch3(ctx, on, gemm[dimM, dimN, dimK], a, b, c)
	}
	return cutile.Launch4With(ctx, on, linear[dimM, dimN, dimK], a, b, bias, c, activate)
}

func run(ctx context.Context, out io.Writer) error {
	dev, err := cutile.Open("")
	if err != nil {
		return err
	}
	defer dev.Close() // also frees every tensor

	const m, n, k = 300, 200, 500 // not multiples of the tiles
	fmt.Fprintf(out, "float16 %dx%d by %dx%d on %s\n", m, k, k, n, dev.Name())
	for _, e := range epilogues {
		r, err := compare(ctx, dev, rand.New(rand.NewPCG(1, 2)), m, n, k, e)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-11s starts %5.2f %5.2f %5.2f, greatest error %.1e\n",
			e.name, r.got[0].Float64(), r.got[1].Float64(), r.got[2].Float64(), r.worst)
	}
	return nil
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}
