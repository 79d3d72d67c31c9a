package text

import (
	"strconv"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/tileir"
)

// genericOp prints an operation in MLIR's generic form, without its results and place.
func (p *printer) genericOp(o *tileir.Op, name string) {
	if o.Info.Opcode != tileir.OpForeign {
		name = names.Quote("cuda_tile." + name)
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
func (p *printer) genericResults(o *tileir.Op) {
	if len(o.Results) == 1 {
		p.typeValue(o.Results[0].Type)
		return
	}
	p.text("(")
	p.valueTypes(o.Results)
	p.text(")")
}

// segmented reports whether the number of operands alone does not tell how many each has.
func segmented(in *tileir.Info) bool {
	n := 0
	for i := range in.Operands {
		if !in.Operands[i].Single() {
			n++
		}
	}
	return n > 1
}

// properties prints the attributes, and how many values each operand has where that may vary.
func (p *printer) properties(o *tileir.Op) {
	var keys []string
	var show []func()
	for i, v := range o.Attrs {
		if flag, ok := v.(tileir.Bool); v != nil && !(ok && !bool(flag) && o.Info.Attrs[i].Coding == tileir.UnitAttr) {
			keys = append(keys, o.Info.Attrs[i].Name)
			show = append(show, func() { p.property(o, i) })
		}
	}
	if segmented(o.Info) {
		keys = append(keys, "operandSegmentSizes")
		show = append(show, func() { p.intArray(o.Segments) })
	}
	p.dictionary(keys, func(i int) { show[i]() })
}

// dictionary prints properties, if there are any.
func (p *printer) dictionary(keys []string, value func(i int)) {
	if len(keys) == 0 {
		return
	}
	p.text(" <{")
	p.list(len(keys), func(i int) {
		p.text(keys[i], " = ")
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
func (p *printer) property(o *tileir.Op, i int) {
	info := &o.Info.Attrs[i]
	switch v := o.Attrs[i].(type) {
	case tileir.Int:
		if info.Enum != nil && info.Enum.Attr != "" {
			p.enumAttr(info.Enum, v)
			return
		}
		p.text(strconv.FormatInt(int64(v), 10), " : i", strconv.Itoa(max(info.Width, 32)))
	case tileir.Bool:
		if info.Coding == tileir.UnitAttr {
			p.text("unit")
			return
		}
		p.attr(o, i)
	case tileir.Ints:
		p.intArray(v)
	case tileir.Bools:
		if len(v) == 0 {
			p.text("array<i1>")
			return
		}
		p.text("array<i1: ")
		p.list(len(v), func(i int) { p.text(strconv.FormatBool(v[i])) })
		p.text(">")
	case *tileir.Constant:
		p.denseConstant(v)
	case tileir.String:
		if info.Symbol {
			p.text("@", names.Symbol(string(v)))
			return
		}
		p.attr(o, i)
	case tileir.Hints, tileir.DivBy, tileir.Bounded, tileir.SameElements:
		p.nested(v)
	default:
		p.attr(o, i)
	}
}

// enumAttr prints a value of an enumeration as the dialect's attribute.
func (p *printer) enumAttr(e *tileir.Enum, v tileir.Int) {
	p.text("#cuda_tile.", e.Attr, "<", e.Text(int64(v)), ">")
}

// denseConstant prints "dense<[1, 2]> : !cuda_tile.tile<2xi32>".
func (p *printer) denseConstant(c *tileir.Constant) {
	if !c.Fits() {
		p.text("<invalid constant>")
		return
	}
	p.text("dense<")
	p.elementsOf(c)
	p.text("> : ")
	p.typeValue(c.Type)
}

func (p *printer) genericRegion(b *tileir.Block) {
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
func (p *printer) genericFrame(name string, keys []string, value func(i int), region func()) {
	p.text(`"cuda_tile.`, name, `"()`)
	p.dictionary(keys, value)
	if region != nil {
		p.text(" (")
		region()
		p.text(")")
	}
	p.text(" : () -> ()")
}

func (p *printer) genericModule(m *tileir.Module, name string) {
	keys := []string{"sym_name"}
	if m.Producer != "" {
		keys = append(keys, "producer")
	}
	p.genericFrame("module", keys, func(i int) { p.text(names.Quote([]string{name, m.Producer}[i])) }, func() {
		p.text("{")
		p.items(m)
		p.line()
		p.text("}")
	})
	p.text("\n")
}

func (p *printer) genericGlobal(g *tileir.Global) {
	keys := []string{"sym_name", "value", "alignment", "symbol_visibility"}
	if g.Constant {
		keys = append(keys, "constant")
	}
	p.genericFrame("global", keys, func(i int) {
		switch keys[i] {
		case "sym_name":
			p.text(names.Quote(g.Name))
		case "value":
			p.denseConstant(g.Value)
		case "alignment":
			p.text(strconv.FormatInt(g.Align, 10), " : i64")
		case "symbol_visibility":
			visibility := tileir.VisibilityPublic
			if g.Private {
				visibility = tileir.VisibilityPrivate
			}
			p.enumAttr(tileir.SymbolVisibility, visibility)
		case "constant":
			p.text("unit")
		}
	}, nil)
}

func (p *printer) genericEntry(e *tileir.Entry) {
	name, keys := "entry", []string{"sym_name", "function_type"}
	if e.Kind != tileir.KernelEntry {
		name = "testing$func"
	}
	if len(e.Hints) > 0 {
		keys = append(keys, "optimization_hints")
	}
	if e.Private {
		keys = append(keys, "sym_visibility")
	}
	p.genericFrame(name, keys, func(i int) {
		switch keys[i] {
		case "sym_name":
			p.text(names.Quote(e.Name))
		case "function_type":
			t := e.Type()
			t.Results = e.Results
			p.typeValue(t)
		case "optimization_hints":
			p.nested(e.Hints)
		case "sym_visibility":
			p.text(`"private"`)
		}
	}, func() { p.genericRegion(&tileir.Block{Args: e.Params, Ops: e.Body.Ops}) })
}
