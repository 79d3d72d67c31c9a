package graph_test

import (
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestValueGraph: a value knows its graph, also after a mistake.
func TestValueGraph(t *testing.T) {
	g := graph.New()
	x := g.Parameter("x", dtype.F32, 2)
	wrong := graph.Add(x, graph.Scalar(g, int32(1)))
	if wrong.Err() == nil {
		t.Fatal("float32 + int32 is no mistake")
	}
	if x.Graph() != g || wrong.Graph() != g || (*graph.Value)(nil).Graph() != nil {
		t.Error("Graph is not the graph of the value")
	}
}
