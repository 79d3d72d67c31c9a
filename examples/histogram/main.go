// Command histogram counts samples with atomic additions, through raw pointers and masks.
package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed main.go
var source embed.FS
var _ = cutile.Module(source)

// histogram counts n samples in bins of equal width, which start at low, with perUnit bins for each unit. It ignores
// samples outside the bins. Any number of blocks may share the samples.
//
// A Ptr has no shape: the kernel computes the offsets, and a mask selects those that are valid. No tensor type mentions
// B, so a Size parameter does.
func histogram[B tile.Dim](samples tile.Ptr[float32], n int, low, perUnit float32, bins tile.Ptr[int32], count int, _ tile.Size[B]) {
	b := tile.Extent[B]()
	for start := tile.BlockID(0) * b; start < n; start += tile.NumBlocks(0) * b {
		offset := tile.I32T1[B](start) + tile.Iota[B]()
		x := tile.Gather[tile.F32T1[B]](samples, offset, offset < tile.I32T1[B](n), tile.NaN[tile.F32T1[B]]())
		bin := tile.Floor((x - tile.F32T1[B](low)) * tile.F32T1[B](perUnit))
		inside := bin >= 0 && bin < tile.F32T1[B](count) // NaN is not inside
		tile.AtomicAdd(bins, tile.I32T1[B](bin), tile.I32T1[B](1), inside)
	}
}

const low, high = -4, 4

// count sorts samples into bins of equal width from low to high.
func count(ctx context.Context, dev *cutile.Device, samples *cutile.Tensor[float32], bins int) (*cutile.Tensor[int32], error) {
	counts, err := cutile.NewTensor[int32](dev, bins) // zeros
	if err != nil {
		return nil, err
	}
	const blocks = 64 // enough to keep the device busy; each block loops until all samples are counted
	perUnit := float32(bins) / (high - low)
	return counts, cutile.Launch(ctx, dev.Grid(blocks), histogram[tile.D1024],
		samples, samples.Len(), float32(low), perUnit, counts, bins)
}

func run(ctx context.Context, out io.Writer) error {
	dev, err := cutile.Open("")
	if err != nil {
		return err
	}
	defer dev.Close()
	xs := normal(rand.New(rand.NewPCG(1, 2)), 1_000_003)
	samples, err := cutile.FromSlice(dev, xs)
	if err != nil {
		return err
	}
	const bins = 16
	counts, err := count(ctx, dev, samples, bins)
	if err != nil {
		return err
	}
	got, err := counts.Slice()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d samples on %s\n", len(xs), dev.Name())
	wrong := 0
	for i, want := range reference(xs, bins) {
		left := low + float64(i)*(high-low)/bins
		fmt.Fprintf(out, "%4.1f %6d %s\n", left, got[i], strings.Repeat("#", int(got[i])/4000))
		if got[i] != want {
			wrong++
		}
	}
	fmt.Fprintf(out, "bins that differ from plain Go: %d\n", wrong)
	return nil
}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}
