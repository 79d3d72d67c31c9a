package tileir

import (
	"math/bits"
	"slices"
)

// Inferred returns the type of the i-th result if operands, attributes and the table's traits determine it, else nil.
func (o *Op) Inferred(i int) Type {
	if len(o.Info.Results) == 0 {
		return nil
	}
	in := &o.Info.Results[min(i, len(o.Info.Results)-1)]
	if in.Constraint.Kind == TokenOnly {
		return Token
	}
	for j := range o.Info.Traits {
		if t := o.traitType(&o.Info.Traits[j], in.Name, i); t != nil {
			return t
		}
	}
	if in.Constraint.Scalar {
		if e, ok := in.Constraint.oneElem(); ok {
			return Tile(e)
		}
	}
	if infer := inferences[o.Info.Opcode]; infer != nil {
		return infer(o, i)
	}
	return nil
}

// oneElem is the element type of a constraint that has just one.
func (k *Constraint) oneElem() (Elem, bool) {
	return Elem(bits.TrailingZeros32(k.Elems)), k.Kind == TileOnly && !k.Pointer && bits.OnesCount32(k.Elems) == 1
}

// traitType is the type that one trait gives the i-th result, whose name in the table is name.
func (o *Op) traitType(t *Trait, name string, i int) Type {
	switch {
	case t.Name == "result_is_i1_with_shape_of":
		if v := o.Operand(t.Args[0]); v != nil {
			return Tile(I1, shapeOf(v.Type)...)
		}
	case t.Name == "same_type" && slices.Contains(t.Args, name):
		for _, other := range t.Args {
			if c, ok := o.Attr(other).(*Constant); ok && c != nil && c.Type != nil {
				return c.Type
			}
			if k := o.Info.OperandIndex(other); k >= 0 {
				return typeAt(o.Group(k), i)
			}
		}
	case t.Name == "same_shape" && slices.Contains(t.Args, name):
		e, ok := o.Info.Results[o.Info.ResultIndex(name)].Constraint.oneElem()
		if v := o.Operand(t.Args[0]); ok && v != nil {
			return Tile(e, shapeOf(v.Type)...)
		}
	}
	return nil
}

// typeAt is the type of the i-th value, or of the only one.
func typeAt(vs []*Value, i int) Type {
	if len(vs) == 1 {
		i = 0
	}
	if i >= len(vs) || vs[i] == nil {
		return nil
	}
	return vs[i].Type
}

// inferences has the operations whose results follow from more than the table's traits.
var inferences = [len(byOpcode)]func(o *Op, i int) Type{
	OpPermute: inferPermute, OpCat: inferCat, OpReduce: inferReduce, OpScan: inferReduce,
	OpLoadPtrTko: inferLoadPtr, OpLoadViewTko: inferLoadView,
}

// tileAt is the type of the i-th operand, nil if it is no tile.
func (o *Op) tileAt(i int) *TileType {
	if i < len(o.Operands) && o.Operands[i] != nil {
		t, _ := o.Operands[i].Type.(*TileType)
		return t
	}
	return nil
}

func inferPermute(o *Op, _ int) Type {
	t := o.tileAt(0)
	p, _ := o.Attr("permutation").(Ints)
	if t == nil {
		return nil
	}
	if len(p) != t.Rank() {
		return t // Verify says what is wrong with the attribute
	}
	out := &TileType{Elem: t.Elem, Pointer: t.Pointer, PtrAttr: t.PtrAttr, Shape: make([]int, len(p))}
	for i, d := range p {
		if d < 0 || d >= len(p) {
			return t
		}
		out.Shape[i] = t.Shape[d]
	}
	return out
}

func inferCat(o *Op, _ int) Type {
	a, b, dim := o.tileAt(0), o.tileAt(1), o.Int("dim")
	if a == nil || b == nil {
		return nil
	}
	if a.Rank() != b.Rank() || dim < 0 || dim >= int64(a.Rank()) {
		return a // Verify says what is wrong
	}
	out := &TileType{Elem: a.Elem, Pointer: a.Pointer, PtrAttr: a.PtrAttr, Shape: slices.Clone(a.Shape)}
	out.Shape[dim] += b.Shape[dim]
	return out
}

func inferReduce(o *Op, i int) Type {
	t, dim := o.tileAt(i), o.Int("dim")
	if t == nil {
		return nil
	}
	if dim < 0 || dim >= int64(t.Rank()) {
		return t // Verify says what is wrong
	}
	out := &TileType{Elem: t.Elem, Pointer: t.Pointer, PtrAttr: t.PtrAttr, Shape: slices.Clone(t.Shape)}
	if o.Info.Opcode == OpReduce {
		out.Shape = slices.Delete(out.Shape, int(dim), int(dim)+1)
	}
	return out
}

func inferLoadPtr(o *Op, _ int) Type {
	if t := o.tileAt(0); t != nil && t.Pointer {
		return &TileType{Elem: t.Elem, Shape: t.Shape}
	}
	return nil
}

func inferLoadView(o *Op, _ int) Type {
	if len(o.Operands) > 0 && o.Operands[0] != nil {
		if v, ok := o.Operands[0].Type.(ViewType); ok && v.TensorView() != nil {
			return v.TileType()
		}
	}
	return nil
}
