package graph_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

// TestWhile computes powers of a matrix until an element is large, with a value of the graph around.
func TestWhile(t *testing.T) {
	g := graph.New()
	m := graph.Constant(g, []float32{1, 1, 1, 0}, 2, 2)
	limit := graph.Scalar(g, float32(50))
	count := graph.Scalar(g, int32(0))
	out := graph.While([]*graph.Value{m, count}, func(_ *graph.Graph, s []*graph.Value) *graph.Value {
		return graph.Less(graph.ReduceMax(s[0]), limit)
	}, func(g *graph.Graph, s []*graph.Value) []*graph.Value {
		return []*graph.Value{graph.MatMul(s[0], m), graph.Add(s[1], graph.Scalar(g, int32(1)))}
	})
	results := run(t, g, graph.Add(out[0], m), out[1], out[0])
	if got := floats(t, results[2]); got[0] != 55 || got[1] != 34 || got[2] != 34 || got[3] != 21 {
		t.Errorf("the power is %v, expected [55 34 34 21]", got)
	}
	if got := floats(t, results[0]); got[0] != 56 || got[3] != 21 {
		t.Errorf("the sum is %v, expected [56 35 35 21]", got)
	}
	if n, err := results[1].(*device.Tensor[int32]).Item(); n != 8 || err != nil {
		t.Errorf("%d turns (%v), expected 8", n, err)
	}
}

// TestWhileNever: the state of a loop without a turn is a copy of the first one.
func TestWhileNever(t *testing.T) {
	g := graph.New()
	x := graph.Constant(g, []float32{3, 4})
	out := graph.While([]*graph.Value{x}, func(g *graph.Graph, _ []*graph.Value) *graph.Value { return graph.Scalar(g, false) },
		func(_ *graph.Graph, s []*graph.Value) []*graph.Value { return []*graph.Value{graph.Neg(s[0])} })
	if got := floats(t, run(t, g, out...)[0]); got[0] != 3 || got[1] != 4 {
		t.Errorf("the state is %v, expected [3 4]", got)
	}
}

// TestIf runs a program with both conditions; one branch gives a value of the graph around, and contains another choice.
func TestIf(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := graph.New()
	c := g.Parameter("c", dtype.Bool)
	d := g.Parameter("d", dtype.Bool)
	x := g.Parameter("x", dtype.F32, 2)
	out := graph.If(c, func(*graph.Graph) []*graph.Value { return []*graph.Value{x} }, func(*graph.Graph) []*graph.Value {
		return graph.If(d, func(*graph.Graph) []*graph.Value { return []*graph.Value{graph.Neg(x)} },
			func(g *graph.Graph) []*graph.Value { return []*graph.Value{graph.Constant(g, []float32{7, 8})} })
	})
	p, err := g.Compile(t.Context(), dev, out...)
	if err != nil {
		t.Fatal(err)
	}
	in, _ := device.FromSlice(dev, []float32{1, 2})
	for _, test := range []struct {
		c, d bool
		want float32
	}{{true, false, 1}, {true, true, 1}, {false, true, -1}, {false, false, 7}} {
		ct, _ := device.FromSlice(dev, []bool{test.c})
		dt, _ := device.FromSlice(dev, []bool{test.d})
		got, err := p.Run(t.Context(), dev, ct.Reshape(), dt.Reshape(), in)
		if err != nil {
			t.Fatal(err)
		}
		if f := floats(t, got[0]); f[0] != test.want {
			t.Errorf("%v: %v, expected %v first", test, f, test.want)
		}
	}
}

// TestControlMistakes: mistakes in loops and choices are those of the graph.
func TestControlMistakes(t *testing.T) {
	g := graph.New()
	x := g.Parameter("x", dtype.F32, 2)
	graph.While([]*graph.Value{x}, func(*graph.Graph, []*graph.Value) *graph.Value { return x },
		func(_ *graph.Graph, s []*graph.Value) []*graph.Value { return s })
	graph.While([]*graph.Value{x}, func(g *graph.Graph, _ []*graph.Value) *graph.Value { return graph.Scalar(g, true) },
		func(_ *graph.Graph, s []*graph.Value) []*graph.Value {
			return []*graph.Value{graph.Concat(0, s[0], s[0])}
		})
	branch := func(g *graph.Graph) []*graph.Value { return []*graph.Value{x} }
	if out := graph.If(x, branch, branch); out[0].Err() == nil {
		t.Error("the result of a mistake is a value")
	}
	err := g.Err()
	if err == nil {
		t.Fatal("no mistake")
	}
	plain(t, err.Error())
	for _, want := range []string{"control_test.go:", "the condition is [float32[2]], expected a bool of rank 0",
		"the body makes [float32[4]] of the state [float32[2]]", "if: the condition is float32[2], expected a bool of rank 0"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in the mistakes:\n%v", want, err)
		}
	}
}
