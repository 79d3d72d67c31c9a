package kernels_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/norm"
	"github.com/cutile-go/cutile/kernels/softmax"
	"github.com/cutile-go/cutile/kernels/transpose"
)

// ofRows are functions of the packages of kernels that take a matrix of float32 with any number of columns.
var ofRows = []struct {
	name string
	run  func(ctx context.Context, dev *cutile.Device, x, y, w *cutile.Tensor[float32]) error
}{
	{"softmax", func(ctx context.Context, dev *cutile.Device, x, y, w *cutile.Tensor[float32]) error {
		return softmax.Run(ctx, dev, x, y)
	}},
	{"rmsnorm", func(ctx context.Context, dev *cutile.Device, x, y, w *cutile.Tensor[float32]) error {
		return norm.RMS(ctx, dev, x, w, y, 1e-5)
	}},
	{"copy", func(ctx context.Context, dev *cutile.Device, x, y, w *cutile.Tensor[float32]) error {
		return transpose.RunPermute(ctx, dev, x, y, 0, 1)
	}},
}

// BenchmarkEdges compares rows of 768 and of 1000 elements, for which kernels take tiles of 1024 that reach beyond the tensor, with rows of
// 1024, on one worker. It reports how much of the time of a row of 1024 a row takes:
//
//	go test ./kernels -run '^$' -bench Edges -benchtime 20x
func BenchmarkEdges(b *testing.B) {
	defer func(f func(*cpu.Options)) { cpu.Adjust = f }(cpu.Adjust)
	cpu.Adjust = func(o *cpu.Options) { o.Early = false }
	dev, err := cutile.Open("cpu", cutile.WithWorkers(1))
	kerneltest.Must(b, err)
	defer dev.Close()
	const rows, whole = 1024, 1024
	widths := []int{whole, 768, 1000}
	tensor := func(shape ...int) *cutile.Tensor[float32] {
		x, err := cutile.NewTensor[float32](dev, shape...)
		kerneltest.Must(b, err)
		return x
	}
	type contender struct {
		name  string
		run   func()
		least float64
	}
	var all [][]*contender
	for _, k := range ofRows {
		var list []*contender
		for _, n := range widths {
			x, y, w := tensor(rows, n), tensor(rows, n), tensor(n)
			list = append(list, &contender{fmt.Sprint(k.name, "-", n), func() {
				kerneltest.Must(b, k.run(b.Context(), dev, x, y, w))
				kerneltest.Must(b, dev.Sync(b.Context()))
			}, math.Inf(1)})
		}
		all = append(all, list)
	}
	for b.Loop() {
		for _, list := range all {
			for _, c := range list {
				start := time.Now()
				c.run()
				c.least = min(c.least, time.Since(start).Seconds())
			}
		}
	}
	for _, list := range all {
		for _, c := range list[1:] {
			b.ReportMetric(c.least/list[0].least, c.name)
		}
	}
}
