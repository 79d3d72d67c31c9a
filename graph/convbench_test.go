package graph_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// BenchmarkConv measures convolutions of the sizes of a ResNet beside a matrix product of as many operations.
func BenchmarkConv(b *testing.B) {
	for _, c := range []struct{ channels, out, size, window, stride int }{
		{3, 64, 224, 7, 2}, {64, 64, 56, 3, 1}, {128, 128, 28, 3, 1}, {256, 256, 14, 3, 1}, {512, 512, 7, 3, 1}, {64, 256, 56, 1, 1}, {512, 2048, 7, 1, 1},
	} {
		b.Run(fmt.Sprintf("%dx%dx%d/%dx%d", c.channels, c.size, c.size, c.window, c.window), func(b *testing.B) {
			dev, err := device.Open("cpu")
			if err != nil {
				b.Fatal(err)
			}
			defer dev.Close()
			g := graph.New()
			x := g.Parameter("x", dtype.F32, 1, c.channels, c.size, c.size)
			w := graph.Constant(g, counting(c.out*c.channels*c.window*c.window, 5), c.out, c.channels, c.window, c.window)
			y := graph.Relu(graph.Conv(x, w, graph.ConvOptions{Low: []int{c.window / 2, c.window / 2}, High: []int{c.window / 2, c.window / 2}, Stride: []int{c.stride, c.stride}}))
			p, err := g.Compile(b.Context(), dev, y)
			if err != nil {
				b.Fatal(err)
			}
			in, _ := device.FromSlice(dev, counting(c.channels*c.size*c.size, 7), x.Shape()...)
			out, _ := device.NewTensor[float32](dev, y.Shape()...)
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
			flop := 2 * float64(c.out*c.channels*c.window*c.window) * float64(y.Shape()[2]*y.Shape()[3])
			b.ReportMetric(flop*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			b.Log(p)
		})
	}
}
