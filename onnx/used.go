package onnx

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/cutile-go/cutile/onnx/internal/wire"
)

// Used is an operator or function that a model uses.
type Used struct {
	Name     string // with the domain before it, if that is not ONNX's own: com.microsoft.Gelu
	Count    int    // of its nodes in the model's graph, in those of control flow, and, once, in the model's functions
	Function bool   // it is a function of the model, whose nodes are counted, too
	Err      error  // why it is not supported, or nil; whether attributes and element types are, a graph for given shapes tells
}

// Operators returns the names of the operators and functions that the model uses, as [Model.Used] counts them, sorted.
func (m *Model) Operators() []string {
	var names []string
	for _, u := range m.Used() {
		if len(names) == 0 || names[len(names)-1] != u.Name {
			names = append(names, u.Name)
		}
	}
	return names
}

// Used counts the operators and functions that the model uses, sorted by their names.
func (m *Model) Used() []Used {
	type key struct {
		name     string
		version  int // of the domain: functions may ask for another one than the model
		function bool
	}
	all := map[key]*Used{}
	seen := map[*wire.Function]bool{}
	var visit func(nodes []*wire.Node, opsets map[string]int64)
	visit = func(nodes []*wire.Node, opsets map[string]int64) {
		for _, n := range nodes {
			d := domain(n.Domain)
			f := m.function(n)
			k := key{operatorName(n), int(opsets[d]), f != nil}
			u := all[k]
			if u == nil {
				u = &Used{Name: k.name, Function: k.function}
				if f == nil {
					_, u.Err = operatorOf(n, k.version)
				}
				all[k] = u
			}
			u.Count++
			for _, a := range n.Attributes {
				if a.G != nil {
					visit(a.G.Nodes, opsets)
				}
			}
			if f != nil && !seen[f] {
				seen[f] = true
				visit(f.Nodes, opsetsOf(f))
			}
		}
	}
	visit(m.graph.Nodes, m.opsets)
	out := make([]Used, 0, len(all))
	for _, k := range slices.SortedFunc(maps.Keys(all), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.name, b.name), a.version-b.version, cmp.Compare(fmt.Sprint(a.function), fmt.Sprint(b.function)))
	}) {
		out = append(out, *all[k])
	}
	return out
}

// opsetsOf gives the versions of operators that a function asks for, by their domains.
func opsetsOf(f *wire.Function) map[string]int64 {
	opsets := map[string]int64{}
	for _, o := range f.Opsets {
		opsets[domain(o.Domain)] = o.Version
	}
	return opsets
}
