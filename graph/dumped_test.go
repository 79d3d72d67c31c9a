package graph_test

import (
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// The graphs that the tests of dumps show; dumps have the numbers of these lines.

// layer has a product with what follows it, a softmax, a result that is a parameter, and what depends on constants alone.
func layer(g *graph.Graph) []*graph.Value {
	x := g.Parameter("x", dtype.F32, 4, 8)
	w := graph.Constant(g, counting(32, 5), 8, 4)
	b := graph.Constant(g, counting(4, 5))
	scale := graph.ReduceSum(graph.Constant(g, counting(8, 5), 2, 4), 0)
	h := graph.Relu(graph.Add(graph.MatMul(x, w), b))
	return []*graph.Value{graph.Mul(graph.Softmax(h, -1), scale), h, x}
}

// attended is attention to enough keys for one kernel.
func attended(g *graph.Graph) []*graph.Value {
	q := g.Parameter("q", dtype.F32, 1, 2, 16, 8)
	k := g.Parameter("k", dtype.F32, 1, 2, 64, 8)
	v := g.Parameter("v", dtype.F32, 1, 2, 64, 8)
	return []*graph.Value{graph.Attention(q, k, v, nil, 0)}
}

// looked looks rows up, and doubles them until one is large.
func looked(g *graph.Graph) []*graph.Value {
	table := g.Parameter("table", dtype.F32, 10, 4)
	at := g.Parameter("at", dtype.I32, 3)
	rows := graph.Gather(table, graph.Add(at, graph.Scalar(g, int32(1))), 0)
	return graph.While([]*graph.Value{rows}, func(g *graph.Graph, s []*graph.Value) *graph.Value {
		return graph.Less(graph.ReduceMax(s[0]), graph.Scalar(g, float32(100)))
	}, func(g *graph.Graph, s []*graph.Value) []*graph.Value {
		return graph.If(graph.Less(graph.ReduceMax(s[0]), graph.Scalar(g, float32(1))),
			func(g *graph.Graph) []*graph.Value {
				return []*graph.Value{graph.Mul(s[0], graph.Scalar(g, float32(4)))}
			},
			func(g *graph.Graph) []*graph.Value { return []*graph.Value{graph.Add(s[0], s[0])} })
	})
}
