package graph

import (
	"errors"
	"fmt"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

// operand is an argument of a function, with its name for messages, or none.
type operand struct {
	name string
	*Value
}

// nameAt names the i-th of n operands.
func (o operand) nameAt(i, n int) string {
	switch {
	case o.name != "":
		return o.name
	case n == 1:
		return "the operand"
	}
	return fmt.Sprintf("operand %d", i+1)
}

// nodes gives the nodes of values of one graph, or of a graph and those that it is in. ok is false if one of them stands for a
// mistake; a value that is nil or belongs to another graph is a mistake.
func nodes(values ...*Value) (g *Graph, in []*ir.Node, ok bool) {
	list := make([]operand, len(values))
	for i, v := range values {
		list[i].Value = v
	}
	return named(list...)
}

// named is nodes for operands with names.
func named(list ...operand) (g *Graph, in []*ir.Node, ok bool) {
	for _, o := range list {
		if o.Value != nil && o.g != nil && (g == nil || o.g.within(g)) {
			g = o.g
		}
	}
	if g == nil {
		g = &Graph{} // for the mistake
	}
	if len(list) == 0 {
		g.fail(errors.New("there are no arrays, expected at least one"))
		return g, nil, false
	}
	in = make([]*ir.Node, len(list))
	ok = true
	for i, o := range list {
		switch {
		case o.Value == nil:
			g.fail(fmt.Errorf("%s is nil", o.nameAt(i, len(list))))
			return g, nil, false
		case o.g == nil || !g.within(o.g):
			g.fail(foreign(o.nameAt(i, len(list)), o.Value))
			return g, nil, false
		}
		in[i] = g.capture(o.Value).node
		ok = ok && in[i] != nil
	}
	return g, in, ok
}

// foreign is the mistake of an operand that belongs to another graph, or to none because it could not be made.
func foreign(name string, v *Value) error {
	if err := v.Err(); err != nil {
		return fmt.Errorf("%s could not be made: %w", name, err)
	}
	return fmt.Errorf("%s belongs to another graph", name)
}

// build makes the value of an operation on values.
func build(f func(g *ir.Graph, in []*ir.Node) (*ir.Node, error), values ...*Value) *Value {
	g, in, ok := nodes(values...)
	if !ok {
		return &Value{g: g}
	}
	return g.value(f(&g.ir, in))
}

// check checks the operands of a function that is made of others. bad stands for a mistake, also one that was noted before; else it
// is nil.
func check(f func(in []*ir.Node) error, list ...operand) (bad *Value) {
	g, in, ok := named(list...)
	if !ok {
		return &Value{g: g}
	}
	if err := f(in); err != nil {
		return g.fail(err)
	}
	return nil
}

// checkOne is check for a function of one array with elements of a class.
func checkOne(x *Value, c ir.Class) (bad *Value) {
	return check(func(in []*ir.Node) error { return elements(in[0], c) }, operand{"", x})
}

// elements checks that an array has elements of a class.
func elements(x *ir.Node, c ir.Class) error {
	if !c.Has(x.Elem) {
		return fmt.Errorf("the array is %s, expected %s: convert it", x.Type(), c)
	}
	return nil
}

// fits reports whether an array is broadcast to a shape, with axes aligned at the last one.
func fits(x *ir.Node, shape []int) bool {
	if x.Rank() > len(shape) {
		return false
	}
	for i, d := range x.Shape {
		if d != 1 && d != shape[len(shape)-x.Rank()+i] {
			return false
		}
	}
	return true
}
