package gemm

import (
	"fmt"
	"testing"
	"time"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/host"
)

// BenchmarkPeak shows what the other benchmarks' numbers can be at most.
func BenchmarkPeak(b *testing.B) {
	for _, target := range targets(b) {
		if target.Features != target.Level.Requires() {
			continue
		}
		b.Run(target.Level.String(), func(b *testing.B) {
			best := 0.0
			for b.Loop() {
				p, err := Peak(target.Level)
				if err != nil {
					b.Fatal(err)
				}
				best = max(best, p)
			}
			b.ReportMetric(best/1e9, "GFLOP/s")
		})
	}
}

// buffer makes n floats.
func buffer(n int) unsafe.Pointer {
	f := make([]float32, n+16)
	for i := range f {
		f[i] = float32(i%13) * 0.125
	}
	at := unsafe.Pointer(&f[0])
	return unsafe.Add(at, -uintptr(at)&63)
}

// best is the target with all that the machine has.
func best(b *testing.B, level host.Level) Target {
	m := host.Machine()
	if !m.Features.Has(level.Requires()) {
		b.Skipf("the machine does not run %v", level)
	}
	return Target{Level: level, Features: m.Features & level.Allows()}
}

func BenchmarkTile(b *testing.B) {
	for _, level := range []host.Level{host.LevelAVX512, host.LevelAVX2} {
		for _, kind := range []Kind{F32, F64, BF16, S8S8, S8U8} {
			for _, n := range []int{8, 16, 32, 64, 128} {
				b.Run(fmt.Sprintf("%v/%v/%d", level, kind, n), func(b *testing.B) { benchTile(b, best(b, level), kind, n) })
			}
		}
	}
}

func benchTile(b *testing.B, target Target, kind Kind, n int) {
	e := kind.Elem()
	t, err := NewTile(target, TileSpec{kind, n, n, n, RowMajor(n, e), RowMajor(n, e)})
	if err != nil {
		b.Fatal(err)
	}
	x, y, c := buffer(n*n*2), buffer(n*n*2), buffer(n*n*2)
	scratch := unsafe.Slice((*byte)(buffer(t.Scratch()/4+1)), t.Scratch())
	sums := Sums{c, n * kind.Acc()}
	report(b, 100*2*float64(n*n*n), func() {
		for range 100 {
			t.Run(sums, sums, x, y, scratch)
		}
	})
}

// BenchmarkGenerate measures the making of the code for a shape.
func BenchmarkGenerate(b *testing.B) {
	for _, n := range []int{16, 64, 77} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				kernels.byID = nil
				if _, err := NewTile(best(b, host.Best()), TileSpec{F32, n, n, n, RowMajor(n, 4), RowMajor(n, 4)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkProduct(b *testing.B) {
	for _, level := range []host.Level{host.LevelAVX512, host.LevelAVX2} {
		for _, kind := range []Kind{F32, F64, BF16, BF16Pairs, S8S8, S8U8} {
			for _, n := range []int{256, 512, 1024, 2048, 4096} {
				for _, workers := range []int{1, 2} {
					b.Run(fmt.Sprintf("%v/%v/%d/workers=%d", level, kind, n, workers), func(b *testing.B) {
						benchProduct(b, best(b, level), kind, n, workers)
					})
				}
			}
		}
	}
}

func benchProduct(b *testing.B, target Target, kind Kind, n, workers int) {
	if _, _, err := kind.scheme(target, size{}); err != nil {
		b.Skip(err)
	}
	e := kind.Elem()
	spec := ProductSpec{Kind: kind, M: n, N: n, K: n, A: RowMajor(n, e), B: RowMajor(n, e)}
	x, y, c := buffer(n*n*2), buffer(n*n*2), buffer(n*n*2)
	report(b, 2*float64(n)*float64(n)*float64(n), func() {
		cache := NewCache(1 << 30)
		p, err := NewProduct(target, spec, x, y, cache)
		if err != nil {
			b.Fatal(err)
		}
		doAll(p, workers, Sums{c, n * kind.Acc()}, false)
		cache.Release()
	})
}

// report repeats a function and reports its speed. The fastest of all runs counts, since other work of the machine only makes
// runs slower.
func report(b *testing.B, work float64, f func()) {
	fastest := time.Duration(1 << 62)
	for b.Loop() {
		begin := time.Now()
		f()
		fastest = min(fastest, time.Since(begin))
	}
	b.ReportMetric(work/float64(fastest.Nanoseconds()), "GFLOP/s")
}

// BenchmarkNewProduct measures what a launch pays before its first block.
func BenchmarkNewProduct(b *testing.B) {
	x, y := buffer(1<<20), buffer(1<<20)
	spec := ProductSpec{Kind: F32, M: 1024, N: 1024, K: 1024, A: RowMajor(1024, 4), B: RowMajor(1024, 4), BlockM: 128, BlockN: 128}
	target := best(b, host.Best())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewProduct(target, spec, x, y, NewCache(1<<20)); err != nil {
			b.Fatal(err)
		}
	}
}
