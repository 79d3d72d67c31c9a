package tileir

import (
	"slices"
	"strings"
)

// operands checks that each is given as the table says, visible, and of a type that the table allows.
func (c *checker) operands(o *Op) {
	at := 0
	for i := range o.Info.Operands {
		in := &o.Info.Operands[i]
		n := 1
		if o.Segments != nil {
			n = o.Segments[i]
		}
		group := o.Operands[at : at+n]
		at += n
		switch {
		case n > 0 && in.Since > c.version:
			c.fail("operand %s needs version %v, but the target is %v", in.Name, in.Since, c.version)
		case in.Single() && n != 1:
			c.fail("operand %s: expected one value, but found %d", in.Name, n)
		case in.Optional && n > 1:
			c.fail("operand %s: expected at most one value, but found %d", in.Name, n)
		}
		for _, v := range group {
			c.operand(in, v)
		}
	}
}

func (c *checker) operand(in *OperandInfo, v *Value) {
	switch {
	case !v.Typed():
		c.fail("operand %s is nil or has no type", in.Name)
	case !c.visible[v]:
		if v.Def != nil && v.Def.Info != nil && c.visibleResults(v.Def) < len(v.Def.Results) {
			c.fail("operand %s is the result of %s, which needs version %v, but the target is %v", in.Name,
				v.Def.Info.Mnemonic, v.Def.Info.Results[len(v.Def.Info.Results)-1].Since, c.version)
			return
		}
		c.fail("operand %s is not visible here: it is defined later, in another region or nowhere", in.Name)
	case !in.Constraint.Allows(v.Type):
		c.fail("operand %s: expected %v, but found %v", in.Name, in.Constraint, outside(v.Type))
	default:
		c.checkType("operand "+in.Name, v.Type)
	}
}

func (c *checker) results(o *Op) {
	infos := o.Info.Results
	for i, r := range o.Results {
		in := &infos[min(i, len(infos)-1)]
		switch {
		case !r.Typed():
			c.fail("result %s is nil or has no type", in.Name)
		case r.Def != o:
			c.fail("result %s belongs to another operation", in.Name)
		case !in.Constraint.Allows(r.Type):
			c.fail("result %s: expected %v, but found %v", in.Name, in.Constraint, outside(r.Type))
		default:
			c.checkType("result "+in.Name, r.Type)
		}
	}
}

// outside gives a type for a message. It points out that an element is no tile, since the texts are much the same.
func outside(t Type) any {
	if t, ok := t.(ScalarType); ok {
		return t.String() + ", which stands outside of one"
	}
	return t
}

// Allows reports whether a type satisfies the constraint.
func (k *Constraint) Allows(t Type) bool {
	switch k.Kind {
	case AnyType:
		return true
	case TileOnly:
		t, ok := t.(*TileType)
		return ok && t != nil && (!k.Scalar || t.Rank() == 0) &&
			(t.Pointer && k.Pointer || !t.Pointer && k.Elems>>t.Elem&1 != 0)
	case TokenOnly:
		_, ok := t.(TokenType)
		return ok
	case TensorViewOnly:
		_, ok := t.(*TensorViewType)
		return ok
	case TileViewOnly:
		_, ok := t.(ViewType)
		return ok
	case PartitionViewOnly:
		_, ok := t.(*PartitionViewType)
		return ok
	case StridedViewOnly:
		_, ok := t.(*StridedViewType)
		return ok
	case GatherScatterViewOnly:
		_, ok := t.(*GatherScatterViewType)
		return ok
	}
	return false
}

var kindNames = [...]string{
	AnyType: "any type", TokenOnly: "a token", TensorViewOnly: "a tensor view", TileViewOnly: "a view of tiles",
	PartitionViewOnly: "a partition view", StridedViewOnly: "a strided view", GatherScatterViewOnly: "a gather-scatter view",
}

