package graph_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestNoValue: what is made of a nil Value, or of one of another graph, says so, also where no graph is known that could note it.
func TestNoValue(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := graph.New()
	x := g.Parameter("x", dtype.F32, 2)
	for _, c := range []struct {
		value *graph.Value
		want  string
	}{
		{graph.Neg(nil), "nothing_test.go:25: graph: neg: the operand is nil"},
		{graph.Softmax(nil, 0), "graph: softmax: the operand is nil"},
		{graph.Concat(0), "graph: concat: there are no arrays, expected at least one"},
		{graph.Neg(&graph.Value{}), "graph: neg: the operand could not be made: graph: the Value belongs to no graph"},
		{graph.Add(x, graph.Neg(nil)), "graph: add: operand 2 could not be made: nothing_test.go:"},
		{graph.LayerNorm(x, graph.Neg(nil), nil, 0), "graph: layer_norm: scale could not be made: nothing_test.go:"},
		{graph.RMSNorm(nil, nil, 0), "graph: rms_norm: x is nil"},
		{graph.If(nil, one, one)[0], "graph: if: the condition is nil"},
		{graph.Complex{}.Exp().Re, "graph: complex_exp: x.Re is nil"},
		{&graph.Value{}, "graph: the Value belongs to no graph"},
	} {
		if err := c.value.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the mistakes of the Value are %v, expected %s", err, c.want)
			continue
		}
		if _, err := g.Compile(t.Context(), dev, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Compile says %v, expected %s", err, c.want)
		} else {
			plain(t, err.Error())
		}
	}
}

// TestNoResults: a program that computes nothing is a mistake; those that were made before are told instead.
func TestNoResults(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := graph.New()
	x := g.Parameter("x", dtype.F32, 2)
	for _, want := range []string{"graph: no results, expected at least one value", "graph: softmax: axis 7 of float32[2]"} {
		if p, err := g.Compile(t.Context(), dev); p != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Compile without results says %v, expected %s", err, want)
		}
		graph.Softmax(x, 7)
	}
}
