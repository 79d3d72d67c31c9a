package onnx

import (
	"fmt"
	"math"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
	"github.com/cutile-go/cutile/onnx/internal/wire"
)

// call is a node that is being built: its inputs and attributes. Its methods end the building with a refusal where the node lacks
// what they are asked for.
type call struct {
	b     *builder
	node  *wire.Node
	scope *scope
	in    []*val // nil where an optional input is missing
	attrs map[string]*wire.Attribute
	read  map[string]bool // the attributes that the operator has asked for
	opset int
}

// collect finds the node's inputs and attributes.
func (c *call) collect() error {
	for i, name := range c.node.Inputs {
		var v *val
		if name != "" {
			if v = c.scope.find(name); v == nil {
				return fmt.Errorf("input %d %q: no node before this one, input or initializer has this name", i, name)
			}
		}
		c.in = append(c.in, v)
	}
	for len(c.in) > 0 && c.in[len(c.in)-1] == nil {
		c.in = c.in[:len(c.in)-1]
	}
	c.attrs = map[string]*wire.Attribute{}
	for _, a := range c.node.Attributes {
		if a.Ref != "" {
			given := c.scope.attrs[a.Ref]
			if given == nil {
				continue
			}
			copied := *given
			copied.Name = a.Name
			a = &copied
		}
		if c.attrs[a.Name] != nil {
			return fmt.Errorf("attribute %q occurs twice", a.Name)
		}
		c.attrs[a.Name] = a
	}
	return nil
}

// build calls the node's operator or function.
func (c *call) build() []*val {
	c.opset = int(c.scope.opsets[domain(c.node.Domain)])
	if f := c.b.m.function(c.node); f != nil {
		return c.b.function(f, c)
	}
	o, err := operatorOf(c.node, c.opset)
	switch {
	case err != nil:
		refuse("%w", err)
	case len(c.in) < o.min || o.max >= 0 && len(c.in) > o.max:
		refuse("%d inputs, expected %s", len(c.in), o.inputs())
	}
	for i := range o.min {
		if c.in[i] == nil {
			refuse("input %d is missing", i)
		}
	}
	if !o.lists {
		for i, v := range c.in {
			if v != nil && v.kind != array {
				refuse("input %d is a sequence or an optional value, expected a tensor", i)
			}
		}
	}
	return o.build(c)
}

// unread are attributes that change no result.
var unread = []string{"consumed_inputs", "layout_hint"}

// leftOver reports an attribute that the operator has not asked for: it may change the result.
func (c *call) leftOver() error {
	for _, a := range c.node.Attributes {
		if !c.read[a.Name] && c.attrs[a.Name] != nil && !slices.Contains(unread, a.Name) {
			return fmt.Errorf("the attribute %q is not supported", a.Name)
		}
	}
	return nil
}

func (c *call) attr(name string, kind int64) *wire.Attribute {
	c.read[name] = true
	a := c.attrs[name]
	if a != nil && a.Type != kind {
		refuse("the attribute %q has type %d, expected %d (AttributeProto.AttributeType)", name, a.Type, kind)
	}
	return a
}

// int gives an attribute, or what it is if it is missing.
func (c *call) int(name string, otherwise int) int {
	if a := c.attr(name, 2); a != nil {
		return within(a.I, "the attribute %q", name)
	}
	return otherwise
}

func (c *call) flag(name string) bool { return c.int(name, 0) != 0 }

// farthest is the greatest number that operators compute with: sums and products of a few of them do not overflow.
const farthest = 1 << 40

// within refuses a number that is too large. What ONNX says of such numbers, as ends of slices, is for bound.
func within(x int64, what string, args ...any) int {
	if x < -farthest || x > farthest {
		refuse("%s has %d, expected %d to %d", fmt.Sprintf(what, args...), x, -farthest, farthest)
	}
	return int(x)
}

// bound brings a number within those that operators compute with, where all that are farther away mean the same.
func bound(x int64) int { return int(max(-farthest, min(farthest, x))) }

func (c *call) float(name string, otherwise float64) float64 {
	if a := c.attr(name, 1); a != nil {
		return float64(a.F)
	}
	return otherwise
}

func (c *call) text(name, otherwise string) string {
	if a := c.attr(name, 3); a != nil {
		return string(a.S)
	}
	return otherwise
}

func (c *call) texts(name string) []string {
	if a := c.attr(name, 8); a != nil {
		return a.Strings
	}
	return nil
}

func (c *call) floats(name string) []float64 {
	var out []float64
	if a := c.attr(name, 6); a != nil {
		for _, x := range a.Floats {
			out = append(out, float64(x))
		}
	}
	return out
}

// ints gives an attribute; ok is false if it is missing.
func (c *call) ints(name string) (list []int, ok bool) {
	a := c.attr(name, 7)
	if a == nil {
		return nil, false
	}
	for _, x := range a.Ints {
		list = append(list, within(x, "the attribute %q", name))
	}
	return list, true
}

