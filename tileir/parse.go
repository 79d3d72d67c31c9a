package tileir

import "strings"

// ParseOptions are the choices of [Parse].
type ParseOptions struct {
	// Version is what the module is for: operations and types that it lacks are refused. 0 is the newest.
	Version Version
	// File names the text in errors.
	File string
	// Places gives entries and operations without place their place in the text, as if the text were their source.
	Places bool
}

// ParseError says what is wrong with a text, and where. Line and Col count from 1; Col counts bytes.
type ParseError struct {
	File      string
	Line, Col int
	What      string
}

// Error is "file:line:col: what".
func (e *ParseError) Error() string { return TextPos{e.File, e.Line, e.Col}.String() + ": " + e.What }

// Parse reads the text form: what [Print] and NVIDIA's tileirdisasm print, with debug information or without. Of a
// printed module it gives an equal one, but for what the text does not hold; docs/bytecode.md lists that. An error is a
// [*ParseError], the first one. Parse checks that names are defined and types written as they are, not the rules of
// operations: see [Verify], whose errors name the place in the text, as [Module.TextPos] does.
func Parse(src string, opts ParseOptions) (m *Module, err error) {
	if opts.Version == 0 {
		opts.Version = Newest
	}
	r := &parser{src: src, opts: opts, m: &Module{text: newTextMap(opts.File, src)}, aliases: map[string]*placeRef{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *ParseError:
			m, err = nil, e
		default:
			panic(e)
		}
	}()
	r.module()
	r.resolvePlaces()
	if opts.Places {
		r.m.placesOfText()
	}
	return r.m, nil
}

// parser reads a text from left to right. A mistake is a panic with a *ParseError, which Parse catches.
type parser struct {
	src  string
	pos  int
	opts ParseOptions
	m    *Module

	scopes []map[string][]*Value // of the blocks around, outermost first
	depth  int                   // of things in one another
	spent  int                   // bytes that the module takes

	aliases map[string]*placeRef
	places  []pendingPlace
}

// Limits of the parser. A text within them is read in time and memory proportional to its size.
const (
	maxParseDepth  = MaxDepth  // of regions, lists and places in one another
	maxParseMemory = 512 << 20 // bytes that a module may take
	maxResults     = 1 << 16   // of an operation
	maxText        = 1 << 20   // bytes of a name or text
	maxMessage     = 400       // bytes of an error
)

// About what parts of a module take, in bytes.
const (
	opSize    = 700 // with its names and place
	valueSize = 200 // a result or block argument
	itemSize  = 96  // of a list
	placeSize = 300 // an alias
)

// spend counts the memory that the module takes.
func (r *parser) spend(bytes int) {
	if r.spent += bytes; r.spent > maxParseMemory {
		r.failf(r.here(), "the module takes more than %d MiB of memory", maxParseMemory>>20)
	}
}

// Comments that begin a text tell the producer: its first line, and further ones.
const (
	producerMark = "// Producer: "
	producerMore = "//           "
)

func (r *parser) producer() {
	rest, more := strings.CutPrefix(r.src, producerMark)
	var b strings.Builder
	for sep := ""; more; sep = "\n" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		b.WriteString(sep + line)
		rest, more = strings.CutPrefix(rest, producerMore)
	}
	r.m.Producer = b.String()
}

func (r *parser) module() {
	r.producer()
	for {
		at := r.here()
		switch {
		case r.pos == len(r.src):
			return
		case r.peek("#"):
			r.aliasDefinition()
		case r.accept("entry"):
			e := r.entry()
			r.m.text.at[e] = at
			r.m.Entries = append(r.m.Entries, e)
		case r.accept("global"):
			g := r.global()
			r.m.text.at[g] = at
			r.m.Globals = append(r.m.Globals, g)
		default:
			r.fail("entry, global or an alias such as #loc")
		}
	}
}

func (r *parser) global() *Global {
	r.spend(opSize)
	g := &Global{}
	g.Private = r.accept("private")
	g.Constant = r.accept("constant")
	g.Name = r.symbol()
	if r.accept("alignment") {
		r.expect("=")
		g.Align = r.integer("an alignment")
	}
	g.Value = r.constant()
	r.place(&g.Loc)
	return g
}

