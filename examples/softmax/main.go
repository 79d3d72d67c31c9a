// Command softmax normalises rows that are longer than a tile. It reads each row twice.
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
	"github.com/cutile-go/cutile/tile"
)

//go:embed main.go
var source embed.FS
var _ = cutile.Module(source)

// softmax computes e^x divided by the sum of e^x for each row of x. A block has R rows and processes them C columns at
// a time.
//
// The greatest element of a row is subtracted from the exponents, since they would overflow otherwise. The first pass
// finds it together with the sum: if a tile has a greater element, the previous sum is scaled down.
func softmax[R, C tile.Dim](x tile.In[tile.F32T2[R, C]], y tile.InOut[tile.F32T2[R, C]]) {
	i := tile.BlockID(0)
	peak := tile.F32T2[R, tile.D1](-math.MaxFloat32) // not -Inf, since -Inf - -Inf is NaN
	var sum tile.F32T2[R, tile.D1]
	for j := range x.Tiles(1) {
		t := x.LoadPad(math.Inf(-1), i, j) // elements outside add e^-Inf = 0
		higher := max(peak, t.Max1())
		sum = sum*tile.Exp(peak-higher) + tile.Exp(t-tile.F32T2[R, C](higher)).Sum1()
		peak = higher
	}
	for j := range x.Tiles(1) {
		e := tile.Exp(x.Load(i, j) - tile.F32T2[R, C](peak))
		y.Store(e/tile.F32T2[R, C](sum), i, j)
	}
}

// rowsPerBlock must be equal to the extent that is passed to the kernel, since it determines the grid.
const rowsPerBlock = 4

// normalise queues y = softmax(x). An InOut may be stored at any tile, so the grid does not follow from it.
func normalise(ctx context.Context, dev *cutile.Device, x, y *cutile.Tensor[float32]) error {
	blocks := (x.Shape()[0] + rowsPerBlock - 1) / rowsPerBlock
	return cutile.Launch2(ctx, dev.Grid(blocks), softmax[tile.D4, tile.D512], x, y)
}

func run(ctx context.Context, out io.Writer) error {
	dev, err := cutile.Open("")
	if err != nil {
		return err
	}
	defer dev.Close()
	const rows, cols = 37, 5003
	xs := random(rand.New(rand.NewPCG(1, 2)), rows*cols)
	ys, err := onDevice(ctx, dev, xs, rows, cols)
	if err != nil {
		return err
	}
	sum := 0.0
	for _, y := range ys[:cols] {
		sum += float64(y)
	}
	fmt.Fprintf(out, "softmax of %d rows of %d on %s\n", rows, cols, dev.Name())
	fmt.Fprintf(out, "the first row sums to %.5f\n", sum)
	fmt.Fprintf(out, "greatest relative error %.1e\n", worst(ys, xs, cols))
	return nil
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}
