package graph_test

import (
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestScatterSums adds sums of many elements, which are folded in several tiles, to elements that some share: each is added once.
func TestScatterSums(t *testing.T) {
	for _, n := range []int{3, 1000, 20_000} {
		g := graph.New()
		x := graph.Full(g, float32(1), 5)
		rows := make([]float32, 4*n)
		for i := range rows {
			rows[i] = float32(i % 3)
		}
		sums := graph.ReduceSum(graph.Constant(g, rows, 4, n), 1)
		at := graph.Constant(g, []int32{2, 0, 2, 4}, 4, 1)
		axes := graph.GatherAxes{Collapsed: []int{0}, StartMap: []int{0}, IndexAxis: 1}
		y := graph.ScatterSlices(x, at, sums, axes, graph.FoldSum)
		most := graph.ScatterSlices(x, at, graph.ReduceMax(graph.Convert(graph.Constant(g, rows, 4, n), dtype.F32), 1), axes, graph.FoldSum)
		want, wantMost := []float32{1, 1, 1, 1, 1}, []float32{3, 1, 5, 1, 3}
		for row, to := range []int{2, 0, 2, 4} {
			for _, v := range rows[row*n : (row+1)*n] {
				want[to] += v
			}
		}
		out := run(t, g, y, most)
		for i, name := range []string{"sums", "maxima"} {
			got, expected := floats(t, out[i]), [][]float32{want, wantMost}[i]
			for j := range expected {
				if got[j] != expected[j] {
					t.Errorf("%s of %d: element %d is %v, expected %v", name, n, j, got[j], expected[j])
				}
			}
		}
	}
}
