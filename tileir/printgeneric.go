package tileir

import "strconv"

// genericOp prints an operation in MLIR's generic form, without its results and place.
func (p *printer) genericOp(o *Op, name string) {
	if o.Info.Opcode != opForeign {
		name = quote("cuda_tile." + name)
	}
	p.text(name, "(")
	p.values(o.Operands)
	p.text(")")
	p.properties(o)
	if len(o.Regions) > 0 && !p.brief {
		p.text(" (")
		p.list(len(o.Regions), func(i int) { p.genericRegion(o.Regions[i]) })
		p.text(")")
	}
	p.text(" : (")
	p.valueTypes(o.Operands)
	p.text(") -> ")
	p.genericResults(o)
}

// genericResults prints the types of results, in parentheses unless there is one.
func (p *printer) genericResults(o *Op) {
	if len(o.Results) == 1 {
		p.typeValue(o.Results[0].Type)
		return
	}
	p.text("(")
	p.valueTypes(o.Results)
	p.text(")")
}

// segmented reports whether the number of operands alone does not tell how many each has.
func (in *Info) segmented() bool {
	n := 0
	for i := range in.Operands {
		if !in.Operands[i].single() {
			n++
		}
	}
	return n > 1
}

// properties prints the attributes, and how many values each operand has where that may vary.
func (p *printer) properties(o *Op) {
	var names []string
	var show []func()
	for i, v := range o.Attrs {
		if flag, ok := v.(Bool); v != nil && !(ok && !bool(flag) && o.Info.Attrs[i].Coding == UnitAttr) {
			names = append(names, o.Info.Attrs[i].Name)
			show = append(show, func() { p.property(o, i) })
		}
	}
	if o.Info.segmented() {
		names = append(names, "operandSegmentSizes")
		show = append(show, func() { p.intArray(o.Segments) })
	}
	p.dictionary(names, func(i int) { show[i]() })
}

// dictionary prints properties, if there are any.
func (p *printer) dictionary(names []string, value func(i int)) {
	if len(names) == 0 {
		return
	}
	p.text(" <{")
	p.list(len(names), func(i int) {
		p.text(names[i], " = ")
		value(i)
	})
	p.text("}>")
}

func (p *printer) intArray(xs []int) {
	if len(xs) == 0 {
		p.text("array<i32>")
		return
	}
	p.text("array<i32: ")
	p.list(len(xs), func(i int) { p.text(strconv.Itoa(xs[i])) })
	p.text(">")
}

// property prints an attribute as MLIR does by itself.
func (p *printer) property(o *Op, i int) {
	info := &o.Info.Attrs[i]
	switch v := o.Attrs[i].(type) {
	case Int:
		if info.Enum != nil && info.Enum.Attr != "" {
			p.enumAttr(info.Enum, v)
			return
		}
		p.text(strconv.FormatInt(int64(v), 10), " : i", strconv.Itoa(max(info.Width, 32)))
	case Bool:
		if info.Coding == UnitAttr {
			p.text("unit")
			return
		}
		p.attr(o, i)
	case Ints:
		p.intArray(v)
	case Bools:
		if len(v) == 0 {
			p.text("array<i1>")
			return
		}
		p.text("array<i1: ")
		p.list(len(v), func(i int) { p.text(strconv.FormatBool(v[i])) })
		p.text(">")
	case *Constant:
		p.denseConstant(v)
	case String:
		if info.Symbol {
			p.text("@", symbol(string(v)))
			return
		}
		p.attr(o, i)
	case Hints, DivBy, Bounded, SameElements:
		p.nested(v)
	default:
		p.attr(o, i)
	}
}

// enumAttr prints a value of an enumeration as the dialect's attribute.
func (p *printer) enumAttr(e *Enum, v Int) {
	p.text("#cuda_tile.", e.Attr, "<", enumText(e, int64(v)), ">")
}

// denseConstant prints "dense<[1, 2]> : !cuda_tile.tile<2xi32>".
func (p *printer) denseConstant(c *Constant) {
	if !c.fits() {
		p.text("<invalid constant>")
		return
	}
	p.text("dense<")
	p.elementsOf(c)
	p.text("> : ")
	p.typeValue(c.Type)
}

func (p *printer) genericRegion(b *Block) {
	p.text("{")
	if b != nil {
		if len(b.Args) > 0 {
			p.line()
			p.text("^bb0(")
			p.list(len(b.Args), func(i int) {
				p.value(b.Args[i])
				p.text(": ")
				p.typeValue(b.Args[i].Type)
			})
			p.text("):")
		}
		p.indent++
		for _, o := range b.Ops {
			p.line()
			p.op(o)
		}
		p.indent--
	}
	p.line()
	p.text("}")
}

// genericFrame prints what has a region or none, but neither operands nor results.
func (p *printer) genericFrame(name string, names []string, value func(i int), region func()) {
	p.text(`"cuda_tile.`, name, `"()`)
	p.dictionary(names, value)
	if region != nil {
		p.text(" (")
		region()
		p.text(")")
	}
	p.text(" : () -> ()")
}

func (p *printer) genericModule(m *Module, name string) {
	names := []string{"sym_name"}
	if m.Producer != "" {
		names = append(names, "producer")
	}
	p.genericFrame("module", names, func(i int) { p.text(quote([]string{name, m.Producer}[i])) }, func() {
		p.text("{")
		p.items(m)
		p.line()
		p.text("}")
	})
	p.text("\n")
}

func (p *printer) genericGlobal(g *Global) {
	names := []string{"sym_name", "value", "alignment", "symbol_visibility"}
	if g.Constant {
		names = append(names, "constant")
	}
	p.genericFrame("global", names, func(i int) {
		switch names[i] {
		case "sym_name":
			p.text(quote(g.Name))
		case "value":
			p.denseConstant(g.Value)
		case "alignment":
			p.text(strconv.FormatInt(g.Align, 10), " : i64")
		case "symbol_visibility":
			visibility := VisibilityPublic
			if g.Private {
				visibility = VisibilityPrivate
			}
			p.enumAttr(SymbolVisibility, visibility)
		case "constant":
			p.text("unit")
		}
	}, nil)
}

func (p *printer) genericEntry(e *Entry) {
	name, names := "entry", []string{"sym_name", "function_type"}
	if e.test != nil {
		name = "testing$func"
	}
	if len(e.Hints) > 0 {
		names = append(names, "optimization_hints")
	}
	if e.Private {
		names = append(names, "sym_visibility")
	}
	p.genericFrame(name, names, func(i int) {
		switch names[i] {
		case "sym_name":
			p.text(quote(e.Name))
		case "function_type":
			t := e.Type()
			t.Results = e.results
			p.typeValue(t)
		case "optimization_hints":
			p.nested(e.Hints)
		case "sym_visibility":
			p.text(`"private"`)
		}
	}, func() { p.genericRegion(&Block{Args: e.Params, Ops: e.Body.Ops}) })
}