func (c *call) graph(name string) *wire.Graph {
	a := c.attr(name, 5)
	if a == nil || a.G == nil {
		refuse("the attribute %q is missing, expected a graph", name)
	}
	return a.G
}

// has reports whether an input is there.
func (c *call) has(i int) bool { return i < len(c.in) && c.in[i] != nil }

// x gives an input that must be there as an array of the graph.
func (c *call) x(i int) *graph.Value {
	if !c.has(i) {
		refuse("input %d is missing", i)
	}
	return c.b.of(c.in[i])
}

// opt gives an input, or nil if it is missing.
func (c *call) opt(i int) *graph.Value {
	if !c.has(i) {
		return nil
	}
	return c.b.of(c.in[i])
}

// known gives the elements of an input, which must not depend on what the model is given.
func (c *call) known(i int) *known {
	k := c.b.demand(c.in[i])
	if k == nil {
		refuse("the elements of input %d %q decide on shapes, but depend on inputs of the model, or are more than %d: declare those inputs in Options.Known", i, c.node.Inputs[i], maxKnown)
	}
	return k
}

// integers gives the elements of an input of integers that must be known, in any shape.
func (c *call) integers(i int) []int64 {
	k := c.known(i)
	if k.elem.IsFloat() {
		refuse("input %d has elements of %v, expected integers", i, k.elem)
	}
	return k.ints
}

// list gives the elements of an input as integers does.
func (c *call) list(i int) []int {
	out := []int{}
	for _, x := range c.integers(i) {
		out = append(out, within(x, "input %d", i))
	}
	return out
}

// bounds gives the elements of an input as integers does, or an attribute that took its place in older versions, with bound.
func (c *call) bounds(i int, name string) (list []int, ok bool) {
	var all []int64
	switch a := c.attr(name, 7); {
	case a != nil:
		all = a.Ints
	case c.has(i):
		all = c.integers(i)
	default:
		return nil, false
	}
	for _, x := range all {
		list = append(list, bound(x))
	}
	return list, true
}

// listOr gives an input as list does, or an attribute that took its place in older versions; ok is false if both are missing.
func (c *call) listOr(i int, name string) (list []int, ok bool) {
	if list, ok = c.ints(name); ok || !c.has(i) {
		return list, ok
	}
	return c.list(i), true
}

// number gives the only element of an input that must be known.
func (c *call) number(i int) float64 {
	k := c.known(i)
	if k.len() != 1 {
		refuse("input %d has shape %v, expected one element", i, k.shape)
	}
	return k.float(0)
}

func (c *call) integer(i int) int {
	return within(c.exact(i), "input %d", i)
}

// exact gives the only element of an input, which is an integer of any size.
func (c *call) exact(i int) int64 {
	x := c.number(i)
	if k := c.known(i); !k.elem.IsFloat() {
		return k.ints[0]
	}
	if x != math.Trunc(x) {
		refuse("input %d is %v, expected an integer", i, x)
	}
	if math.Abs(x) > farthest { // int64(x) is negative where x is too large
		refuse("input %d is %.0f, expected %d to %d", i, x, -farthest, farthest)
	}
	return int64(x)
}

// axis counts a negative axis from the end.
func axis(a, rank int) int {
	if a < -rank || a >= rank {
		refuse("axis %d of an array of rank %d, expected %d to %d", a, rank, -rank, rank-1)
	}
	if a < 0 {
		a += rank
	}
	return a
}

// axes counts negative axes from the end; an axis must not occur twice.
func axes(list []int, rank int) []int {
	out := make([]int, len(list))
	for i, a := range list {
		out[i] = axis(a, rank)
		if slices.Contains(out[:i], out[i]) {
			refuse("axis %d is named twice in %v", a, list)
		}
	}
	return out
}

// num makes a number of an element type.
func (c *call) num(elem dtype.Type, x float64) *graph.Value { return graph.Number(c.b.g, elem, x) }

// like makes a number of the element type of x.
func (c *call) like(x *graph.Value, number float64) *graph.Value { return c.num(x.DType(), number) }

// one makes the values of a node with one result.
func (c *call) one(x *graph.Value) []*val { return []*val{computed(x, c.in...)} }

// out makes the values of a node with several results.
func (c *call) out(xs ...*graph.Value) []*val {
	outs := make([]*val, len(xs))
	for i, x := range xs {
		if x != nil {
			outs[i] = computed(x, c.in...)
		}
	}
	return outs
}

// same refuses inputs of several element types.
func (c *call) same(inputs ...int) {
	for _, i := range inputs {
		if c.has(i) && c.in[i].elem != c.in[inputs[0]].elem {
			refuse("input %d has elements of %v and input %d of %v, expected the same", inputs[0], c.in[inputs[0]].elem, i, c.in[i].elem)
		}
	}
}

// rank refuses an input of another rank.
func (c *call) rank(i, least int) {
	if r := c.in[i].rank(); r < least {
		refuse("input %d has shape %v, expected at least %d axes", i, c.in[i].shape, least)
	}
}
