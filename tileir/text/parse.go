package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/tileir"
)

// ParseOptions are the options of [Parse].
type ParseOptions struct {
	// Version is the version of the module: operations and types that it does not have are refused. 0 means the newest.
	Version tileir.Version
	// File names the text in errors.
	File string
	// Places sets the source positions of entries and operations that have none to their positions in the text.
	Places bool
	// Module selects one of several modules by name.
	Module string
	// Tests also accepts what only the dialect's own tests contain: functions with parameters of any type, operations outside
	// of a module or an entry, and operations of other dialects. Such a module can only be verified and printed; see
	// [tileir.Module.OnlyText].
	Tests bool
}

// ParseError describes what is wrong with a text, and where. Line and Col count from 1; Col counts bytes.
type ParseError struct {
	File      string
	Line, Col int
	What      string
}

// Error returns "file:line:col: what".
func (e *ParseError) Error() string {
	return tileir.TextPos{File: e.File, Line: e.Line, Col: e.Col}.String() + ": " + e.What
}

// Parse parses the text form: the output of [Print] and of NVIDIA's tileirdisasm, with or without debug information, and MLIR's
// text of the dialect: modules in braces, types and operations prefixed with the dialect's name, operations in the generic
// form, aliases and locations of every kind. From a printed module it makes an equal one, except for what the text does not
// contain, which docs/bytecode.md lists. The error is the first [*ParseError]. Parse checks that names are defined and that
// types are written correctly, but not the rules of operations: see [tileir.Verify], whose errors contain the position in the
// text, like [tileir.Module.TextPos]. A text of several modules is an error unless an option selects one; [ParseAll] returns
// all.
func Parse(src string, opts ParseOptions) (*tileir.Module, error) {
	ms, err := ParseAll(src, opts)
	if err != nil {
		return nil, err
	}
	var all []string // in quotes
	for _, m := range ms {
		if all = append(all, strconv.Quote(m.Name)); opts.Module != "" && m.Name == opts.Module {
			return m, nil
		}
	}
	first := posIn(opts.File, src, 0)
	switch {
	case opts.Module != "":
		return nil, &ParseError{first.File, first.Line, first.Col, fmt.Sprintf("there is no module %q, but %s", opts.Module, names.List(all))}
	case len(ms) > 1:
		return nil, &ParseError{first.File, first.Line, first.Col, fmt.Sprintf("expected one module, but found %d: choose one of %s", len(ms), names.List(all))}
	}
	return ms[0], nil
}

// byteOrderMark is what editors of some systems write before a text in UTF-8. There it means nothing, as in Go.
const byteOrderMark = "\ufeff"

// splitMark begins a line between parts of a text that know nothing of one another, as in MLIR's tests.
const splitMark = "// -----"

// ParseAll parses a text of any number of modules. Operations outside of them form a module of their own, and an empty text is
// an empty module. Lines that begin with "// -----" split it into texts that are parsed separately.
func ParseAll(src string, opts ParseOptions) (ms []*tileir.Module, err error) {
	src = strings.TrimPrefix(src, byteOrderMark)
	if opts.Version == 0 {
		opts.Version = tileir.Newest
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *ParseError:
			ms, err = nil, e
		default:
			panic(e)
		}
	}()
	spent, text := 0, tileir.NewTextMap(opts.File, src)
	for start := 0; ; {
		end := len(src)
		if i := strings.Index(src[start:], "\n"+splitMark); i >= 0 {
			end = start + i + 1
		}
		r := &parser{src: src[:end], pos: start, opts: opts, spent: spent, aliases: map[string]*placeRef{},
			typeAliases: map[string]tileir.Type{}, text: text}
		ms = append(ms, r.part()...)
		spent = r.spent
		if start = end; end == len(src) {
			break
		}
	}
	if full := slices.DeleteFunc(slices.Clone(ms), isEmpty); len(full) > 0 {
		ms = full
	}
	return ms[:max(1, len(ms))], nil
}

// isEmpty reports whether a part of a text held nothing.
func isEmpty(m *tileir.Module) bool {
	return m.Name == "" && m.Producer == "" && len(m.Globals)+len(m.Entries) == 0
}

