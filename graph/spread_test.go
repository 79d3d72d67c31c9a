package graph_test

import (
	"slices"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestSpreadFold: what holds for a result of a fold does not hold for the elements that it folds, also where both are numbered alike: results
// are moved apart by as many elements as were folded for each.
func TestSpreadFold(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	sum := func(x *graph.Value) *graph.Value { return graph.ReduceSum(x, 1) }
	for _, c := range []struct {
		name                string
		n                   int
		fold                func(x *graph.Value) *graph.Value
		low, high, interior int
		want                []float32
	}{
		{"a sum", 2, sum, 2, -1, 1, []float32{0, 0, 3, 0}},
		{"a sum from the first on", 2, sum, 0, -1, 1, []float32{3, 0}},
		{"a maximum", 2, func(x *graph.Value) *graph.Value { return graph.ReduceMax(x, 1) }, 2, -1, 1, []float32{0, 0, 2, 0}},
		{"a sum of squares", 2, func(x *graph.Value) *graph.Value { return sum(graph.Mul(x, x)) }, 2, -1, 1, []float32{0, 0, 5, 0}},
		{"a place", 2, func(x *graph.Value) *graph.Value { return graph.Convert(graph.ArgMax(x, 1, dtype.I32), dtype.F32) }, 2, -1, 1, []float32{0, 0, 1, 0}},
		{"sums of three", 3, sum, 3, -1, 2, []float32{0, 0, 0, 6, 0, 0, 15, 0, 0}},
	} {
		g := graph.New()
		y := graph.Pad(c.fold(g.Parameter("x", dtype.F32, c.n, c.n)), graph.Number(g, dtype.F32, 0), []int{c.low}, []int{c.high}, []int{c.interior})
		p, err := g.Compile(t.Context(), dev, y)
		if err != nil {
			t.Fatal(c.name, err)
		}
		x, err := device.FromSlice(dev, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}[:c.n*c.n], c.n, c.n)
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Run(t.Context(), dev, x)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got, err := out[0].(*device.Tensor[float32]).Slice(); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, %v, expected %v", c.name, got, err, c.want)
		}
	}
}
