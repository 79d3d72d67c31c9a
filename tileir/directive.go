package tileir

import "strconv"

// directive is a piece of a format that depends on more than one thing of the table. Both directions stand side by
// side; begins is the text that it starts with, where it alone shows that an optional part is there.
type directive struct {
	print  func(*printer, *Op)
	parse  func(*parser, *opParse)
	begins string
}

// directives are the pieces that formats name with an exclamation mark. It is filled in when the program starts,
// because the functions lead back to it.
var directives map[string]*directive

func init() {
	directives = map[string]*directive{
		"index":       {print: printIndex, parse: parseIndex},
		"iterValues":  {print: printIterValues, parse: parseIterValues, begins: "iter_values"},
		"loopTypes":   {print: printLoopTypes, parse: parseLoopTypes},
		"loopBody":    {print: printBody(0, OpContinue), parse: parseBody(0, OpContinue)},
		"then":        {print: printBody(0, OpYield), parse: parseBody(0, OpYield)},
		"else":        {print: printElse, parse: parseElse},
		"reduceBody":  {print: printReduceBody, parse: parseReduceBody},
		"layout":      {print: printLayout, parse: parseLayout},
		"dynamicType": {print: printDynamicType, parse: parseDynamicType},
		"indexTypes":  {print: printIndexTypes, parse: parseIndexTypes},
		"firstType":   {print: printFirstType, parse: parseFirstType},
		"symbol":      {print: printSymbol, parse: parseSymbol},
	}
}

// block gives the i-th region, nil where it is absent.
func (o *Op) block(i int) *Block {
	if i < len(o.Regions) {
		return o.Regions[i]
	}
	return nil
}

// blockArgs gives the arguments of the first region from the i-th on.
func (o *Op) blockArgs(i int) []*Value {
	if b := o.block(0); b != nil && i <= len(b.Args) {
		return b.Args[i:]
	}
	return nil
}

// index: the block argument that counts.

func printIndex(p *printer, o *Op) {
	if args := o.blockArgs(0); len(args) > 0 {
		p.value(args[0])
	}
}

func parseIndex(r *parser, s *opParse) { s.args = append(s.args, r.newName("the loop's index")) }

// iterValues: block arguments with the values that they start with. A for has its index before them.

func (o *Op) iterArgs() []*Value {
	if o.Info.Opcode == OpFor {
		return o.blockArgs(1)
	}
	return o.blockArgs(0)
}

func printIterValues(p *printer, o *Op) {
	args, inits := o.iterArgs(), o.Group(o.Info.OperandIndex("initValues"))
	p.text("iter_values(")
	p.list(min(len(args), len(inits)), func(i int) {
		p.value(args[i])
		p.text(" = ")
		p.value(inits[i])
	})
	p.text(")")
}

func parseIterValues(r *parser, s *opParse) {
	group := s.info.OperandIndex("initValues")
	r.expect("iter_values(")
	r.list(")", func() {
		s.args = append(s.args, r.newName("a block argument"))
		r.expect("=")
		s.groups[group] = append(s.groups[group], r.value())
	})
}

// loopTypes: types of what a loop carries, and after an arrow those of its results.

func printLoopTypes(p *printer, o *Op) {
	inits := o.Group(0)
	if len(inits) > 0 || len(o.Results) > 0 {
		p.text(": ")
	}
	if len(inits) > 0 {
		p.types(inits)
		p.text(" ")
		if len(o.Results) > 0 {
			p.text("-> ")
		}
	}
	if len(o.Results) > 0 {
		p.types(o.Results)
		p.text(" ")
	}
}

func parseLoopTypes(r *parser, s *opParse) {
	inits := s.groups[0]
	if !r.accept(":") {
		return
	}
	if len(inits) > 0 {
		r.typesOf(inits)
		if !r.accept("->") {
			return
		}
	}
	s.results = r.types(len(s.names))
}

// body: a region in braces, whose terminator of the implied kind may be left out.

func printBody(region, implied int) func(*printer, *Op) {
	return func(p *printer, o *Op) {
		if !p.brief {
			p.region(o.block(region), implied, false)
		}
	}
}

func parseBody(region, implied int) func(*parser, *opParse) {
	return func(r *parser, s *opParse) { s.regions[region] = r.region(s.blockArgs(), implied) }
}

func printElse(p *printer, o *Op) {
	if b := o.block(1); b != nil && len(b.Ops) > 0 && !p.brief {
		p.text(" else ")
		p.region(b, OpYield, false)
	}
}

func parseElse(r *parser, s *opParse) {
	if r.accept("else") {
		s.regions[1] = r.region(nil, OpYield)
	}
}

