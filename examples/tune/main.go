// Command tune searches for the fastest tiles of three kernels, and keeps what it finds in a file.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/softmax"
	"github.com/cutile-go/cutile/tile"
)

type one = tile.D1

// product is a search for the tiles of c = a·b.
func product(dev *cutile.Device, n int) (s cutile.Search[[3]int], err error) {
	a, errA := random(dev, n, n)
	b, errB := random(dev, n, n)
	c, errC := random(dev, n, n)
	kernel := gemm.Tiled[float32, float32, float32, one, one, one]
	return cutile.Search[[3]int]{
		Space:   [][3]int{{64, 64, 64}, {32, 32, 32}, {128, 64, 32}, {64, 128, 64}, {128, 128, 32}, {128, 128, 128}, {256, 64, 32}},
		Outputs: []cutile.Output{c},
		Launch: func(t [3]int) cutile.Work {
			return cutile.Work{On: dev, Kernel: cutile.Sized(kernel, t[:]...), Args: []any{a, b, c, gemm.Identity[tile.F32T2[one, one]]}}
		},
	}, errors.Join(errA, errB, errC)
}

// normalised is a search for the tiles of y = softmax(x), and for how many columns a block takes at a time.
func normalised(dev *cutile.Device, rows, cols int) (s cutile.Search[[2]int], err error) {
	x, errX := random(dev, rows, cols)
	y, errY := random(dev, rows, cols)
	return cutile.Search[[2]int]{
		Space:   [][2]int{{1, 512}, {1, 1024}, {1, 4096}, {2, 512}, {4, 256}, {4, 1024}, {8, 512}},
		Outputs: []cutile.Output{y},
		Launch: func(t [2]int) cutile.Work {
			kernel := cutile.Sized(softmax.LongRows[float32, one, one], t[:]...)
			return cutile.Work{On: dev.Grid((rows + t[0] - 1) / t[0]), Kernel: kernel, Args: []any{x, y}}
		},
	}, errors.Join(errX, errY)
}

// attended is a search for how many queries and keys a block of flash attention takes at a time.
func attended(dev *cutile.Device, heads, n, dim int) (s cutile.Search[[2]int], err error) {
	q, errQ := random(dev, 1, heads, n, dim)
	k, errK := random(dev, 1, heads, n, dim)
	v, errV := random(dev, 1, heads, n, dim)
	o, errO := random(dev, 1, heads, n, dim)
	return cutile.Search[[2]int]{
		Space:   [][2]int{{128, 64}, {64, 64}, {64, 128}, {32, 32}, {128, 128}, {256, 64}},
		Outputs: []cutile.Output{o},
		Launch: func(t [2]int) cutile.Work {
			kernel := cutile.Sized(attention.Causal[float32, one, one, one], t[0], t[1], dim)
			return cutile.Work{On: dev.Grid((n+t[0]-1)/t[0], heads), Kernel: kernel, Args: []any{q, k.T(), v, o, attention.Scale(dim) * math.Log2E}}
		},
	}, errors.Join(errQ, errK, errV, errO)
}

func random(dev *cutile.Device, shape ...int) (*cutile.Tensor[float32], error) {
	return cutile.Normal[float32](dev, rand.Uint64(), 0, 1, shape...)
}

// search makes a search, and prints what it found.
func search[C any](ctx context.Context, out io.Writer, name string, s cutile.Search[C], err error, records *cutile.Records, budget time.Duration) error {
	if err != nil {
		return err
	}
	s.Records, s.Budget = records, budget
	found, err := cutile.Tune(ctx, s)
	if err != nil {
		return err
	}
	usual := found.Trials[0].Time // of the default, which comes first
	fmt.Fprintf(out, "%-10s %v takes %v, %.2f times as fast as %v; %d of %d tried\n", name, found.Best, found.Time.Round(time.Microsecond),
		float64(usual)/float64(found.Time), s.Space[0], len(found.Trials), len(s.Space))
	return nil
}

func run(ctx context.Context, out io.Writer, file string, n int, budget time.Duration) error {
	dev, err := cutile.Open("")
	if err != nil {
		return err
	}
	defer dev.Close()
	records, err := cutile.OpenRecords(file)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "on %s, into %s\n", dev.Name(), file)
	p, err := product(dev, n)
	if err := search(ctx, out, "product", p, err, records, budget); err != nil {
		return err
	}
	s, err := normalised(dev, n, 2*n)
	if err := search(ctx, out, "softmax", s, err, records, budget); err != nil {
		return err
	}
	a, err := attended(dev, 4, n, 64)
	return search(ctx, out, "attention", a, err, records, budget)
}

func main() {
	file := flag.String("records", "tuned.json", "the `file` of what was found")
	n := flag.Int("n", 512, "the `number` of rows of a matrix, and of queries and keys")
	budget := flag.Duration("budget", 10*time.Second, "the `time` for each kernel")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *file, *n, *budget); err != nil {
		log.Fatal(err)
	}
}
