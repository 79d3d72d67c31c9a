package tileir

import (
	"slices"

	"github.com/cutile-go/cutile/internal/names"
)

// trait checks a rule of the table that ties types together. Traits that say nothing to check here are left out.
func (c *checker) trait(o *Op, t *Trait) {
	switch t.Name {
	case "same_type":
		c.same(o, t.Args, "the type", func(a, b Type) bool { return Identical(a, b) })
	case "same_shape":
		c.same(o, t.Args, "the shape", sameShape)
	case "same_rank":
		c.same(o, t.Args, "the rank", func(a, b Type) bool { return len(shapeOf(a)) == len(shapeOf(b)) })
	case "same_element":
		c.same(o, t.Args, "the element type", sameElem)
	case "same_operands_and_result_shape":
		c.sameAll(slices.Concat(o.Operands, o.Results), "shape", sameShape)
	case "same_operands_and_result_element":
		c.sameAll(slices.Concat(o.Operands, o.Results), "element type", sameElem)
	case "same_operands_shape":
		c.sameAll(o.Operands, "shape", sameShape)
	case "result_is_i1_with_shape_of":
		lhs, r := o.Operand(t.Args[0]).Type, o.Results[0].Type
		if !sameShape(lhs, r) {
			c.fail("result: expected a tile of i1 with the shape of %s, %v, but found %v", t.Args[0], lhs, r)
		}
	case "single_block":
		c.terminators(o, t.Args)
	case "no_region_arguments":
		for i, b := range o.Regions {
			if b != nil && len(b.Args) > 0 {
				c.fail("region %s takes no block arguments, but has %d", o.Info.Regions[i].Name, len(b.Args))
			}
		}
	}
}

// same compares named operands and results with the first of them; lists are compared value by value.
func (c *checker) same(o *Op, names []string, what string, equal func(a, b Type) bool) {
	first := o.Named(names[0])
	for _, name := range names[1:] {
		group := o.Named(name)
		if o.Attr(name) != nil || o.Attr(names[0]) != nil {
			return // the type of a constant, which has a rule of its own
		}
		if len(group) != len(first) {
			c.fail("%s has %d values, but %s has %d", o.part(name), len(group), o.part(names[0]), len(first))
			return
		}
		for i := range group {
			if !equal(first[i].Type, group[i].Type) {
				c.fail("%s: expected %s of %s, %v, but found %v", o.part(name), what, names[0], first[i].Type, group[i].Type)
			}
		}
	}
}

// part names an operand or result with its kind.
func (o *Op) part(name string) string {
	if o.Info.OperandIndex(name) >= 0 {
		return "operand " + name
	}
	return "result " + name
}

func (c *checker) sameAll(vs []*Value, what string, equal func(a, b Type) bool) {
	for _, v := range vs {
		if !equal(vs[0].Type, v.Type) {
			c.fail("expected the same %s everywhere, but found %v and %v", what, vs[0].Type, v.Type)
			return
		}
	}
}

// shapeOf is the shape of a tile; other types have none.
func shapeOf(t Type) []int {
	if t, ok := t.(*TileType); ok {
		return t.Shape
	}
	return nil
}

func sameShape(a, b Type) bool { return slices.Equal(shapeOf(a), shapeOf(b)) }

func sameElem(a, b Type) bool {
	x, ok := a.(*TileType)
	y, ok2 := b.(*TileType)
	return ok && ok2 && x.Elem == y.Elem && x.Pointer == y.Pointer && (x.PtrAttr == y.PtrAttr || !x.Pointer)
}

// terminators checks what the blocks of an operation end in.
func (c *checker) terminators(o *Op, allowed []string) {
	for i, b := range o.Regions {
		if b == nil || len(b.Ops) == 0 {
			continue
		}
		last := b.Ops[len(b.Ops)-1]
		if last == nil || last.Info == nil || !last.Info.Terminator {
			continue // reported with the block
		}
		name := last.Info.Mnemonic
		// NVIDIA's tools since 13.4 take a return in a loop, in files of any version.
		if !slices.Contains(allowed, name) && !(o.Info.Opcode == OpLoop && last.Info.Opcode == OpReturn) {
			c.fail("region %s must end in %s, but ends in %s", o.Info.Regions[i].Name, names.Either(allowed), name)
		}
	}
}
