package onnx

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/graph"
	"github.com/cutile-go/cutile/onnx/internal/wire"
)

// Limits of what a model can make the builder do.
const (
	maxNodes = 1 << 16 // nodes that are built, those of loops once for each iteration
	maxCalls = 64      // depth of functions and graphs within others
	maxSteps = 1 << 12 // steps of a recurrent network or a loop
)

// builder builds the graph of a model for one combination of shapes.
type builder struct {
	m      *Model
	ctx    context.Context
	dev    *device.Device
	g      *graph.Graph
	nodes  int // built so far
	depth  int
	limit  int                         // of elements of an array
	params []string                    // the names of the graph's parameters
	given  map[string]device.AnyTensor // their arguments
	dry    bool                        // nothing is computed

	random  *graph.Value // the state of random numbers, or nil
	randoms int          // nodes with random numbers so far
}

// scope holds the values of a graph, by their names; those of the graph that contains it are visible in it.
type scope struct {
	values map[string]*val
	outer  *scope
	attrs  map[string]*wire.Attribute // of the function that is called
	opsets map[string]int64           // of the function, or the model
}

func (s *scope) find(name string) *val {
	for ; s != nil; s = s.outer {
		if v := s.values[name]; v != nil {
			return v
		}
	}
	return nil
}

// refusal ends the building of a node.
type refusal struct{ err error }

func refuse(format string, args ...any) { panic(refusal{fmt.Errorf(format, args...)}) }

// run builds the nodes of a graph.
func (b *builder) run(nodes []*wire.Node, s *scope) error {
	for i, n := range nodes {
		if err := b.node(n, s); err != nil {
			return fmt.Errorf("%s: %w", nodeText(i, n), err)
		}
	}
	return nil
}

// node builds a node: a call of an operator, or of a function of the model.
func (b *builder) node(n *wire.Node, s *scope) (err error) {
	if b.nodes++; b.nodes > maxNodes {
		return fmt.Errorf("the model has more than %d nodes, those of loops counted once for each iteration", maxNodes)
	}
	if err := b.ctx.Err(); err != nil {
		return err
	}
	defer b.g.Label(b.g.Label(labelOf(n))) // which is that of the node around again
	c := &call{b: b, node: n, scope: s, read: map[string]bool{}}
	if err := c.collect(); err != nil {
		return err
	}
	var outs []*val
	func() {
		defer func() { err = b.ended(recover()) }()
		outs = c.build()
	}()
	if err != nil {
		return err
	}
	if err := c.leftOver(); err != nil {
		return err
	}
	return b.keep(n, s, outs)
}

// labelOf is how dumps name a node.
func labelOf(n *wire.Node) string {
	name := n.Name
	if name == "" && len(n.Outputs) > 0 {
		name = n.Outputs[0]
	}
	return fmt.Sprintf("%.40s %.80q", n.Op, name)
}

// ended gives the error of a node: a refusal, or what the graph has against it.
func (b *builder) ended(panicked any) error {
	if r, ok := panicked.(refusal); ok {
		return r.err
	}
	if err := b.g.Err(); err != nil {
		var lines []string
		for line := range strings.Lines(err.Error()) {
			if _, text, ok := strings.Cut(line, ": graph: "); ok { // what is before it is a line of this package
				line = text
			}
			lines = append(lines, strings.TrimSpace(line))
		}
		return errors.New(strings.Join(lines, "; "))
	}
	if panicked != nil {
		return fmt.Errorf("BUG: %v", panicked)
	}
	return nil
}

// keep gives the outputs of a node their names.
func (b *builder) keep(n *wire.Node, s *scope, outs []*val) error {
	for i, name := range n.Outputs {
		if name == "" {
			continue
		}
		if i >= len(outs) || outs[i] == nil {
			return fmt.Errorf("output %d %q is not supported", i, name)
		}
		if s.values[name] != nil {
			return fmt.Errorf("output %d %q: there is a value of this name already", i, name)
		}
		for _, v := range append([]*val{outs[i]}, outs[i].list...) {
			if count := float64Size(v.shape); v.kind == array && (count > float64(b.limit) || len(v.shape) > maxRank) {
				return fmt.Errorf("output %d %q has shape %v: more than %d elements or %d axes (Options.MaxElements)", i, name, v.shape, b.limit, maxRank)
			}
		}
		s.values[name] = outs[i]
	}
	return nil
}

func float64Size(shape []int) float64 {
	n := 1.0
	for _, d := range shape {
		n *= float64(d)
	}
	return n
}

// inner builds a graph of control flow and gives its outputs.
func (b *builder) inner(g *wire.Graph, outer *scope, args []*val) []*val {
	if b.depth++; b.depth > maxCalls {
		refuse("graphs and functions are nested deeper than %d", maxCalls)
	}
	defer func() { b.depth-- }()
	s := &scope{values: map[string]*val{}, outer: outer, attrs: outer.attrs, opsets: outer.opsets}
	for _, t := range g.Initializers {
		s.values[t.Name] = b.stored(b.m.weights[t])
	}
	if len(args) != len(g.Inputs) {
		refuse("the graph %q has %d inputs, expected %d", g.Name, len(g.Inputs), len(args))
	}
	for i, in := range g.Inputs {
		s.values[in.Name] = args[i]
	}
	if err := b.run(g.Nodes, s); err != nil {
		refuse("%w", err)
	}
	outs := make([]*val, len(g.Outputs))
	for i, o := range g.Outputs {
		if outs[i] = s.find(o.Name); outs[i] == nil {
			refuse("the graph %q has no value for its output %q", g.Name, o.Name)
		}
	}
	return outs
}

// function builds the nodes of a function of the model.
func (b *builder) function(f *wire.Function, c *call) []*val {
	if b.depth++; b.depth > maxCalls {
		refuse("graphs and functions are nested deeper than %d", maxCalls)
	}
	defer func() { b.depth-- }()
	s := &scope{values: map[string]*val{}, attrs: map[string]*wire.Attribute{}, opsets: opsetsOf(f)}
	for _, a := range f.Defaults {
		s.attrs[a.Name] = a
	}
	for name, a := range c.attrs {
		c.read[name] = true
		s.attrs[name] = a
	}
	if len(c.in) > len(f.Inputs) {
		refuse("%d inputs, expected at most %d", len(c.in), len(f.Inputs))
	}
	for i, v := range c.in {
		if v != nil {
			s.values[f.Inputs[i]] = v
		}
	}
	if err := b.run(f.Nodes, s); err != nil {
		refuse("%w", err)
	}
	outs := make([]*val, len(f.Outputs))
	for i, name := range f.Outputs {
		outs[i] = s.values[name]
	}
	return outs
}

// demand gives the elements of a value that depends on constants alone, which it computes if it must; nil for others.
func (b *builder) demand(v *val) *known {
	if v.k != nil || !v.fixed || v.kind != array || !knowable(v.elem) || v.len() > maxKnown || b.dry || b.g.Err() != nil {
		return v.k
	}
	p, err := b.compute(v.node)
	if err != nil {
		refuse("%w", err)
	}
	v.k = p
	return v.k
}
