package text

import "github.com/cutile-go/cutile/tileir"

// dialect stands before the names of operations, types and attributes, where a text does not leave it out.
const dialect = "cuda_tile ."

// acceptOp passes over the name of an operation that is not an operation of a body.
func (r *parser) acceptOp(name string) bool {
	return r.accept(dialect+name) || r.accept(name)
}

// items reads what stands in a module, up to the end, "" being that of the text.
func (r *parser) items(end string) {
	for {
		at := r.here()
		switch {
		case r.pos == len(r.src):
			if end != "" {
				r.fail("entry, global or " + end)
			}
			return
		case end != "" && r.peek(end):
			return
		case r.peek("#"):
			r.aliasDefinition()
		case r.peek("!"):
			r.typeAlias()
		case r.acceptOp("entry"):
			r.addEntry(at, r.entry(tileir.KernelEntry))
		case r.acceptOp("global"):
			r.addGlobal(at, r.global())
		case r.acceptOp("module"), r.accept("builtin.module"):
			r.module(at)
		case r.opts.Tests && r.acceptOp("testing$func"):
			r.addEntry(at, r.entry(tileir.TestFunc))
		case r.genericItem():
		case r.opts.Tests:
			r.looseOp()
		default:
			r.fail("entry, global or an alias such as #loc")
		}
	}
}

func (r *parser) addEntry(at int, e *tileir.Entry) {
	r.text.Set(e, at)
	r.m.Entries = append(r.m.Entries, e)
}

func (r *parser) addGlobal(at int, g *tileir.Global) {
	r.text.Set(g, at)
	r.m.Globals = append(r.m.Globals, g)
}

// module reads what follows the word: "@kernels attributes {producer = "x"} { ... }".
func (r *parser) module(at int) {
	defer r.deeper()()
	r.spend(opSize)
	m := &tileir.Module{Text: r.text, Name: "kernels"}
	if r.peek("@") {
		m.Name = r.symbol()
	}
	if r.accept("attributes") {
		r.dictionary(func(name string, given bool) { r.moduleAttr(m, name, given) })
	}
	r.expect("{")
	r.inModule(at, m, func() { r.items("}") })
	r.expect("}")
	r.place(&tileir.Loc{}) // nor that of a module
}

// inModule reads the content of a module.
func (r *parser) inModule(at int, m *tileir.Module, content func()) {
	outer, loose := r.m, r.loose
	r.m, r.loose = m, nil
	r.modules = append(r.modules, m)
	r.text.Set(m, at)
	content()
	r.m, r.loose = outer, loose
}

func (r *parser) moduleAttr(m *tileir.Module, name string, given bool) {
	switch name {
	case "producer":
		m.Producer = r.quoted("the producer")
	case "sym_name":
		m.Name = r.quoted("a name")
	default:
		r.otherAttr(given)
	}
}

// typeAlias reads "!tile = !cuda_tile.tile<4xf32>".
func (r *parser) typeAlias() {
	at := r.here()
	r.expect("!")
	name := r.word()
	if name == "" {
		r.fail("the name of a type")
	}
	r.spend(placeSize)
	if r.typeAliases[name] != nil {
		r.failf(at, "!%s is already defined", name)
	}
	r.expect("=")
	r.typeAliases[name] = r.typ()
}

func (r *parser) global() *tileir.Global {
	r.spend(opSize)
	g := &tileir.Global{}
	if g.Private = r.accept("private"); !g.Private {
		r.accept("public")
	}
	g.Constant = r.accept("constant")
	g.Name = r.symbol()
	if r.accept("alignment") {
		r.expect("=")
		g.Align = r.integer("an alignment")
		if r.accept(":") {
			r.typ()
		}
	}
	g.Value = r.constant()
	r.place(&g.Loc)
	return g
}

