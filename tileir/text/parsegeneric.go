package text

import (
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/tileir"
)

// MLIR's generic form of an operation: its name in quotes, operands, properties, regions, attributes and types.
//
//	%2 = "cuda_tile.addf"(%0, %1) <{rounding_mode = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<f32>, ...) -> !cuda_tile.tile<f32>

// foreignInfo makes a row for an operation of another dialect.
func foreignInfo(name string, regions int) *tileir.Info {
	any := tileir.Constraint{Kind: tileir.AnyType}
	return &tileir.Info{Mnemonic: names.Quote(name), Opcode: tileir.OpForeign, InBody: true, Since: tileir.V13_1,
		Operands: []tileir.OperandInfo{{Name: "operands", Constraint: any, Variadic: true, FlagBit: -1}},
		Results:  []tileir.ResultInfo{{Name: "results", Constraint: any, Variadic: true}},
		Regions:  slices.Repeat([]tileir.RegionInfo{{Name: "region", Optional: true}}, regions)}
}

// generic is what the generic form says of an operation.
type generic struct {
	opParse
	operands []*tileir.Value
	segments []int // how many each operand of the table has; nil if the text does not say
}

// genericOp reads an operation in the generic form.
func (r *parser) genericOp(named []namedValue, at int) *tileir.Op {
	name := r.quoted("the name of an operation")
	g := &generic{opParse: opParse{names: named, at: map[*tileir.Value]int{}}}
	if mnemonic, ours := strings.CutPrefix(name, "cuda_tile."); ours {
		g.opParse = *newOpParse(r.info(at, mnemonic))
	} else if !r.opts.Tests {
		r.failf(at, "expected an operation of cuda_tile, but found %s", names.Quote(name))
	}
	r.genericParts(g)
	if g.info == nil {
		g.info = foreignInfo(name, len(g.regions))
		g.groups = [][]*tileir.Value{g.operands}
	} else {
		r.sortOperands(g, at)
	}
	r.expect(":")
	types := r.typeList()
	if len(types) != len(g.operands) {
		r.failf(at, "there are %d operands, but %d types of operands", len(g.operands), len(types))
	}
	for i, v := range g.operands {
		r.sameType(&g.opParse, v, types[i])
	}
	r.expect("->")
	if r.peek("(") {
		g.results = r.typeList()
	} else {
		g.results = []tileir.Type{r.valueType()}
	}
	if g.info.Opcode != tileir.OpForeign && len(g.regions) != len(g.info.Regions) {
		r.failf(at, "%s has %d regions, but found %d", g.info.Mnemonic, len(g.info.Regions), len(g.regions))
	}
	r.checkPending()
	o := tileir.NewOp(g.info, g.groups, g.attrs, g.results, g.regions, tileir.Loc{})
	if len(g.regions) == 0 {
		o.Regions = nil
	}
	return o
}

// genericParts reads operands, properties, regions and attributes.
func (r *parser) genericParts(g *generic) {
	r.expect("(")
	r.list(")", func() { g.operands = append(g.operands, r.operand(&g.opParse)) })
	if r.accept("<") {
		r.dictionary(func(name string, given bool) { r.genericAttr(g, name, given) })
		r.expect(">")
	}
	g.regions = nil
	if r.accept("(") {
		r.list(")", func() {
			defer r.deeper()()
			r.expect("{")
			g.regions = append(g.regions, r.block(nil))
			r.expect("}")
		})
	}
	if r.peek("{") {
		r.dictionary(func(name string, given bool) { r.genericAttr(g, name, given) })
	}
}

// sortOperands puts the operands into the groups of the table.
func (r *parser) sortOperands(g *generic, at int) {
	in, left := g.info, g.operands
	segments := g.segments
	if segments == nil {
		segments = make([]int, len(in.Operands))
		free := len(left) - len(in.Operands) // for the first that need not be one
		for i := range in.Operands {
			if segments[i] = 1; !in.Operands[i].Single() {
				segments[i] += free
				free = 0
			}
		}
	}
	total := 0
	for _, n := range segments {
		if total += n; n < 0 {
			total = -1
			break
		}
	}
	if len(segments) != len(in.Operands) || total != len(left) {
		r.failf(at, "%s has %d operands in the table, but found %d in segments %v", in.Mnemonic, len(in.Operands), len(left), segments)
	}
	for i, n := range segments {
		g.groups[i], left = left[:n:n], left[n:]
	}
}

