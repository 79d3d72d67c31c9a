package tileir

import "slices"

// checkScope ties a memory scope to the orders that have one, and checks the hints.
func checkScope(c *checker, o *Op) {
	weak := Int(o.Int("memory_ordering_semantics")) == MemoryWeak
	scope := o.Attr("memory_scope")
	if weak && scope != nil {
		c.fail("attribute memory_scope: a weak access has no scope")
	}
	if !weak && scope == nil {
		c.fail("attribute memory_scope is missing: only a weak access has none")
	}
	hs, _ := o.Attr("optimization_hints").(Hints)
	known := viewHints
	if o.Info.OperandIndex("view") < 0 {
		known = pointerHints
	}
	c.hints("attribute optimization_hints", hs, known)
}

// pointsTo checks that a tile of pointers addresses the elements of another tile.
func (c *checker) pointsTo(o *Op, pointers, name string, value *TileType) {
	p := tileOf(o, pointers)
	if !slices.Equal(p.Shape, value.Shape) {
		c.fail("%s: expected the shape of %s, %v, but found %v", name, pointers, p, value)
	}
	if value.Pointer || p.Elem != value.Elem {
		c.fail("%s: expected elements of %v, which %s point to, but found %v", name, p.Elem, pointers, value)
	}
}

// maskFits checks the shape of an optional mask.
func (c *checker) maskFits(o *Op, like *TileType) {
	if m := o.Operand("mask"); m != nil && !sameShape(m.Type, like) {
		c.fail("operand mask: expected the shape of %v, but found %v", like, m.Type)
	}
}

func checkLoadPtr(c *checker, o *Op) {
	r := resultTile(o)
	c.pointsTo(o, "source", "result", r)
	c.maskFits(o, r)
	if p := o.Operand("paddingValue"); p != nil && !Identical(p.Type, r) {
		c.fail("operand paddingValue: expected the type of the result, %v, but found %v", r, p.Type)
	}
}

func checkStorePtr(c *checker, o *Op) {
	c.pointsTo(o, "destination", "operand value", tileOf(o, "value"))
	c.maskFits(o, tileOf(o, "destination"))
}

// wordElems are the elements that can be swapped as a whole.
var wordElems = []Elem{I32, I64, F32, F64}

func (c *checker) word(name string, t *TileType) {
	if t.Pointer || !slices.Contains(wordElems, t.Elem) {
		c.fail("%s: expected elements of i32, i64, f32 or f64, but found %v", name, t)
	}
}

func checkCAS(c *checker, o *Op) {
	v := tileOf(o, "val")
	c.pointsTo(o, "pointers", "operand val", v)
	c.word("operand val", v)
	c.maskFits(o, v)
}

func checkRMW(c *checker, o *Op) {
	v := tileOf(o, "arg")
	c.pointsTo(o, "pointers", "operand arg", v)
	c.atomicMode("operand arg", Int(o.Int("mode")), v)
	c.maskFits(o, v)
}

// atomicMode checks the element type of an atomic update.
func (c *checker) atomicMode(name string, mode Int, t *TileType) {
	switch mode {
	case AtomicXchg:
		c.word(name, t)
	case AtomicAddF:
		if t.Pointer || !slices.Contains([]Elem{F16, BF16, F32, F64}, t.Elem) {
			c.fail("%s: addf needs elements of f16, bf16, f32 or f64, but found %v", name, t)
		}
	default:
		if t.Pointer || t.Elem != I32 && t.Elem != I64 {
			c.fail("%s: %s needs elements of i32 or i64, but found %v", name, AtomicRMWMode.Text(int64(mode)), t)
		}
	}
}

func checkRedView(c *checker, o *Op) {
	v, view := tileOf(o, "value"), o.Operand("view").Type.(ViewType)
	if _, gathers := view.(*GatherScatterViewType); gathers {
		c.fail("operand view: expected a partition or strided view, but found %v", view)
		return
	}
	if viewPadding(view) != NoPadding {
		c.fail("operand view: expected a view without padding, but found %v", view)
	}
	if !Identical(v, view.TileType()) {
		c.fail("operand value: expected the tile of the view, %v, but found %v", view.TileType(), v)
	}
	c.atomicMode("operand value", Int(o.Int("mode")), v)
	c.index(o, view)
}

func checkAlloca(c *checker, o *Op) {
	n, align := o.Int("num_elem"), o.Int("alignment")
	size := int64(max(1, elemSize(resultTile(o).Elem)))
	if n < 0 {
		c.fail("attribute num_elem: %d is negative", n)
	}
	if align < 1 || align&(align-1) != 0 || align < size {
		c.fail("attribute alignment: expected a power of two of %d or more, but found %d", size, align)
	}
}

func checkJoin(c *checker, o *Op) {
	if len(o.Operands) < 2 {
		c.fail("operand tokens: expected two or more, but found %d", len(o.Operands))
	}
}