func printReduceBody(p *printer, o *Op) {
	b := o.block(0)
	if p.brief || b == nil {
		return
	}
	p.line()
	p.text("(")
	p.list(len(b.Args), func(i int) {
		p.value(b.Args[i])
		p.text(": ")
		p.typeOf(b.Args[i])
	})
	p.text(") ")
	p.region(b, OpYield, true)
}

func parseReduceBody(r *parser, s *opParse) {
	var args []namedValue
	r.expect("(")
	r.list(")", func() { args = append(args, r.parameter("a block argument")) })
	s.regions[0] = r.region(args, -1)
}

// layout: extents and strides of a tensor view, the dynamic ones as values.

func printLayout(p *printer, o *Op) {
	if len(o.Results) == 0 {
		return
	}
	if t, ok := o.Results[0].Type.(*TensorViewType); ok {
		p.text(", shape = [")
		p.mixed(t.Shape, o.Group(1))
		p.text("], strides = [")
		p.mixed(t.Strides, o.Group(2))
		p.text("]")
	}
}

// mixed prints extents or strides, with the next value for each that is dynamic.
func (p *printer) mixed(xs []int64, dynamic []*Value) {
	p.list(len(xs), func(i int) {
		switch {
		case xs[i] != Dynamic:
			p.text(strconv.FormatInt(xs[i], 10))
		case len(dynamic) > 0:
			p.value(dynamic[0])
			dynamic = dynamic[1:]
		default:
			p.text("?")
		}
	})
}

func parseLayout(r *parser, s *opParse) {
	t := &TensorViewType{}
	mixed := func(xs *[]int64, group int) {
		r.list("]", func() {
			if r.peek("%") {
				s.groups[group] = append(s.groups[group], r.value())
				*xs = append(*xs, Dynamic)
				return
			}
			*xs = append(*xs, r.integer("an extent, a stride or a value"))
		})
	}
	at := r.here()
	r.expect(", shape = [")
	mixed(&t.Shape, 1)
	r.expect(", strides = [")
	mixed(&t.Strides, 2)
	s.later(func() {
		got, ok := s.results[0].(*TensorViewType)
		if t.Elem = NoElem; ok {
			t.Elem, t.PtrAttr = got.Elem, got.PtrAttr
		}
		if !Identical(t, s.results[0]) {
			r.failAt(at, "extents and strides as in the type %v", s.results[0])
		}
	})
}

// dynamicType: the type of the base if it carries the pointer attribute, and that of the dynamic extents and strides if
// there are any.

func layoutTypes(groups [][]*Value) []*Value {
	var out []*Value
	if len(groups[0]) > 0 && groups[0][0] != nil {
		if t, ok := groups[0][0].Type.(*TileType); ok && t.PtrAttr {
			out = append(out, groups[0][0])
		}
	}
	if dynamic := append(groups[1][:len(groups[1]):len(groups[1])], groups[2]...); len(dynamic) > 0 {
		out = append(out, dynamic[0])
	}
	return out
}

func printDynamicType(p *printer, o *Op) {
	if vs := layoutTypes([][]*Value{o.Group(0), o.Group(1), o.Group(2)}); len(vs) > 0 {
		p.types(vs)
		p.text(" -> ")
	}
}

func parseDynamicType(r *parser, s *opParse) {
	if vs := layoutTypes(s.groups); len(vs) > 0 {
		r.typesOf(vs)
		r.expect("->")
	}
}

// indexTypes: one type for all indices of a view if they share it, else each.

func printIndexTypes(p *printer, o *Op) {
	index := o.named("index")
	if len(index) == 0 {
		return
	}
	same := true
	for _, v := range index[1:] {
		same = same && v != nil && index[0] != nil && Identical(v.Type, index[0].Type)
	}
	if same {
		index = index[:1]
	}
	p.text(", ")
	p.types(index)
}

func parseIndexTypes(r *parser, s *opParse) {
	index := s.groups[s.info.OperandIndex("index")]
	for i := range index {
		if i > 0 && !r.peek(",") {
			return
		}
		r.expect(",")
		r.typesOf(index[i : i+1])
	}
}

// firstType: one type for all results.

func printFirstType(p *printer, o *Op) { p.types(o.Results[:min(1, len(o.Results))]) }

func parseFirstType(r *parser, s *opParse) {
	t := r.typ()
	for i := range s.results {
		s.results[i] = t
	}
}

// symbol: the name of a global.

func printSymbol(p *printer, o *Op) {
	name, _ := o.Attr("name").(String)
	p.text("@", symbol(string(name)))
}

func parseSymbol(r *parser, s *opParse) { s.attrs[s.info.AttrIndex("name")] = String(r.symbol()) }
