package bench_test

import (
	"context"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

func open(tb testing.TB, opts ...cutile.Option) *cutile.Device {
	dev, err := cutile.Open("cpu", opts...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { dev.Close() })
	return dev
}

func tensor(tb testing.TB, dev *cutile.Device, seed float64, shape ...int) *cutile.Tensor[float32] {
	n := 1
	for _, d := range shape {
		n *= d
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(math.Sin(seed + float64(i)))
	}
	x, err := cutile.FromSlice(dev, data, shape...)
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

// prepared repeats one launch; each is waited for.
func prepared(b *testing.B, dev *cutile.Device, kernel any, args ...any) {
	ctx := context.Background()
	p, err := cutile.Prepare(ctx, dev, kernel, args...)
	if err != nil {
		b.Fatal(err)
	}
	if err := p.Launch(ctx); err != nil {
		b.Fatal(err)
	}
	if err := dev.Sync(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Launch(ctx); err != nil {
			b.Fatal(err)
		}
		if err := dev.Sync(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLaunch is a prepared launch of one small block: by itself, waiting only now and then, and with a wait each.
func BenchmarkLaunch(b *testing.B) {
	dev := open(b)
	x, z := tensor(b, dev, 1, 16), tensor(b, dev, 2, 16)
	b.Run("queue", func(b *testing.B) {
		ctx := context.Background()
		p, err := cutile.Prepare(ctx, dev, add[tile.D16], x, x, z)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			if err := p.Launch(ctx); err != nil {
				b.Fatal(err)
			}
			if n%1024 == 0 {
				if err := dev.Sync(ctx); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("wait", func(b *testing.B) { prepared(b, dev, add[tile.D16], x, x, z) })
}

// BenchmarkShared is launches of some 20 µs that follow each other, as the kernels of a small network do: how many times as fast all workers
// are as one, measured in turn.
func BenchmarkShared(b *testing.B) {
	ctx := context.Background()
	var devices []*cutile.Device
	var launches []*cutile.Prepared
	for _, workers := range []int{1, runtime.GOMAXPROCS(0)} {
		dev := open(b, cutile.WithWorkers(workers))
		x, y := tensor(b, dev, 1, 16, 1024), tensor(b, dev, 2, 16, 1024)
		p, err := cutile.Prepare(ctx, dev, softmax[tile.D4, tile.D1024], x, y)
		if err != nil {
			b.Fatal(err)
		}
		devices, launches = append(devices, dev), append(launches, p)
	}
	var took [2]time.Duration
	for b.Loop() {
		for i, p := range launches {
			start := time.Now()
			for range 64 {
				if err := p.Launch(ctx); err != nil {
					b.Fatal(err)
				}
			}
			if err := devices[i].Sync(ctx); err != nil {
				b.Fatal(err)
			}
			took[i] += time.Since(start)
		}
	}
	b.ReportMetric(float64(took[0].Microseconds())/float64(64*b.N), "µs/launch")
	b.ReportMetric(took[0].Seconds()/took[1].Seconds(), "times")
}

const size = 1024

// BenchmarkGEMM multiplies f32 matrices of 1024 x 1024: on the CPU engine, and by a parallel i-k-j loop in plain Go.
func BenchmarkGEMM(b *testing.B) {
	dev := open(b)
	x, y, z := tensor(b, dev, 1, size, size), tensor(b, dev, 2, size, size), tensor(b, dev, 3, size, size)
	b.Run("engine-128x128x32", func(b *testing.B) {
		prepared(b, dev, gemm[tile.D128, tile.D128, tile.D32], x, y, z)
		flops(b)
	})
	b.Run("engine-64x64x32", func(b *testing.B) {
		prepared(b, dev, gemm[tile.D64, tile.D64, tile.D32], x, y, z)
		flops(b)
	})
	xs, _ := x.Slice()
	ys, _ := y.Slice()
	zs := make([]float32, size*size)
	b.Run("plain-ikj", func(b *testing.B) {
		for b.Loop() {
			plain(xs, ys, zs)
		}
		flops(b)
	})
}

func flops(b *testing.B) {
	b.ReportMetric(2*size*size*size/float64(b.Elapsed().Nanoseconds())*float64(b.N), "GFLOP/s")
}

// plain is the loop that a Go programmer would write: rows shared among the cores, the inner loop over contiguous rows.
func plain(a, b, c []float32) {
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < size; i += workers {
				row := c[i*size : (i+1)*size]
				clear(row)
				for k, x := range a[i*size : (i+1)*size] {
					for j, y := range b[k*size : (k+1)*size] {
						row[j] += x * y
					}
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkSoftmax is over rows of 1,024.
func BenchmarkSoftmax(b *testing.B) {
	dev := open(b)
	prepared(b, dev, softmax[tile.D4, tile.D1024], tensor(b, dev, 1, 4096, 1024), tensor(b, dev, 2, 4096, 1024))
	b.SetBytes(2 * 4 * 4096 * 1024)
}

// BenchmarkAdd is x + y over 16 Mi elements.
func BenchmarkAdd(b *testing.B) {
	dev := open(b)
	prepared(b, dev, add[tile.D4096], tensor(b, dev, 1, 1<<24), tensor(b, dev, 2, 1<<24), tensor(b, dev, 3, 1<<24))
	b.SetBytes(3 * 4 << 24)
}
