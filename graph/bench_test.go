package graph_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// benchmark measures a function of one array, and reports work, in 1e9 units, for each second.
func benchmark(b *testing.B, shape []int, f func(x *graph.Value) *graph.Value, unit string, work float64) {
	dev, err := device.Open("cpu")
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	g := graph.New()
	x := g.Parameter("x", dtype.F32, shape...)
	y := f(x)
	p, err := g.Compile(b.Context(), dev, y)
	if err != nil {
		b.Fatal(err)
	}
	n := 1
	for _, d := range shape {
		n *= d
	}
	in, err := device.FromSlice(dev, counting(n, 7), shape...)
	if err != nil {
		b.Fatal(err)
	}
	out, err := device.NewTensor[float32](dev, y.Shape()...)
	if err != nil {
		b.Fatal(err)
	}
	run := func() {
		if err := p.RunInto(b.Context(), dev, []device.AnyTensor{out}, in); err != nil {
			b.Fatal(err)
		}
		if err := dev.Sync(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	for range 3 {
		run()
	}
	for b.Loop() {
		run()
	}
	b.ReportMetric(work*float64(b.N)/b.Elapsed().Seconds()/1e9, unit)
}

// BenchmarkConv measures convolutions of the sizes of a ResNet, and depthwise ones of a MobileNet.
func BenchmarkConv(b *testing.B) {
	for _, c := range []struct{ channels, out, size, window, stride, groups int }{
		{3, 64, 224, 7, 2, 1}, {64, 64, 56, 3, 1, 1}, {128, 128, 28, 3, 1, 1}, {256, 256, 14, 3, 1, 1}, {512, 512, 7, 3, 1, 1}, {64, 256, 56, 1, 1, 1}, {512, 2048, 7, 1, 1, 1},
		{64, 64, 112, 3, 1, 64}, {144, 144, 56, 3, 2, 144}, {576, 576, 14, 3, 1, 576}, {240, 240, 28, 5, 1, 240},
	} {
		b.Run(fmt.Sprintf("%dx%dx%d/%dx%d/%d", c.channels, c.size, c.size, c.window, c.window, c.groups), func(b *testing.B) {
			pad, stride, elements := []int{c.window / 2, c.window / 2}, []int{c.stride, c.stride}, c.out*c.channels/c.groups*c.window*c.window
			places := (c.size + c.stride - 1) / c.stride
			benchmark(b, []int{1, c.channels, c.size, c.size}, func(x *graph.Value) *graph.Value {
				w := graph.Constant(x.Graph(), counting(elements, 5), c.out, c.channels/c.groups, c.window, c.window)
				return graph.Relu(graph.Conv(x, w, graph.ConvOptions{Low: pad, High: pad, Stride: stride, Groups: c.groups}))
			}, "GFLOP/s", 2*float64(elements*places*places))
		})
	}
}

// BenchmarkVector measures products of a few rows with a matrix, which take as long as reading the matrix does.
func BenchmarkVector(b *testing.B) {
	for _, rows := range []int{1, 2, 4, 16} {
		for _, name := range []string{"plain", "transposed"} {
			b.Run(fmt.Sprintf("%d/%s", rows, name), func(b *testing.B) {
				const n = 2048
				benchmark(b, []int{rows, n}, func(x *graph.Value) *graph.Value {
					w := graph.Constant(x.Graph(), counting(n*n, 5), n, n)
					if name == "transposed" {
						w = graph.Transpose(w)
					}
					return graph.MatMul(x, w)
				}, "GB/s", 4*n*n)
			})
		}
	}
}