// part reads the text up to its end: its modules.
func (r *parser) part() []*tileir.Module {
	r.spend(opSize)
	outer := &tileir.Module{Text: r.text}
	r.m = outer
	if r.pos == 0 {
		r.producer()
	}
	r.items("")
	r.resolvePlaces()
	r.checkScopes()
	ms := r.modules
	if !isEmpty(outer) || len(ms) == 0 {
		ms = append([]*tileir.Module{outer}, ms...)
	}
	if r.opts.Places {
		for _, m := range ms {
			placesOfText(m)
		}
	}
	return ms
}

// parser reads a text from left to right. A mistake is a panic with a *ParseError, which Parse catches.
type parser struct {
	src  string
	pos  int
	opts ParseOptions
	m    *tileir.Module

	text    *tileir.TextMap
	modules []*tileir.Module             // those in braces
	loose   *tileir.Entry                // the operations outside of entries
	scopes  []map[string][]*tileir.Value // of the blocks around, outermost first
	depth   int                          // of nested things
	spent   int                          // bytes that the module takes

	pending *ParseError // what is wrong with an operand of the current operation, unless its text is wrong

	aliases     map[string]*placeRef
	typeAliases map[string]tileir.Type
	places      []pendingPlace
}

// Limits of the parser. A text within them is read in time and memory proportional to its size.
const (
	maxParseDepth  = tileir.MaxDepth // of nested regions, lists and places
	maxParseMemory = 512 << 20       // bytes that a module may take
	maxResults     = 1 << 16         // of an operation
	maxText        = 1 << 20         // bytes of a name or text
	maxNumeral     = 1 << 12         // characters of a number
	maxMessage     = 400             // bytes of an error
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

// namedValue is a value that a block defines.
type namedValue struct {
	name string
	at   int
	typ  tileir.Type
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
	r.place(&tileir.Loc{}) // no file has the place of a parameter
	return v
}

// define puts values under a name in the innermost scope.
func (r *parser) define(name string, at int, vs ...*tileir.Value) {
	for _, s := range r.scopes {
		if s[name] != nil {
			r.failf(at, "%%%s is already defined", name)
		}
	}
	r.scopes[len(r.scopes)-1][name] = vs
}

// value reads a use: "%0" or "%1#0".
func (r *parser) value() *tileir.Value {
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
	r.later(at, "%%%s is not defined here", name)
	return &tileir.Value{}
}

// later is failf for the operands of an operation: what is wrong with the rest of its text comes first, as in MLIR, which
// looks values up at the end.
func (r *parser) later(at int, format string, args ...any) {
	if r.pending == nil {
		r.pending = r.mistake(at, format, args...)
	}
}

// checkPending stops where an operand of the operation so far is wrong.
func (r *parser) checkPending() {
	if r.pending != nil {
		panic(r.pending)
	}
}

// deeper counts nesting; call what it gives on the way out.
func (r *parser) deeper() func() {
	if r.depth++; r.depth > maxParseDepth {
		r.failf(r.here(), "more than %d levels of nesting", maxParseDepth)
	}
	return func() { r.depth-- }
}

// posIn gives the line and column of a byte of a text.
func posIn(file, src string, at int) tileir.TextPos {
	before := src[:at]
	return tileir.TextPos{File: file, Line: 1 + strings.Count(before, "\n"), Col: at - strings.LastIndexByte(before, '\n')}
}

// placesOfText gives entries and operations without place their place in the text.
func placesOfText(m *tileir.Module) {
	set := func(l *tileir.Loc, part any) {
		if p := m.TextPos(part); l.IsZero() && !p.IsZero() {
			*l = tileir.Loc{File: p.File, Line: p.Line, Col: p.Col}
		}
	}
	var block func(b *tileir.Block)
	block = func(b *tileir.Block) {
		if b == nil {
			return
		}
		for _, o := range b.Ops {
			set(&o.Loc, o)
			for _, r := range o.Regions {
				block(r)
			}
		}
	}
	for _, e := range m.Entries {
		set(&e.Loc, e)
		block(e.Body)
	}
}
