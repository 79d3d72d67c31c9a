package emit_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/emit"
	"github.com/cutile-go/cutile/internal/graph/ir"
	"github.com/cutile-go/cutile/internal/graph/loops"
)

// TestArgs builds pairs of graphs and compares where the arguments of their last kernels point. Kernels that do the same with other parts
// of their arrays are the same code; where the distance between two accesses to an array is another one, they are not.
func TestArgs(t *testing.T) {
	type firsts = []int64 // by argument
	for _, c := range []struct {
		name  string
		build func(g *graph, n int) *ir.Node
		n     [2]int
		want  [2]firsts
		same  bool
	}{
		{"a part", func(g *graph, n int) *ir.Node { return g.neg(g.part(g.x, n)) }, [2]int{0, 30}, [2]firsts{{0, 0}, {0, 30}}, true},
		{"two parts", func(g *graph, n int) *ir.Node { return g.add(g.part(g.x, n), g.part(g.x, n+7)) }, [2]int{3, 20}, [2]firsts{{0, 3}, {0, 20}}, true},
		{"two parts at another distance", func(g *graph, n int) *ir.Node { return g.add(g.part(g.x, 5), g.part(g.x, n)) }, [2]int{10, 11}, [2]firsts{{0, 5}, {0, 5}}, false},
		{"the end comes first", func(g *graph, n int) *ir.Node { return g.neg(g.reversed(g.part(g.x, n))) }, [2]int{0, 30}, [2]firsts{{0, 0}, {0, 30}}, true},
		{"a part of the result", func(g *graph, n int) *ir.Node { return must(g.Concat(0, g.part(g.x, 0), g.part(g.x, n))) }, [2]int{20, 40}, [2]firsts{{size, 20}, {size, 40}}, true},
		{"the results at two places", func(g *graph, n int) *ir.Node { return must(g.Concat(0, g.part(g.y, 0), g.zeros(n), g.part(g.x, 0))) }, [2]int{1, 9}, [2]firsts{{size + 1, 0}, {size + 9, 0}}, true},
		{"an edge", func(g *graph, n int) *ir.Node { return g.padded(g.part(g.x, n), 2) }, [2]int{0, 30}, [2]firsts{{0, 0}, {0, 28}}, false},
		{"a place that is computed", func(g *graph, n int) *ir.Node { return g.neg(g.taken(g.part(g.x, n), 5)) }, [2]int{10, 30}, [2]firsts{{0, 0, 10}, {0, 0, 30}}, true},
		{"updates", func(g *graph, n int) *ir.Node { return g.scattered(g.x, g.part(g.y, n)) }, [2]int{0, 8}, [2]firsts{{0, 0, 0}, {0, 0, 8}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var keys [2]string
			for i, n := range c.n {
				g := newGraph()
				plan, err := loops.New(t.Context(), []*ir.Node{c.build(g, n)}, emit.DefaultSizes.Keys)
				if err != nil {
					t.Fatal(err)
				}
				k := plan.Steps[len(plan.Steps)-1].Kernel
				var got firsts
				for _, a := range emit.Args(k) {
					got = append(got, a.First)
					if a.First < 0 || a.First >= int64(a.Buffer.Len()) {
						t.Errorf("the argument %v begins at element %d of %d", a.Buffer, a.First, a.Buffer.Len())
					}
				}
				if !slices.Equal(got, c.want[i]) {
					t.Errorf("with %d, the arguments begin at the elements %v, expected %v, in\n%v", n, got, c.want[i], k)
				}
				keys[i] = emit.Key(k, emit.DefaultSizes)
			}
			if same := keys[0] == keys[1]; same != c.same {
				t.Errorf("the kernels are the same code: %v, expected %v; keys\n%s\n%s", same, c.same, keys[0], keys[1])
			}
		})
	}
}

// size is how many elements a part has.
const size = 20

// graph is a graph with two vectors and a vector of indices.
type graph struct {
	*ir.Graph
	x, y, at *ir.Node
}

func newGraph() *graph {
	g := &graph{Graph: &ir.Graph{}}
	g.x, g.y = must(g.Parameter("x", dtype.F32, []int{60})), must(g.Parameter("y", dtype.F32, []int{60}))
	g.at = must(g.Parameter("at", dtype.I32, []int{size, 1}))
	return g
}

func (g *graph) part(x *ir.Node, from int) *ir.Node {
	return must(g.Slice(x, []int{from}, []int{from + size}, []int{1}))
}

func (g *graph) add(a, b *ir.Node) *ir.Node { return must(g.Pointwise("add", a, b)) }

func (g *graph) neg(x *ir.Node) *ir.Node { return must(g.Pointwise("neg", x)) }

func (g *graph) reversed(x *ir.Node) *ir.Node { return must(g.Reverse(x, []int{0})) }

func (g *graph) zeros(n int) *ir.Node {
	return must(g.Broadcast(must(g.Constant(dtype.F32, make([]byte, 4), []int{})), []int{n}, []int{}))
}

// padded puts zeros before an array, and leaves as many elements out at its end.
func (g *graph) padded(x *ir.Node, n int) *ir.Node {
	return must(g.Pad(x, must(g.Constant(dtype.F32, make([]byte, 4), []int{})), []int{n}, []int{-n}, []int{0}, ir.PadConstant))
}

// taken takes slices of one element.
func (g *graph) taken(x *ir.Node, n int) *ir.Node {
	at := must(g.Slice(g.at, []int{0, 0}, []int{n, 1}, []int{1, 1}))
	return must(g.Gather(x, at, ir.GatherAttr{Collapsed: []int{0}, StartMap: []int{0}, IndexAxis: 1, SliceSizes: []int{1}}))
}

func (g *graph) scattered(x, updates *ir.Node) *ir.Node {
	return must(g.Scatter(x, g.at, updates, ir.ScatterAttr{Inserted: []int{0}, StartMap: []int{0}, IndexAxis: 1}))
}

func must(n *ir.Node, err error) *ir.Node {
	if err != nil {
		panic(fmt.Sprint("BUG: ", err))
	}
	return n
}
