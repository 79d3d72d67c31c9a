package graph_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// BenchmarkVector measures products of a few rows with a matrix, which take as long as reading the matrix does: GB/s of the matrix.
func BenchmarkVector(b *testing.B) {
	for _, rows := range []int{1, 2, 4, 16} {
		for _, transposed := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/%v", rows, transposed), func(b *testing.B) {
				const n = 2048
				dev, err := device.Open("cpu")
				if err != nil {
					b.Fatal(err)
				}
				defer dev.Close()
				g := graph.New()
				x := g.Parameter("x", dtype.F32, rows, n)
				w := graph.Constant(g, counting(n*n, 5), n, n)
				if transposed {
					w = graph.Transpose(w)
				}
				p, err := g.Compile(b.Context(), dev, graph.MatMul(x, w))
				if err != nil {
					b.Fatal(err)
				}
				in, _ := device.FromSlice(dev, counting(rows*n, 7), rows, n)
				out, _ := device.NewTensor[float32](dev, rows, n)
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
				b.ReportMetric(4*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
			})
		}
	}
}
