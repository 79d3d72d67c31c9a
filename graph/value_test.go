package graph_test

import (
	"strings"
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

// TestScalarResult: a constant of one element is a result like others, however often.
func TestScalarResult(t *testing.T) {
	g := graph.New()
	x := graph.Scalar(g, float32(3))
	out := run(t, g, x, graph.Reshape(x, 1, 1), x)
	for i, y := range out {
		if got := floats(t, y); len(got) != 1 || got[0] != 3 {
			t.Errorf("result %d is %v, expected 3", i, got)
		}
	}
}

// TestLabel: a label stands for the place of what is built, in dumps and mistakes, also in the graph of a loop.
func TestLabel(t *testing.T) {
	g := graph.New()
	x := g.Parameter("x", dtype.F32, 2)
	if before := g.Label("node 7"); before != "" {
		t.Errorf("the label was %q", before)
	}
	out := graph.While([]*graph.Value{x}, func(g *graph.Graph, s []*graph.Value) *graph.Value {
		return graph.Less(graph.ReduceMax(s[0]), graph.Scalar(g, float32(9)))
	}, func(g *graph.Graph, s []*graph.Value) []*graph.Value { return []*graph.Value{graph.Exp(s[0])} })
	_, p := compiledOf(t, g, out)
	for _, line := range strings.Split(dump(t, p, graph.StageGraph), "\n") {
		named := strings.HasSuffix(line, " node 7")
		if has := strings.Contains(line, "exp(") || strings.Contains(line, "lt("); has && !named || strings.Contains(line, "parameter() x") && named {
			t.Errorf("the line is %q", line)
		}
	}
	graph.Add(x, g.Parameter("y", dtype.F32, 3))
	if before := g.Label(""); before != "node 7" {
		t.Errorf("the label was %q, expected node 7", before)
	}
	graph.Add(x, g.Parameter("z", dtype.F32, 3))
	if text := g.Err().Error(); !strings.HasPrefix(text, "node 7: graph: add: ") || !strings.Contains(text, "\nvalue_test.go:") {
		t.Errorf("the mistakes are %s", text)
	}
}
