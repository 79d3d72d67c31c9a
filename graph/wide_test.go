package graph_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestShortFloats: functions that add up many elements give float16 and bfloat16 the results that the numbers have, rounded once, also where
// their sums, squares and small numbers are none of these types.
func TestShortFloats(t *testing.T) {
	filled := func(n int, of func(i int) float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = of(i)
		}
		return x
	}
	same := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	signs := func(i int) float64 { return 300 - 600*float64(i%2) }
	cancels := func(i int) float64 { return []float64{1, 1.0 / 256, 1.0 / 256, -1}[i%4] }
	type wide struct {
		name string
		elem dtype.Type
		x    []float64
		of   func(g *graph.Graph, x *graph.Value) *graph.Value
		want func(i int) float64
	}
	cases := []wide{
		{"mean", dtype.F16, filled(256, same(1000)), func(_ *graph.Graph, x *graph.Value) *graph.Value { return graph.ReduceMean(x) }, same(1000)},
		{"average", dtype.F16, filled(256, same(1000)), func(_ *graph.Graph, x *graph.Value) *graph.Value {
			return graph.AveragePool(graph.Reshape(x, 1, 1, 16, 16), graph.PoolOptions{Size: []int{16, 16}}, false)
		}, same(1000)},
		{"averages of 4", dtype.F16, filled(64, same(40000)), func(_ *graph.Graph, x *graph.Value) *graph.Value {
			return graph.AveragePool(graph.Reshape(x, 1, 1, 8, 8), graph.PoolOptions{Size: []int{2, 2}, Stride: []int{2, 2}}, true)
		}, same(40000)},
		{"averages that cancel", dtype.BF16, filled(60, cancels), func(_ *graph.Graph, x *graph.Value) *graph.Value {
			return graph.AveragePool(graph.Reshape(x, 1, 1, 60), graph.PoolOptions{Size: []int{4}, Stride: []int{4}}, true)
		}, same(1.0 / 512)},
		{"sums that cancel", dtype.BF16, filled(60, cancels), func(_ *graph.Graph, x *graph.Value) *graph.Value {
			return graph.ReduceWindow(x, graph.FoldSum, graph.PoolOptions{Size: []int{4}, Stride: []int{4}})
		}, same(1.0 / 128)},
		{"layer norm", dtype.F16, filled(256, signs), func(g *graph.Graph, x *graph.Value) *graph.Value {
			return graph.LayerNorm(x, graph.Broadcast(graph.Number(g, dtype.F16, 1), 256), nil, 1e-5)
		}, func(i int) float64 { return signs(i) / 300 }},
		{"RMS norm", dtype.F16, filled(256, signs), func(g *graph.Graph, x *graph.Value) *graph.Value {
			return graph.RMSNorm(x, graph.Broadcast(graph.Number(g, dtype.F16, 1), 256), 1e-5)
		}, func(i int) float64 { return signs(i) / 300 }},
		{"softmax", dtype.F16, filled(70000, same(2)), func(_ *graph.Graph, x *graph.Value) *graph.Value { return graph.Softmax(x, 0) }, same(1.0 / 70000)},
		{"log softmax", dtype.F16, filled(70000, same(2)), func(_ *graph.Graph, x *graph.Value) *graph.Value { return graph.LogSoftmax(x, 0) }, same(-math.Log(70000))},
		{"batch norm", dtype.F16, filled(4, same(1)), func(g *graph.Graph, x *graph.Value) *graph.Value {
			one, zero := graph.Reshape(graph.Number(g, dtype.F16, 1), 1), graph.Reshape(graph.Number(g, dtype.F16, 0), 1)
			return graph.BatchNorm(graph.Reshape(x, 1, 1, 4), one, one, one, zero, 1e-9)
		}, same(1)},
	}
	for _, c := range []struct{ channels, groups int }{{1, 1}, {2, 1}, {2, 2}, {7, 7}, {8, 1}, {8, 8}, {12, 4}} {
		cases = append(cases, wide{fmt.Sprint("convolution that cancels ", c), dtype.BF16, filled(60*c.channels, cancels), func(g *graph.Graph, x *graph.Value) *graph.Value {
			w := graph.Broadcast(graph.Number(g, dtype.BF16, float64(c.groups)/float64(c.channels)), c.channels, c.channels/c.groups, 4)
			return graph.Conv(graph.Reshape(x, 1, c.channels, 60), w, graph.ConvOptions{Stride: []int{4}, Groups: c.groups})
		}, same(1.0 / 128)})
	}
	for _, c := range cases {
		g := graph.New()
		y := graph.Convert(c.of(g, graph.Convert(graph.Constant(g, c.x), c.elem)), dtype.F64)
		tensor := run(t, g, graph.Reshape(y, product(y.Shape())))[0].(*device.Tensor[float64])
		got, err := tensor.Slice()
		if err != nil {
			t.Fatal(err)
		}
		precision := map[dtype.Type]float64{dtype.F16: 1.0 / 2048, dtype.BF16: 1.0 / 256}[c.elem]
		for i, v := range got {
			if w := c.want(i); !(math.Abs(v-w) <= 1.01*precision*math.Abs(w)+1.0/(1<<25)) {
				t.Errorf("%s of %v: element %d is %v, expected %v", c.name, c.elem, i, v, w)
				break
			}
		}
	}
}