func (r *parser) entry() *Entry {
	r.spend(opSize)
	e := &Entry{Name: r.symbol()}
	var params []namedValue
	r.expect("(")
	r.list(")", func() { params = append(params, r.parameter("a parameter")) })
	if r.accept("optimization_hints") {
		r.expect("=")
		e.Hints = r.hints()
	}
	b := r.region(params, -1)
	e.Params, e.Body = b.Args, b
	b.Args = nil
	if r.accept("{") {
		r.expect("sym_visibility =")
		if at := r.here(); r.quoted("a visibility") == "private" {
			e.Private = true
		} else {
			r.failAt(at, `"private"`)
		}
		r.expect("}")
	}
	r.place(&e.Loc)
	return e
}

// namedValue is a value that a block defines.
type namedValue struct {
	name string
	at   int
	typ  Type
}

// newName reads the name of a value that is defined here.
func (r *parser) newName(what string) namedValue {
	r.spend(valueSize)
	at := r.here()
	if !r.accept("%") {
		r.fail(what + " such as %arg0")
	}
	name := r.word()
	if name == "" {
		r.fail("the name of " + what)
	}
	return namedValue{name: name, at: at}
}

// parameter reads "%arg0: tile<i32>".
func (r *parser) parameter(what string) namedValue {
	v := r.newName(what)
	r.expect(":")
	v.typ = r.typ()
	return v
}

// define puts values under a name in the innermost scope.
func (r *parser) define(name string, at int, vs ...*Value) {
	for _, s := range r.scopes {
		if s[name] != nil {
			r.failf(at, "%%%s is already defined", name)
		}
	}
	r.scopes[len(r.scopes)-1][name] = vs
}

// value reads a use: "%0" or "%1#0".
func (r *parser) value() *Value {
	at := r.here()
	if !r.accept("%") {
		r.fail("a value such as %0")
	}
	name := r.word()
	index, indexed := 0, false
	if r.pos < len(r.src) && r.src[r.pos] == '#' {
		r.pos++
		index, indexed = int(r.natural("the number of a result", 1<<20)), true
	}
	for i := len(r.scopes) - 1; i >= 0; i-- {
		vs := r.scopes[i][name]
		switch {
		case vs == nil:
			continue
		case index >= len(vs):
			r.failf(at, "%%%s names %d values, so there is no %%%s#%d", name, len(vs), name, index)
		case !indexed && len(vs) > 1:
			r.failf(at, "%%%s names %d values; expected %%%s#0 to %%%s#%d", name, len(vs), name, name, len(vs)-1)
		}
		return vs[index]
	}
	r.failf(at, "%%%s is not defined here", name)
	return nil
}

// deeper counts nesting; call what it gives on the way out.
func (r *parser) deeper() func() {
	if r.depth++; r.depth > maxParseDepth {
		r.failf(r.here(), "more than %d levels of nesting", maxParseDepth)
	}
	return func() { r.depth-- }
}

// region reads a block in braces. Where its terminator is missing, it gets the implied one, which is -1 where none is.
func (r *parser) region(args []namedValue, implied int) *Block {
	defer r.deeper()()
	r.expect("{")
	r.scopes = append(r.scopes, map[string][]*Value{})
	b := &Block{}
	for _, a := range args {
		v := &Value{Type: a.typ}
		b.Args = append(b.Args, v)
		r.define(a.name, a.at, v)
	}
	for !r.peek("}") {
		b.Ops = append(b.Ops, r.op())
	}
	if n := len(b.Ops); n == 0 || !b.Ops[n-1].Info.Terminator {
		if implied < 0 {
			r.fail("an operation; the block must end in return or yield")
		}
		o := NewOp(byOpcode[implied], nil, nil, nil, nil, Loc{})
		r.m.text.at[o] = r.here()
		b.Ops = append(b.Ops, o)
	}
	r.expect("}")
	r.scopes = r.scopes[:len(r.scopes)-1]
	return b
}
