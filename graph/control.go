package graph

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// within reports whether g is a graph or one that it runs.
func (g *Graph) within(other *Graph) bool {
	for ; g != nil; g = g.parent {
		if g == other {
			return true
		}
	}
	return false
}

// capture gives the value in g of a value of g or of a graph that g is in.
func (g *Graph) capture(v *Value) *Value {
	if v.g == g || v.node == nil {
		return v
	}
	outer := g.parent.capture(v)
	if in := g.captured[outer.node]; in != nil {
		return in
	}
	n, err := g.ir.Parameter("captured", outer.node.Elem, outer.node.Shape)
	in := g.value(n, err)
	if g.captured == nil {
		g.captured = map[*ir.Node]*Value{}
	}
	g.captured[outer.node] = in
	g.outer = append(g.outer, outer.node)
	return in
}

// sub makes a graph that g runs, with parameters like the given nodes.
func (g *Graph) sub(like []*ir.Node) (*Graph, []*Value) {
	s := &Graph{parent: g}
	params := make([]*Value, len(like))
	for i, n := range like {
		params[i] = s.Parameter(fmt.Sprintf("state %d", i+1), n.Elem, n.Shape...)
	}
	return s, params
}

// finish makes the sub graph whose parameters are its own and then one for each of the captured nodes of all sub graphs. ok is false
// if a result stands for a mistake. what names the function that made the results, for messages.
func (g *Graph) finish(what string, results []*Value, outer []*ir.Node) (sub ir.Sub, ok bool) {
	ok = true
	for _, v := range g.params {
		sub.Params = append(sub.Params, v.node)
	}
	for _, n := range outer {
		in := g.captured[n]
		if in == nil {
			p, err := g.ir.Parameter("unused", n.Elem, n.Shape)
			in = g.value(p, err)
		}
		sub.Params = append(sub.Params, in.node)
	}
	for i, v := range results {
		switch {
		case v == nil:
			g.fail(fmt.Errorf("result %d of the function %s is nil", i+1, what))
			return sub, false
		case v.g == nil || !g.within(v.g):
			g.fail(foreign(fmt.Sprintf("result %d of the function %s", i+1, what), v))
			return sub, false
		case v.node == nil:
			return sub, false
		}
		sub.Results = append(sub.Results, g.capture(v).node)
	}
	return sub, ok
}

// While repeats body, which computes the next state from one, as long as cond, which computes a bool of rank 0 from the state, is true,
// and returns the last state. Both functions build graphs of their own, g, and may also use values of the graph around. The arrays
// of a state keep their element types and shapes. A program waits for each condition.
func While(state []*Value, cond func(g *Graph, state []*Value) *Value, body func(g *Graph, state []*Value) []*Value) []*Value {
	g, in, ok := named(stateOf(state)...)
	if ok && (cond == nil || body == nil) {
		g.fail(errors.New("a function is nil, expected one for the condition and one for the body"))
		ok = false
	}
	if !ok {
		return failed(g, len(state))
	}
	cg, cs := g.sub(in)
	test := cond(cg, cs)
	bg, bs := g.sub(in)
	next := body(bg, bs)
	outer := joined(cg.own(test), bg.own(next...))
	c, ok1 := cg.finish("cond", []*Value{test}, outer)
	b, ok2 := bg.finish("body", next, outer)
	if !ok1 || !ok2 {
		return failed(g, len(state))
	}
	parts, err := g.ir.While(ir.WhileAttr{Cond: c, Body: b, State: len(state)}, append(in, outer...))
	return g.values(parts, err, len(state))
}

// If returns what then computes where cond, a bool of rank 0, is true, else what otherwise does: arrays of the same element types and
// shapes. Both functions build graphs of their own, g, and may also use values of the graph around. A program waits for the condition
// and computes one side only; [Where] chooses without waiting.
func If(cond *Value, then, otherwise func(g *Graph) []*Value) []*Value {
	g, in, ok := named(operand{"the condition", cond})
	if then == nil || otherwise == nil {
		g.fail(errors.New("a function is nil, expected one for each branch"))
		return nil
	}
	tg, _ := g.sub(nil)
	a := then(tg)
	eg, _ := g.sub(nil)
	b := otherwise(eg)
	if !ok {
		return failed(g, len(a))
	}
	if c := in[0]; c.Elem != dtype.Bool || c.Rank() != 0 {
		g.fail(fmt.Errorf("the condition is %s, expected a bool of rank 0", c.Type()))
		return failed(g, len(a))
	}
	outer := joined(tg.own(a...), eg.own(b...))
	t, ok1 := tg.finish("then", a, outer)
	e, ok2 := eg.finish("otherwise", b, outer)
	if !ok1 || !ok2 {
		return failed(g, len(a))
	}
	parts, err := g.ir.If(in[0], ir.IfAttr{Then: t, Else: e}, outer)
	return g.values(parts, err, len(a))
}

// stateOf names the arrays of a state.
func stateOf(state []*Value) []operand {
	list := make([]operand, len(state))
	for i, v := range state {
		list[i] = operand{fmt.Sprintf("array %d of the state", i+1), v}
	}
	return list
}

// own captures results that are values of a graph around, and gives all captured nodes.
func (g *Graph) own(results ...*Value) []*ir.Node {
	for _, v := range results {
		if v != nil && v.node != nil && g.within(v.g) {
			g.capture(v)
		}
	}
	return g.outer
}

// joined gives the nodes of two lists, each once.
func joined(a, b []*ir.Node) []*ir.Node {
	out := slices.Clone(a)
	for _, n := range b {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// failed gives values that stand for a mistake.
func failed(g *Graph, n int) []*Value {
	out := make([]*Value, n)
	for i := range out {
		out[i] = &Value{g: g}
	}
	return out
}

// values makes the values of nodes.
func (g *Graph) values(nodes []*ir.Node, err error, n int) []*Value {
	g.place()
	if err != nil {
		g.fail(err)
		return failed(g, n)
	}
	out := make([]*Value, len(nodes))
	for i, n := range nodes {
		out[i] = &Value{g, n}
	}
	return out
}
