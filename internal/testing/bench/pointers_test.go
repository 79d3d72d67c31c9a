package bench_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// BenchmarkPointers computes z = 2x + y for 65,536 numbers by views and through pointers, on one worker, and reports how many times as long
// pointers take, as the least of some launches in turn:
//
//	go test ./internal/testing/bench -run '^$' -bench Pointers -benchtime 400x
func BenchmarkPointers(b *testing.B) {
	const n, size = 1 << 16, 1024
	dev := open(b, cutile.WithWorkers(1))
	vector := func() *cutile.Tensor[float32] {
		x, err := cutile.NewTensor[float32](dev, n)
		if err != nil {
			b.Fatal(err)
		}
		return x
	}
	x, y, z := vector(), vector(), vector()
	type contender struct {
		name  string
		p     *cutile.Prepared
		least float64
	}
	var all []*contender
	for _, k := range []struct {
		name   string
		kernel any
		on     cutile.Target
		args   []any
	}{
		{"views", axpyViews[tile.D1024], dev, []any{x, y, z}},
		{"32-bits", axpyPointers[tile.D1024], dev.Grid(n / size), []any{x, y, z, n}},
		{"64-bits", axpyPointers64[tile.D1024], dev.Grid(n / size), []any{x, y, z, n}},
	} {
		p, err := cutile.Prepare(b.Context(), k.on, k.kernel, k.args...)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, &contender{k.name, p, math.Inf(1)})
	}
	for b.Loop() {
		for _, c := range all {
			c.least = min(c.least, timed(b, dev, c.p))
		}
	}
	for _, c := range all[1:] {
		b.ReportMetric(c.least/all[0].least, c.name)
	}
}

// BenchmarkBins counts 1,048,576 numbers in 128 bins by tiles of several sizes, on one worker, and reports how many times as long they take as a
// loop in Go, as the least of some launches in turn:
//
//	go test ./internal/testing/bench -run '^$' -bench Bins -benchtime 50x
func BenchmarkBins(b *testing.B) {
	const n, places = 1 << 20, 128
	dev := open(b, cutile.WithWorkers(1))
	numbers := make([]int32, n)
	for i := range numbers {
		numbers[i] = int32(i*2654435761>>7) & (places - 1)
	}
	x, err := cutile.FromSlice(dev, numbers)
	if err != nil {
		b.Fatal(err)
	}
	bins, err := cutile.NewTensor[int32](dev, places)
	if err != nil {
		b.Fatal(err)
	}
	sizes := []int{16, 64, 128, 256, 1024}
	var all []*cutile.Prepared
	least := slices.Repeat([]float64{math.Inf(1)}, len(sizes)+1)
	for _, size := range sizes {
		p, err := cutile.Prepare(b.Context(), dev.Grid(n/size), cutile.Sized(count[tile.D1], size), x, bins)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, p)
	}
	sums := make([]int32, places)
	for b.Loop() {
		for i, p := range all {
			least[i] = min(least[i], timed(b, dev, p))
		}
		start := time.Now()
		for _, k := range numbers {
			sums[k]++
		}
		least[len(sizes)] = min(least[len(sizes)], time.Since(start).Seconds())
	}
	for i, size := range sizes {
		b.ReportMetric(least[i]/least[len(sizes)], fmt.Sprint("tile-", size))
	}
}

// timed is how many seconds a launch takes.
func timed(b *testing.B, dev *cutile.Device, p *cutile.Prepared) float64 {
	start := time.Now()
	if err := p.Launch(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := dev.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	return time.Since(start).Seconds()
}
