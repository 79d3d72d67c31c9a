// Package graphs has functions that build graphs, for the tests of the command.
package graphs

import (
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// layer is a layer of a network: a product, a bias and an activation, and then a softmax.
func layer(g *graph.Graph) *graph.Value {
	x := g.Parameter("x", dtype.F32, 16, 64)
	w := g.Parameter("w", dtype.F32, 64, 32)
	b := g.Parameter("b", dtype.F32, 32)
	h := graph.Relu(graph.Add(graph.MatMul(x, w), b))
	return graph.Softmax(h, -1)
}

// mistaken adds arrays whose shapes do not fit.
func mistaken(g *graph.Graph) *graph.Value {
	x := g.Parameter("x", dtype.F32, 3)
	return graph.Add(x, g.Parameter("y", dtype.F32, 4))
}

var _, _ = layer, mistaken // the command calls them