// entry reads what follows the word. Values around it are not visible in it.
func (r *parser) entry(kind tileir.EntryKind) *tileir.Entry {
	r.spend(opSize)
	scopes := r.scopes
	r.scopes = nil
	e := &tileir.Entry{Name: r.symbol(), Kind: kind}
	var params []namedValue
	r.expect("(")
	r.list(")", func() { params = append(params, r.parameter("a parameter")) })
	if r.accept("->") {
		e.Results = r.resultTypes()
	}
	if r.accept("optimization_hints") {
		r.expect("=")
		e.Hints = r.hints()
	}
	if len(e.Hints) == 0 {
		e.Hints = nil
	}
	b := r.region(params, tileir.OpReturn)
	e.Params, e.Body = b.Args, b
	b.Args = nil
	if r.peek("{") {
		r.dictionary(func(name string, given bool) { r.entryAttr(e, name, given) })
	}
	r.place(&e.Loc)
	r.scopes = scopes
	return e
}

// resultTypes reads one type, or several in parentheses.
func (r *parser) resultTypes() []tileir.Type {
	var out []tileir.Type
	if !r.accept("(") {
		return []tileir.Type{r.typ()}
	}
	r.list(")", func() { out = append(out, r.typ()) })
	return out
}

func (r *parser) entryAttr(e *tileir.Entry, name string, given bool) {
	switch name {
	case "sym_visibility":
		at := r.here()
		text := r.quoted("a visibility")
		if e.Private = text == "private"; !e.Private && text != "public" {
			r.failAt(at, `"private"`)
		}
	case "sym_name":
		e.Name = r.quoted("a name")
	case "optimization_hints":
		r.accept("# " + dialect + "optimization_hints")
		e.Hints = r.hints()
	case "function_type":
		if t, ok := r.typeValue().(*tileir.FuncType); ok {
			e.Results = t.Results
		}
	default:
		r.otherAttr(given)
	}
}

// looseOp reads an operation outside of an entry.
func (r *parser) looseOp() {
	at := r.here()
	if r.loose == nil {
		r.loose = &tileir.Entry{Body: &tileir.Block{}, Kind: tileir.LooseOps}
		r.addEntry(at, r.loose)
	}
	if len(r.scopes) == 0 {
		r.scopes = []map[string][]*tileir.Value{{}}
	}
	r.loose.Body.Ops = append(r.loose.Body.Ops, r.op())
}

// region reads a block in braces. Where its terminator is missing, it gets the implied one, which is -1 where none is.
func (r *parser) region(args []namedValue, implied int) *tileir.Block {
	defer r.deeper()()
	r.expect("{")
	b := r.block(args)
	if n := len(b.Ops); implied >= 0 && (n == 0 || !b.Ops[n-1].Info.Terminator) {
		o := tileir.NewOp(tileir.LookupOpcode(implied), nil, nil, nil, nil, tileir.Loc{})
		r.text.Set(o, r.here())
		b.Ops = append(b.Ops, o)
	} else if n > 0 && !b.Ops[n-1].Info.Terminator { // that of nothing at all is found by Verify
		r.fail("an operation; the block must end in return or yield")
	}
	r.expect("}")
	return b
}

// block reads operations up to the brace that ends them, where arguments may have a label before them instead.
func (r *parser) block(args []namedValue) *tileir.Block {
	r.checkPending()
	r.scopes = append(r.scopes, map[string][]*tileir.Value{})
	if r.accept("^") {
		r.word()
		if r.accept("(") {
			r.list(")", func() { args = append(args, r.parameter("a block argument")) })
		}
		r.expect(":")
	}
	b := &tileir.Block{}
	for _, a := range args {
		v := &tileir.Value{Type: a.typ}
		b.Args = append(b.Args, v)
		r.define(a.name, a.at, v)
	}
	for !r.peek("}") {
		if r.peek("^") {
			r.failf(r.here(), "a region has one block, but here is another")
		}
		b.Ops = append(b.Ops, r.op())
	}
	r.scopes = r.scopes[:len(r.scopes)-1]
	return b
}

// dictionary reads "{name = value, flag}". The function reads a value, if there is one.
func (r *parser) dictionary(value func(name string, given bool)) {
	r.expect("{")
	r.list("}", func() {
		var name string
		if r.peek(`"`) {
			name = r.quoted("a name")
		} else if r.skip(); true {
			if name = r.word(); name == "" {
				r.fail("the name of an attribute")
			}
		}
		value(name, r.accept("="))
	})
}

// otherAttr reads the value of an attribute that means nothing here.
func (r *parser) otherAttr(given bool) {
	if given {
		r.nestedAttr()
	}
}