// String describes the allowed types, such as "a tile of f16, f32 or f64".
func (k Constraint) String() string {
	if k.Kind != TileOnly {
		return kindNames[k.Kind]
	}
	what := "a tile"
	if k.Scalar {
		what = "a tile of rank 0"
	}
	var names []string
	switch {
	case k.Elems == elemsAny && k.Pointer:
		return what
	case k.Elems == elemsNumber:
		names = append(names, "numbers")
	default:
		for e := I1; e < numElems; e++ {
			if k.Elems>>e&1 != 0 {
				names = append(names, e.String())
			}
		}
	}
	if k.Pointer {
		names = append(names, "pointers")
	}
	if n := len(names); n > 1 {
		return what + " of " + strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	return what + " of " + names[0]
}

// checkType checks a type by itself, once; what names the value that has it.
func (c *checker) checkType(what string, t Type) bool {
	if s, ok := t.(ScalarType); ok && c.op != nil && c.op.Info.Opcode == OpForeign {
		return c.elem(what, t, s.Elem) // an operation of another dialect takes types that are no tiles
	}
	if ok, seen := c.types[t]; seen {
		c.unsound = c.unsound || !ok
		return ok
	}
	before := len(c.errs)
	switch t := t.(type) {
	case *TileType:
		c.tileType(what, t)
	case *TensorViewType:
		c.tensorType(what, t)
	case ScalarType:
		if c.elem(what, t, t.Elem) {
			c.fail("%s: expected a tile, but found %v", what, outside(t))
		}
	case ViewType:
		c.viewType(what, t)
	case *FuncType:
		c.fail("%s: expected the type of a value, but found %v, which is that of a function", what, t)
	}
	ok := len(c.errs) == before
	if v, view := t.(ViewType); view && v.TensorView() != nil {
		ok = ok && c.types[v.TensorView()] // which may have been found wrong before
	}
	c.types[t] = ok
	return ok
}

func (c *checker) elem(what string, t Type, e Elem) bool {
	switch {
	case e <= NoElem || e >= numElems:
		c.fail("%s has a type without an element type", what)
		return false
	case e.Since() > c.version:
		c.fail("%s: %v needs version %v, but the target is %v", what, t, e.Since(), c.version)
	}
	return true
}

func (c *checker) tileType(what string, t *TileType) {
	if !c.elem(what, t, t.Elem) {
		return
	}
	c.tileShape(what, t, t.Shape)
	c.pointerAttr(what, t, t.PtrAttr)
	if t.PtrAttr && !t.Pointer {
		c.fail("%s: %v holds no pointers, so it has no pointer attribute", what, t)
	}
	if !t.Pointer {
		c.evenTile(what, t, t.Elem, t.Shape)
	}
	if t.Pointer && t.Elem == I4 {
		c.fail("%s: %v: there are no pointers to i4", what, t)
	}
}

// evenTile checks that tiles of f4 have an even number of elements.
func (c *checker) evenTile(what string, t Type, e Elem, shape []int) {
	even := func(d int) bool { return d%2 == 0 }
	if e == F4E2M1FN && !slices.ContainsFunc(shape, even) {
		c.fail("%s: %v needs an even extent, since two elements share a byte", what, t)
	}
}

// pointerAttr checks that the version has pointer attributes.
func (c *checker) pointerAttr(what string, t Type, given bool) {
	if given && c.version < V13_4 {
		c.fail("%s: %v: pointer attributes need version %v, but the target is %v", what, t, V13_4, c.version)
	}
}

// tileShape checks the extents of a tile, or of the tiles of a view.
func (c *checker) tileShape(what string, t Type, shape []int) {
	size := 1
	for _, d := range shape {
		if d < 1 || d&(d-1) != 0 {
			c.fail("%s: %v: extent %d is not a power of two", what, t, d)
			return
		}
		if size *= d; size > MaxTileSize {
			c.fail("%s: %v has more than %d elements", what, t, MaxTileSize)
			return
		}
	}
}
