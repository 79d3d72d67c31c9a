package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// Graph is a graph of array operations that is being built. It must not be used by several goroutines at the same time.
type Graph struct {
	ir       ir.Graph
	params   []*Value
	mistakes []error
	placed   int // nodes that know where the program asked for them
	label    string

	parent   *Graph // of a graph that a While or If runs
	captured map[*ir.Node]*Value
	outer    []*ir.Node // the nodes of the parent that are captured, in the order of capturing
}

// New returns an empty graph.
func New() *Graph { return &Graph{} }

// Value is an array that a graph computes. A Value after a mistake has no shape, and operations on it make no further mistakes.
type Value struct {
	g    *Graph
	node *ir.Node // nil after a mistake
}

// Shape returns the extents; nil after a mistake.
func (v *Value) Shape() []int {
	if v == nil || v.node == nil {
		return nil
	}
	return slices.Clone(v.node.Shape)
}

// Rank returns the number of axes.
func (v *Value) Rank() int { return len(v.Shape()) }

// DType returns the element type; dtype.Invalid after a mistake.
func (v *Value) DType() dtype.Type {
	if v == nil || v.node == nil {
		return dtype.Invalid
	}
	return v.node.Elem
}

// Graph returns the graph that the value belongs to; nil for a nil Value.
func (v *Value) Graph() *Graph {
	if v == nil {
		return nil
	}
	return v.g
}

// Err returns the mistakes of the graph so far, if the value could not be made because of one.
func (v *Value) Err() error {
	switch {
	case v == nil:
		return errors.New("graph: the Value is nil")
	case v.g == nil:
		return errors.New("graph: the Value belongs to no graph")
	case v.node == nil:
		return v.g.Err()
	}
	return nil
}

// String returns a text such as float32[2 3].
func (v *Value) String() string {
	if v == nil || v.node == nil {
		return "no value"
	}
	return v.node.Type()
}

// Err returns the mistakes that were made in building the graph.
func (g *Graph) Err() error { return errors.Join(g.root().mistakes...) }

// root gives the graph that is in no other one.
func (g *Graph) root() *Graph {
	for g.parent != nil {
		g = g.parent
	}
	return g
}

// String returns the operations of the graph, one a line.
func (g *Graph) String() string {
	var b strings.Builder
	for _, n := range g.ir.Nodes {
		fmt.Fprintln(&b, n)
	}
	return b.String()
}

// Label sets what mistakes and dumps have in the place of a file and line, for what is built from now on, also in graphs that a While
// or If runs, and returns what it was. It is for programs that build graphs from files, such as the nodes of a model. An empty text stands for the file and
// line of the program.
func (g *Graph) Label(text string) (before string) {
	root := g.root()
	before, root.label = root.label, text
	return before
}
