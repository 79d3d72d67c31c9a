package graph_test

import (
	"context"
	"testing"
	"time"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/softmax"
	"github.com/cutile-go/cutile/kernels/transpose"
)

// BenchmarkReady measures kernels that graphs become beside ready kernels for the same, in turn. It reports the time of the ready
// kernel as a multiple of the graph's: above 1 the graph is faster.
func BenchmarkReady(b *testing.B) {
	for _, c := range []struct {
		name  string
		shape []int
		graph func(x *graph.Value) *graph.Value
		ready func(ctx context.Context, dev *device.Device, x, y *device.Tensor[float32]) error
	}{
		{"softmax", []int{2048, 1000}, func(x *graph.Value) *graph.Value { return graph.Softmax(x, -1) },
			func(ctx context.Context, dev *device.Device, x, y *device.Tensor[float32]) error {
				return softmax.Run(ctx, dev, x, y)
			}},
		{"transpose", []int{1500, 1500}, func(x *graph.Value) *graph.Value { return graph.Transpose(x) },
			func(ctx context.Context, dev *device.Device, x, y *device.Tensor[float32]) error {
				return transpose.Run(ctx, dev, x, y)
			}},
		{"square", []int{512, 512}, func(x *graph.Value) *graph.Value { return graph.MatMul(x, x) },
			func(ctx context.Context, dev *device.Device, x, y *device.Tensor[float32]) error {
				return gemm.Run(ctx, dev, x, x, y)
			}},
		{"square of 1000", []int{1000, 1000}, func(x *graph.Value) *graph.Value { return graph.MatMul(x, x) },
			func(ctx context.Context, dev *device.Device, x, y *device.Tensor[float32]) error {
				return gemm.Run(ctx, dev, x, x, y)
			}},
	} {
		b.Run(c.name, func(b *testing.B) {
			dev, err := device.Open("cpu")
			if err != nil {
				b.Fatal(err)
			}
			defer dev.Close()
			n := c.shape[0] * c.shape[1]
			x, err := device.FromSlice(dev, counting(n, 11), c.shape...)
			if err != nil {
				b.Fatal(err)
			}
			g := graph.New()
			y := c.graph(g.Parameter("x", dtype.F32, c.shape...))
			p, err := g.Compile(b.Context(), dev, y)
			if err != nil {
				b.Fatal(err)
			}
			out, err := device.NewTensor[float32](dev, y.Shape()...)
			if err != nil {
				b.Fatal(err)
			}
			results := []device.AnyTensor{out}
			var times [2]time.Duration
			measure := func(i int, f func() error) {
				start := time.Now()
				if err := f(); err != nil {
					b.Fatal(err)
				}
				if err := dev.Sync(b.Context()); err != nil {
					b.Fatal(err)
				}
				times[i] += time.Since(start)
			}
			both := func() {
				measure(0, func() error { return p.RunInto(b.Context(), dev, results, x) })
				measure(1, func() error { return c.ready(b.Context(), dev, x, out) })
			}
			for range 5 {
				both()
			}
			times = [2]time.Duration{}
			for b.Loop() {
				both()
			}
			b.ReportMetric(float64(times[1])/float64(times[0]), "ready/graph")
		})
	}
}
