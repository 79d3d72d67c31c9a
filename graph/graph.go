package graph

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
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

// fail notes a mistake, and where the program made it, and returns the value that stands for it.
func (g *Graph) fail(err error) *Value {
	root := g.root()
	root.mistakes = append(root.mistakes, fmt.Errorf("%s: graph: %w", g.where(), err))
	return &Value{g: g}
}

// value makes the value of a node.
func (g *Graph) value(n *ir.Node, err error) *Value {
	if err != nil {
		return g.fail(err)
	}
	if n.Where == "" {
		n.Where = g.where()
	}
	return &Value{g, n}
}

// Label sets what mistakes and dumps have in the place of a file and line, for what is built from now on, also in graphs that a While
// or If runs, and returns what it was. It is for programs that build graphs from files, such as the nodes of a model. An empty text stands for the file and
// line of the program.
func (g *Graph) Label(text string) (before string) {
	root := g.root()
	before, root.label = root.label, text
	return before
}

// where gives the label, or where the program is.
func (g *Graph) where() string {
	if label := g.root().label; label != "" {
		return label
	}
	return caller()
}

// caller gives the file and line outside of this package that the calling function was called from.
func caller() string {
	pc := make([]uintptr, 16)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, thisPackage) || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "?"
		}
	}
}

const thisPackage = "github.com/cutile-go/cutile/graph."

// nodes gives the nodes of values of one graph, or of a graph and those that it is in. ok is false if one of them stands for a
// mistake; a value that is nil or belongs to another graph is a mistake.
func nodes(values ...*Value) (g *Graph, nodes []*ir.Node, ok bool) {
	for _, v := range values {
		if v != nil && (g == nil || v.g.within(g)) {
			g = v.g
		}
	}
	if g == nil {
		return &Graph{}, nil, false
	}
	nodes = make([]*ir.Node, len(values))
	ok = true
	for i, v := range values {
		switch {
		case v == nil:
			g.fail(fmt.Errorf("operand %d is nil", i+1))
			return g, nil, false
		case !g.within(v.g):
			g.fail(fmt.Errorf("operand %d belongs to another graph", i+1))
			return g, nil, false
		}
		nodes[i] = g.capture(v).node
		ok = ok && nodes[i] != nil
	}
	return g, nodes, ok
}

// build makes the value of an operation on values. f is nil where one of them is known to stand for a mistake.
func build(f func(g *ir.Graph, in []*ir.Node) (*ir.Node, error), values ...*Value) *Value {
	g, in, ok := nodes(values...)
	if !ok || f == nil {
		return &Value{g: g}
	}
	return g.value(f(&g.ir, in))
}
