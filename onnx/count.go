package onnx

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/onnx/internal/wire"
)

// countNodes refuses a model with too many nodes before anything is built. The nodes of the file count once, in all its graphs and
// functions; then those that are built whatever the inputs are: the nodes of a function once for each call.
func (m *Model) countNodes(file *wire.Model) error {
	n := 0
	for _, f := range file.Functions {
		n += nodesIn(f.Nodes)
	}
	if n += nodesIn(file.Graph.Nodes); n > maxNodes {
		return fmt.Errorf("the file has %d nodes, in all its graphs and functions: expected at most %d", n, maxNodes)
	}
	if m.built(file.Graph.Nodes, map[*wire.Function]int{}) > maxNodes {
		return fmt.Errorf("the model has more than %d nodes, those of functions counted once for each call", maxNodes)
	}
	return nil
}

// nodesIn counts nodes and those of the graphs in them.
func nodesIn(nodes []*wire.Node) int {
	count := len(nodes)
	for _, n := range nodes {
		for _, a := range n.Attributes {
			if a.G != nil {
				count += nodesIn(a.G.Nodes)
			}
		}
	}
	return count
}

// built counts the nodes that are built at least, up to one more than there may be: a branch of an If, and a loop, may be none. of has the
// counts of functions; one that calls itself has too many.
func (m *Model) built(nodes []*wire.Node, of map[*wire.Function]int) int {
	count := 0
	for _, n := range nodes {
		count++
		f := m.function(n)
		if f == nil {
			continue
		}
		if _, known := of[f]; !known {
			of[f] = maxNodes + 1 // until its nodes are counted
			of[f] = m.built(f.Nodes, of)
		}
		if count += of[f]; count > maxNodes {
			return maxNodes + 1
		}
	}
	return count
}

// function gives the function of the model that a node calls, or nil if it is an operator.
func (m *Model) function(n *wire.Node) *wire.Function {
	return m.functions[domain(n.Domain)+":"+n.Op+":"+n.Overload]
}

// checkName refuses a node without an operator.
func checkName(where string, n *wire.Node) error {
	if strings.TrimSpace(n.Op) == "" {
		return fmt.Errorf("%s: it names no operator (op_type is %q), expected one such as Add", where, n.Op)
	}
	return nil
}
