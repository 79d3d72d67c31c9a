package text

import "github.com/cutile-go/cutile/tileir"

// placeRef is a place, scope or file as the text writes it: an alias, or what an alias stands for.
type placeRef struct {
	at    int
	alias string // "#loc1"; "" where the rest is set
	kind  placeKind

	names     [2]string // of a file or function, or of a place
	line, col int
	a, b      *placeRef   // what it is made of
	of        []*placeRef // what has the name, or was fused
}

type placeKind uint8

const (
	unknownPlace placeKind = iota
	filePlace              // "f":1:2
	scopedPlace            // a place in a scope
	callPlace              // a place in a callee, and that of the call
	textPlace              // one with a name, or several
	fileKind
	unitKind
	functionKind
	blockKind
)

// pendingPlace is a place that waits for the aliases, which stand at the end of a text.
type pendingPlace struct {
	to  *tileir.Loc
	ref *placeRef
}

// place reads "loc(#loc1)", if it comes next.
func (r *parser) place(to *tileir.Loc) {
	if r.peek("loc (") {
		r.places = append(r.places, pendingPlace{to, r.placeRef()})
	}
}

// aliasDefinition reads "#loc1 = loc(unknown)".
func (r *parser) aliasDefinition() {
	at := r.here()
	r.spend(placeSize)
	name := r.aliasName()
	if r.aliases[name] != nil {
		r.failf(at, "%s is already defined", name)
	}
	r.expect("=")
	r.aliases[name] = r.placeRef()
}

func (r *parser) aliasName() string {
	r.expect("#")
	name := r.word()
	if name == "" {
		r.fail("an alias such as #loc1")
	}
	return "#" + name
}

// placeRef reads an alias, a place, or an attribute of the dialect.
func (r *parser) placeRef() *placeRef {
	defer r.deeper()()
	p := &placeRef{at: r.here()}
	switch {
	case r.accept("loc ("):
		r.plainPlace(p)
		r.expect(")")
	case r.accept("# cuda_tile.di_loc <"):
		p.kind, p.a = scopedPlace, r.placeRef()
		r.expect("in")
		p.b = r.placeRef()
		r.expect(">")
	case r.accept("# cuda_tile.di_file <"):
		p.kind, p.names[0] = fileKind, r.quoted("a file's name")
		r.expect("in")
		p.names[1] = r.quoted("a file's directory")
		r.expect(">")
	case r.accept("# cuda_tile.di_compile_unit <"):
		p.kind, p.a = unitKind, r.placeField("file")
		r.expect(">")
	case r.accept("# cuda_tile.di_lexical_block <"):
		p.kind, p.a = blockKind, r.placeField("scope")
		r.expect(",")
		p.b = r.placeField("file")
		r.expect(", line =")
		p.line = r.line()
		p.col = r.lineField(", column =")
		r.expect(">")
	case r.accept("# cuda_tile.di_subprogram <"):
		r.functionPlace(p)
	case r.peek("unknown"), r.peek("callsite"), r.peek("fused"), r.peek(`"`):
		r.plainPlace(p)
	default:
		p.alias = r.aliasName()
	}
	return p
}

func (r *parser) line() int { return int(r.natural("a line or column", 1<<31-1)) }

// lineField reads a last field, which is left out where it is 0.
func (r *parser) lineField(name string) int {
	if !r.accept(name) {
		return 0
	}
	return r.line()
}

func (r *parser) placeField(name string) *placeRef {
	r.expect(name)
	r.expect("=")
	return r.placeRef()
}

// plainPlace reads what stands in the parentheses of loc.
func (r *parser) plainPlace(p *placeRef) {
	switch {
	case r.accept("unknown"):
	case r.accept("callsite ("):
		p.kind, p.a = callPlace, r.placeRef()
		r.expect("at")
		p.b = r.placeRef()
		r.expect(")")
	case r.peek(`"`):
		r.filePlace(p)
	case r.accept("fused"):
		p.kind = textPlace
		if r.accept("<") { // of what the place is, for those who fused it
			r.metadata()
			r.expect(">")
		}
		r.expect("[")
		r.list("]", func() {
			r.spend(placeSize)
			p.of = append(p.of, r.placeRef())
		})
	case r.peek("#"):
		at := p.at
		*p = *r.placeRef()
		p.at = at
	default:
		p.alias = r.aliasName()
	}
}

// filePlace reads a place in a file, or one that has a name.
func (r *parser) filePlace(p *placeRef) {
	text := r.quoted("a file's name")
	if !r.accept(":") {
		if p.kind, p.names[0] = textPlace, text; r.accept("(") {
			p.of = []*placeRef{r.placeRef()}
			r.expect(")")
		}
		return
	}
	if p.kind, p.names[0] = filePlace, text; text == "-" {
		p.names[0] = "" // how a place without a file is printed
	}
	p.line = r.line()
	r.expect(":")
	p.col = r.line()
	if r.accept("to") { // the end of a range, which nothing needs
		if !r.peek(":") {
			r.line()
		}
		r.expect(":")
		r.line()
	}
}

// metadata passes over an attribute of any kind.
func (r *parser) metadata() {
	if r.peek("#") {
		r.placeRef()
		return
	}
	r.nestedAttr()
}

func (r *parser) functionPlace(p *placeRef) {
	p.kind, p.a = functionKind, r.placeField("file")
	r.expect(", line =")
	p.line = r.line()
	r.expect(", name =")
	p.names[0] = r.quoted("a function's name")
	r.expect(", linkageName =")
	p.names[1] = r.quoted("a linkage name")
	r.expect(",")
	p.b = r.placeField("compileUnit")
	p.col = r.lineField(", scopeLine =")
	r.expect(">")
}
