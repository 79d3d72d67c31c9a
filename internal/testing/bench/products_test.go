package bench_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	kernels "github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/tile"
)

// BenchmarkProducts multiplies square matrices by the kernels of package kernels/gemm, with one worker and with as many as there
// are cores. Speeds are in GFLOP/s, also those of integers.
func BenchmarkProducts(b *testing.B) {
	for _, kind := range []struct {
		name string
		run  func(b *testing.B, dev *cutile.Device, n int)
		opts []cutile.Option
	}{
		{"f32", square(kernels.Run[float32, float32]), nil},
		{"f64", square(kernels.RunFloat64), nil},
		{"f16", square(kernels.Run[dtype.Float16, float32]), nil},
		{"bf16", square(kernels.Run[dtype.BFloat16, float32]), nil},
		{"bf16-fast", square(kernels.Run[dtype.BFloat16, float32]), []cutile.Option{cutile.WithFastBF16()}},
		{"i8", square(kernels.RunInt8), nil},
	} {
		for _, n := range []int{256, 1024, 2048} {
			for _, workers := range []int{1, runtime.GOMAXPROCS(0)} {
				b.Run(fmt.Sprintf("%s/%d/workers=%d", kind.name, n, workers), func(b *testing.B) {
					kind.run(b, open(b, append(kind.opts, cutile.WithWorkers(workers))...), n)
				})
			}
		}
	}
}

// square measures a function for products of square matrices.
func square[E, C dtype.Elem](f func(ctx context.Context, on cutile.Target, a, b *cutile.Tensor[E], c *cutile.Tensor[C]) error) func(*testing.B, *cutile.Device, int) {
	return func(b *testing.B, dev *cutile.Device, n int) {
		x, y, z := empty[E](b, dev, n), empty[E](b, dev, n), empty[C](b, dev, n)
		measure(b, n, func(ctx context.Context) error { return f(ctx, dev, x, y, z) }, dev)
	}
}

// BenchmarkTiles multiplies matrices of float32 by the textbook kernel, with square tiles of several sizes.
func BenchmarkTiles(b *testing.B) {
	const n = 1024
	for _, size := range []int{32, 64, 128, 256} {
		for _, workers := range []int{1, runtime.GOMAXPROCS(0)} {
			b.Run(fmt.Sprintf("%d/workers=%d", size, workers), func(b *testing.B) {
				dev := open(b, cutile.WithWorkers(workers))
				x, y, z := empty[float32](b, dev, n), empty[float32](b, dev, n), empty[float32](b, dev, n)
				k := cutile.Sized(gemm[tile.D1, tile.D1, tile.D1], size, size, 32)
				measure(b, n, func(ctx context.Context) error { return cutile.Launch(ctx, dev, k, x, y, z) }, dev)
			})
		}
	}
}

func empty[E dtype.Elem](b *testing.B, dev *cutile.Device, n int) *cutile.Tensor[E] {
	x, err := cutile.NewTensor[E](dev, n, n)
	if err != nil {
		b.Fatal(err)
	}
	return x
}

// measure repeats a product of n by n matrices. The fastest of all runs counts, since other work of the machine only makes runs
// slower.
func measure(b *testing.B, n int, f func(ctx context.Context) error, dev *cutile.Device) {
	ctx := context.Background()
	run := func() {
		if err := f(ctx); err != nil {
			b.Fatal(err)
		}
		if err := dev.Sync(ctx); err != nil {
			b.Fatal(err)
		}
	}
	run()
	fastest := time.Duration(math.MaxInt64)
	for b.Loop() {
		begin := time.Now()
		run()
		fastest = min(fastest, time.Since(begin))
	}
	b.ReportMetric(2*float64(n)*float64(n)*float64(n)/float64(fastest.Nanoseconds()), "GFLOP/s")
}
