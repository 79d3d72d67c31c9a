package text

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// directive is a piece of a format that depends on more than one thing of the table. Both directions stand side by
// side; begins is the text that it starts with, where it alone shows that an optional part is there.
type directive struct {
	print  func(*printer, *tileir.Op)
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
		"loopBody":    {print: printBody(0, tileir.OpContinue), parse: parseBody(0, tileir.OpContinue)},
		"then":        {print: printBody(0, tileir.OpYield), parse: parseBody(0, tileir.OpYield)},
		"else":        {print: printElse, parse: parseElse},
		"reduceBody":  {print: printReduceBody, parse: parseReduceBody},
		"layout":      {print: printLayout, parse: parseLayout},
		"dynamicType": {print: printDynamicType, parse: parseDynamicType},
		"indexTypes":  {print: printIndexTypes, parse: parseIndexTypes},
		"firstType":   {print: printFirstType, parse: parseFirstType},
		"scope":       {print: printScope, parse: parseScope},
		"symbol":      {print: printSymbol, parse: parseSymbol},
	}
}

// regionOf gives the i-th region, nil if it is absent.
func regionOf(o *tileir.Op, i int) *tileir.Block {
	if i < len(o.Regions) {
		return o.Regions[i]
	}
	return nil
}

// blockArgs gives the arguments of the first region from the i-th on.
func blockArgs(o *tileir.Op, i int) []*tileir.Value {
	if b := regionOf(o, 0); b != nil && i <= len(b.Args) {
		return b.Args[i:]
	}
	return nil
}

// scope: the memory scope, which a weak access does not have.

func printScope(p *printer, o *tileir.Op) {
	if i := o.Info.AttrIndex("memory_scope"); o.Attrs[i] != nil {
		p.text(" ")
		p.attr(o, i)
	}
}

func parseScope(r *parser, s *opParse) {
	at, i := r.here(), s.info.AttrIndex("memory_scope")
	if c := r.next(); !isWord(c) {
		return
	}
	s.attrs[i] = r.attr(&s.info.Attrs[i])
	order := s.info.AttrIndex("memory_ordering_semantics")
	if allowed := s.info.Attrs[order].Allowed; s.attrs[order] == tileir.MemoryWeak && (allowed == nil || slices.Contains(allowed, int64(tileir.MemoryWeak))) {
		r.failf(at, "a weak access has no scope")
	}
}

// index: the block argument that counts.

func printIndex(p *printer, o *tileir.Op) {
	if args := blockArgs(o, 0); len(args) > 0 {
		p.value(args[0])
	}
}

func parseIndex(r *parser, s *opParse) { s.args = append(s.args, r.newName("the loop's index")) }

// iterValues: block arguments with the values that they start with. A for has its index before them.

func iterArgs(o *tileir.Op) []*tileir.Value {
	if o.Info.Opcode == tileir.OpFor {
		return blockArgs(o, 1)
	}
	return blockArgs(o, 0)
}

func printIterValues(p *printer, o *tileir.Op) {
	args, inits := iterArgs(o), o.Group(o.Info.OperandIndex("initValues"))
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
		s.groups[group] = append(s.groups[group], r.operand(s))
	})
}

// loopTypes: types of what a loop carries, and after an arrow those of its results.

func printLoopTypes(p *printer, o *tileir.Op) {
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
		r.typesOf(s, inits)
		if !r.accept("->") {
			return
		}
	}
	s.results = r.types()
}

// body: a region in braces, whose terminator of the implied kind may be left out.

func printBody(region, implied int) func(*printer, *tileir.Op) {
	return func(p *printer, o *tileir.Op) {
		if !p.brief {
			p.region(regionOf(o, region), implied, false)
		}
	}
}

func parseBody(region, implied int) func(*parser, *opParse) {
	return func(r *parser, s *opParse) { s.regions[region] = r.region(s.blockArgs(), implied) }
}

func printElse(p *printer, o *tileir.Op) {
	if b := regionOf(o, 1); b != nil && len(b.Ops) > 0 && !p.brief {
		p.text(" else ")
		p.region(b, tileir.OpYield, false)
	}
}

func parseElse(r *parser, s *opParse) {
	if r.accept("else") {
		s.regions[1] = r.region(nil, tileir.OpYield)
	}
}

func printReduceBody(p *printer, o *tileir.Op) {
	b := regionOf(o, 0)
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
	p.region(b, tileir.OpYield, true)
}

func parseReduceBody(r *parser, s *opParse) {
	var args []namedValue
	r.expect("(")
	r.list(")", func() { args = append(args, r.parameter("a block argument")) })
	s.regions[0] = r.region(args, -1)
}