// genericAttr reads an attribute of the generic form.
func (r *parser) genericAttr(g *generic, name string, given bool) {
	if name == "operandSegmentSizes" && given {
		at := r.here()
		xs, ok := r.nestedAttr().(tileir.Ints)
		if !ok {
			r.failAt(at, "a list such as array<i32: 1, 0>")
		}
		g.segments = xs
		return
	}
	r.namedAttr(&g.opParse, name, given)
}

// namedAttr reads an attribute of an operation, whose table says of what kind it is.
func (r *parser) namedAttr(s *opParse, name string, given bool) {
	i := -1
	if s.info != nil {
		i = s.info.AttrIndex(name)
	}
	switch {
	case i < 0:
		r.otherAttr(given)
	case !given:
		s.attrs[i] = tileir.Bool(true)
	default:
		s.attrs[i] = r.tableAttr(&s.info.Attrs[i])
	}
}

// attrDict reads attributes in braces, which an operation may have before its types or at its end.
func (r *parser) attrDict(s *opParse) {
	if r.peek("{") {
		r.dictionary(func(name string, given bool) { r.namedAttr(s, name, given) })
	}
}

// genericItem reads what stands in a module in the generic form: a module, an entry or a global.
func (r *parser) genericItem() bool {
	start := r.pos
	if !r.peek(`"cuda_tile.`) && !r.peek(`"builtin.module"`) {
		return false
	}
	at := r.here()
	switch name := r.quoted("the name of an operation"); {
	case name == "cuda_tile.module" || name == "builtin.module":
		r.genericModule(at)
	case name == "cuda_tile.entry":
		r.genericEntry(at, tileir.KernelEntry)
	case name == "cuda_tile.testing$func" && r.opts.Tests:
		r.genericEntry(at, tileir.TestFunc)
	case name == "cuda_tile.global":
		r.genericGlobal(at)
	default:
		r.pos = start
		return false
	}
	return true
}

// genericFrame reads what an operation without operands and results has around its region.
func (r *parser) genericFrame(attr func(name string, given bool), region func()) {
	defer r.deeper()()
	r.expect("(")
	r.expect(")")
	if r.accept("<") {
		r.dictionary(attr)
		r.expect(">")
	}
	if region != nil {
		r.expect("(")
		r.expect("{")
		region()
		r.expect("}")
		r.expect(")")
	}
	if r.peek("{") {
		r.dictionary(attr)
	}
	r.expect(": () -> ()")
}

func (r *parser) genericModule(at int) {
	m := &tileir.Module{Text: r.text, Name: "kernels"}
	r.genericFrame(func(name string, given bool) { r.moduleAttr(m, name, given) }, func() {
		r.inModule(at, m, func() { r.items("}") })
	})
	r.place(&tileir.Loc{})
}

func (r *parser) genericEntry(at int, kind tileir.EntryKind) {
	r.spend(opSize)
	e := &tileir.Entry{Kind: kind}
	scopes := r.scopes
	r.scopes = nil
	r.genericFrame(func(name string, given bool) { r.entryAttr(e, name, given) }, func() {
		if r.peek("}") {
			r.failf(at, "a region has one block, but this has none")
		}
		e.Body = r.block(nil)
		e.Params, e.Body.Args = e.Body.Args, nil
	})
	r.scopes = scopes
	r.place(&e.Loc)
	r.addEntry(at, e)
}

func (r *parser) genericGlobal(at int) {
	r.spend(opSize)
	g := &tileir.Global{}
	r.genericFrame(func(name string, given bool) {
		switch name {
		case "sym_name":
			g.Name = r.quoted("a name")
		case "value":
			g.Value = r.denseConstant()
		case "alignment":
			g.Align = int64(r.typedInt())
		case "constant":
			g.Constant = !given || r.tableAttr(&tileir.AttrInfo{Coding: tileir.UnitAttr}) == tileir.Bool(true)
		case "symbol_visibility":
			r.expect("# " + dialect + tileir.SymbolVisibility.Attr + " <")
			g.Private = r.enum(tileir.SymbolVisibility) == tileir.VisibilityPrivate
			r.expect(">")
		default:
			r.otherAttr(given)
		}
	}, nil)
	r.place(&g.Loc)
	r.addGlobal(at, g)
}
