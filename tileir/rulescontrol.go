package tileir

import "slices"

// carried checks that no view is carried by a loop or given by an operation with regions.
func (c *checker) carried(what string, vs []*Value) {
	for _, v := range vs {
		switch v.Type.(type) {
		case *TensorViewType, ViewType:
			c.fail("%s: a view cannot be carried, but found %v", what, v.Type)
		}
	}
}

// sameTypes compares lists of values.
func (c *checker) sameTypes(what string, got, want []*Value) {
	if len(got) != len(want) {
		c.fail("%s: expected %d values, but found %d", what, len(want), len(got))
		return
	}
	for i := range got {
		if !got[i].Typed() || !Identical(got[i].Type, want[i].Type) {
			c.fail("%s: value %d: expected %v, but found %v", what, i, want[i].Type, typeText(got[i]))
		}
	}
}

func typeText(v *Value) any {
	if !v.Typed() {
		return "no type"
	}
	return v.Type
}

func checkFor(c *checker, o *Op) {
	inits := o.Group(3)
	c.carried("operand initValues", inits)
	args := o.Regions[0].Args
	if len(args) == 0 {
		c.fail("the block needs an argument for the loop's index")
		return
	}
	c.sameTypes("the block argument of the index", args[:1], o.Operands[:1])
	c.sameTypes("block arguments", args[1:], inits)
}

func checkLoop(c *checker, o *Op) {
	c.carried("operand initValues", o.Operands)
	c.carried("results", o.Results)
	c.sameTypes("block arguments", o.Regions[0].Args, o.Operands)
}

func checkIf(c *checker, o *Op) {
	c.carried("results", o.Results)
	if b := o.Regions[1]; len(o.Results) > 0 && (b == nil || len(b.Ops) == 0) {
		c.fail("an if with results needs an else")
	}
}

// checkReduce checks a reduction or scan: types, identities and block arguments.
func checkReduce(c *checker, o *Op) {
	dim, ids := o.Int("dim"), o.Attr("identities").(Numbers)
	n := len(o.Operands)
	if n == 0 || len(o.Results) != n || len(ids) != n {
		c.fail("expected as many results and identities as operands, and at least one, but found %d, %d and %d",
			len(o.Results), len(ids), n)
		return
	}
	if rank := o.Operands[0].Type.(*TileType).Rank(); dim < 0 || dim >= int64(rank) {
		c.fail("attribute dim: %d is not in 0..%d", dim, rank-1)
		return
	}
	var args []*Value
	for i, v := range o.Operands {
		t := v.Type.(*TileType)
		want := t
		if o.Info.Opcode == OpReduce {
			want = &TileType{Elem: t.Elem, Pointer: t.Pointer, PtrAttr: t.PtrAttr, Shape: slices.Delete(slices.Clone(t.Shape), int(dim), int(dim)+1)}
		}
		if got := o.Results[i].Type; !Identical(got, want) {
			c.fail("result %d: expected %v, but found %v", i, want, got)
		}
		if t.Pointer {
			c.fail("operand operands: value %d: expected a tile of numbers, but found %v", i, t)
		} else if e := ids[i].Elem; e != t.Elem && !(half(e) && half(t.Elem)) {
			c.fail("attribute identities: number %d: expected %v, but found %v", i, t.Elem, e)
		}
		s := &Value{Type: scalar(t)}
		args = append(args, s, s)
	}
	c.sameTypes("block arguments", o.Regions[0].Args, args)
}

// half reports whether e is one of the two types that identities may take for each other.
func half(e Elem) bool { return e == F16 || e == BF16 }

// effects refuses an operation with effects in the body of a reduction, which runs in any order and number.
func (c *checker) effects(o *Op) {
	if o.Info.Pure || o.Info.Terminator || len(o.Info.Regions) > 0 {
		return
	}
	for _, p := range c.parents {
		if p.Info.Opcode == OpReduce || p.Info.Opcode == OpScan {
			c.fail("the body of %s must be free of effects, but has %s", p.Info.Mnemonic, o.Info.Mnemonic)
			return
		}
	}
}

// target finds the operation that a terminator leaves: the nearest one around it that is not an if; nil for the entry.
func (c *checker) target() *Op {
	for _, p := range slices.Backward(c.parents) {
		if p.Info.Opcode != OpIf {
			return p
		}
	}
	return nil
}

func targetName(o *Op) string {
	if o == nil {
		return "entry"
	}
	return o.Info.Mnemonic
}

func checkBreak(c *checker, o *Op) {
	t := c.target()
	if t == nil || t.Info.Opcode != OpLoop {
		c.fail("break must stand in a loop, but stands in %s", targetName(t))
		return
	}
	c.sameTypes("operand operands", o.Operands, t.Results)
}

func checkContinue(c *checker, o *Op) {
	switch t := c.target(); {
	case t != nil && t.Info.Opcode == OpLoop:
		c.sameTypes("operand operands", o.Operands, t.Group(0))
	case t != nil && t.Info.Opcode == OpFor:
		c.sameTypes("operand operands", o.Operands, t.Results)
	default:
		c.fail("continue must stand in for or loop, but stands in %s", targetName(t))
	}
}

func checkReturn(c *checker, o *Op) {
	if c.entry.Kind != KernelEntry {
		c.returns(o)
	} else if len(o.Operands) > 0 {
		c.fail("an entry returns nothing, but found %d operands", len(o.Operands))
	}
	for _, p := range c.parents {
		if p.Info.Opcode != OpIf && p.Info.Opcode != OpLoop {
			c.fail("return cannot stand in %s", p.Info.Mnemonic)
			return
		}
	}
}

// returns checks what a function of a test returns.
func (c *checker) returns(o *Op) {
	var want []*Value
	for _, t := range c.entry.Results {
		want = append(want, &Value{Type: t})
	}
	c.sameTypes("operand operands", o.Operands, want)
}

// at makes the operation around the current one that which faults are about, as both are needed to tell what is wrong;
// call what it gives on the way out.
func (c *checker) at(p *Op) func() {
	op, path := c.op, c.path
	c.op, c.path = p, path[:len(path)-2]
	return func() { c.op, c.path = op, path }
}

func checkYield(c *checker, o *Op) {
	if len(c.parents) == 0 {
		c.fail("yield must stand in if, reduce or scan")
		return
	}
	p := c.parents[len(c.parents)-1]
	switch p.Info.Opcode {
	case OpIf:
		defer c.at(p)()
		c.sameTypes("what a side yields", o.Operands, p.Results)
	case OpReduce, OpScan:
		var want []*Value
		for _, v := range p.Operands {
			if t, ok := v.Type.(*TileType); ok {
				want = append(want, &Value{Type: scalar(t)})
			}
		}
		defer c.at(p)()
		c.sameTypes("what the body yields", o.Operands, want)
	default:
		c.fail("yield must stand in if, reduce or scan, but stands in %s", p.Info.Mnemonic)
	}
}
