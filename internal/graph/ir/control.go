package ir

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
)

// Sub is a graph that another one runs: it computes results from parameters, which are nodes of a graph of their own.
type Sub struct {
	Params  []*Node
	Results []*Node
}

// WhileAttr is the attribute of [While]. The operands are the state and then what both graphs need beside it: both have a parameter
// for each. As long as the only result of Cond, a bool of rank 0, is true, the results of Body become the state.
type WhileAttr struct {
	Cond, Body Sub
	State      int // the number of arrays of the state
}

// IfAttr is the attribute of [If]. The operands are the condition, a bool of rank 0, and then what both graphs need: both have a
// parameter for each. The results are those of Then or of Else.
type IfAttr struct{ Then, Else Sub }

// PartAttr is the attribute of [Part].
type PartAttr struct{ Index int }

// String returns result=1.
func (a PartAttr) String() string { return fmt.Sprintf("result=%d", a.Index) }

// IsControl reports whether a node is no array, but decides at run time what is computed.
func (n *Node) IsControl() bool { return n.Op == While || n.Op == If }

// While repeats a graph, and gives the state at the end.
func (g *Graph) While(a WhileAttr, in []*Node) ([]*Node, error) {
	if len(a.Cond.Results) != 1 || a.Cond.Results[0].Elem != dtype.Bool || a.Cond.Results[0].Rank() != 0 {
		return nil, fmt.Errorf("the condition is %s, expected a bool of rank 0", types(a.Cond.Results))
	}
	if !alike(a.Body.Results, in[:a.State]) {
		return nil, fmt.Errorf("the body makes %s of the state %s, expected the same types and shapes", types(a.Body.Results), types(in[:a.State]))
	}
	n, err := g.add(Node{Op: While, In: in, Elem: dtype.Bool, Attr: a})
	if err != nil {
		return nil, err
	}
	return g.parts(n, a.Body.Results)
}

// If chooses between two graphs.
func (g *Graph) If(cond *Node, a IfAttr, in []*Node) ([]*Node, error) {
	if !alike(a.Then.Results, a.Else.Results) {
		return nil, fmt.Errorf("one branch makes %s and the other %s, expected the same types and shapes", types(a.Then.Results), types(a.Else.Results))
	}
	n, err := g.add(Node{Op: If, In: slices.Concat([]*Node{cond}, in), Elem: dtype.Bool, Attr: a})
	if err != nil {
		return nil, err
	}
	return g.parts(n, a.Then.Results)
}

// parts makes the results of a node.
func (g *Graph) parts(n *Node, like []*Node) ([]*Node, error) {
	parts := make([]*Node, len(like))
	for i, x := range like {
		var err error
		if parts[i], err = g.add(Node{Op: Part, In: []*Node{n}, Elem: x.Elem, Shape: x.Shape, Attr: PartAttr{i}}); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func alike(a, b []*Node) bool {
	return slices.EqualFunc(a, b, func(x, y *Node) bool { return x.Elem == y.Elem && slices.Equal(x.Shape, y.Shape) })
}

func types(nodes []*Node) string {
	var text []string
	for _, n := range nodes {
		text = append(text, n.Type())
	}
	return fmt.Sprint(text)
}
