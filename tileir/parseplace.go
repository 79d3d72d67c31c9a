package tileir

// placeRef is a place, scope or file as the text writes it: an alias, or what an alias stands for.
type placeRef struct {
	at    int
	alias string // "#loc1"; "" where the rest is set
	kind  placeKind

	names     [2]string // of a file or function
	line, col int
	a, b      *placeRef // what it is made of
}

type placeKind uint8

const (
	unknownPlace placeKind = iota
	filePlace              // "f":1:2
	scopedPlace            // a place in a scope
	callPlace              // a place in a callee, and that of the call
	fileKind
	unitKind
	functionKind
	blockKind
)

// pendingPlace is a place that waits for the aliases, which stand at the end of a text.
type pendingPlace struct {
	to  *Loc
	ref *placeRef
}

// place reads "loc(#loc1)", if it comes next.
func (r *parser) place(to *Loc) {
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
		if p.kind, p.names[0] = filePlace, r.quoted("a file's name"); p.names[0] == "-" {
			p.names[0] = "" // how a place without a file is printed
		}
		r.expect(":")
		p.line = r.line()
		r.expect(":")
		p.col = r.line()
	default:
		p.alias = r.aliasName()
	}
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

// resolved is what a place reference stands for.
type resolved struct {
	kind  placeKind
	loc   Loc
	scope *Scope
	file  *SourceFile
	depth int // of calls or blocks in one another
}

// resolvePlaces gives operations their places, now that all aliases are known.
func (r *parser) resolvePlaces() {
	s := &placeResolver{r: r, done: map[string]*resolved{}}
	for _, p := range r.places {
		got := s.resolve(p.ref)
		if got.kind > callPlace {
			r.failAt(p.ref.at, "a place")
		}
		*p.to = got.loc
	}
}

type placeResolver struct {
	r     *parser
	done  map[string]*resolved // nil while an alias is on its way
	depth int                  // of aliases that are on their way
}

// maxPlaceDepth limits aliases in one another: what the limits on calls and blocks take.
const maxPlaceDepth = 2*MaxCallDepth + 8

func (s *placeResolver) resolve(p *placeRef) *resolved {
	if p.alias == "" {
		return s.build(p)
	}
	got, known := s.done[p.alias]
	stands := s.r.aliases[p.alias]
	switch {
	case stands == nil:
		s.r.failf(p.at, "%s is not defined", p.alias)
	case known && got == nil:
		s.r.failf(p.at, "%s contains itself", p.alias)
	case !known:
		if s.depth++; s.depth > maxPlaceDepth {
			s.r.failf(p.at, "more than %d aliases in one another", maxPlaceDepth)
		}
		s.done[p.alias] = nil
		got = s.resolve(stands)
		s.done[p.alias] = got
		s.depth--
	}
	return got
}

// part resolves a part, which must be of one of some kinds.
func (s *placeResolver) part(p *placeRef, what string, from, to placeKind) *resolved {
	got := s.resolve(p)
	if got.kind < from || got.kind > to {
		s.r.failAt(p.at, "%s", what)
	}
	return got
}

func (s *placeResolver) build(p *placeRef) *resolved {
	out := &resolved{kind: p.kind}
	switch p.kind {
	case filePlace:
		out.loc = Loc{File: p.names[0], Line: p.line, Col: p.col}
	case scopedPlace:
		out.loc = s.part(p.a, "a place in a file", unknownPlace, filePlace).loc
		out.loc.Scope = s.part(p.b, "a function or block", functionKind, blockKind).scope
	case callPlace:
		callee := s.part(p.a, "a place", unknownPlace, callPlace)
		caller := s.part(p.b, "a place", unknownPlace, callPlace)
		if out.depth = callee.depth + caller.depth + 1; out.depth > MaxCallDepth {
			s.r.failf(p.at, "more than %d calls in one another", MaxCallDepth)
		}
		s.r.spend(callee.depth * placeSize) // the calls in the callee are copied
		out.loc = callee.loc.inlinedAt(&caller.loc)
	case fileKind:
		out.file = &SourceFile{Name: p.names[0], Dir: p.names[1]}
	case unitKind:
		out.file = s.part(p.a, "a file", fileKind, fileKind).file
	case functionKind:
		out.scope = &Scope{File: s.part(p.a, "a file", fileKind, fileKind).file, Line: p.line, Name: p.names[0],
			Linkage: p.names[1], Unit: s.part(p.b, "a compile unit", unitKind, unitKind).file, ScopeLine: p.col}
	case blockKind:
		parent := s.part(p.a, "a function or block", functionKind, blockKind)
		if out.depth = parent.depth + 1; out.depth > MaxCallDepth {
			s.r.failf(p.at, "more than %d blocks in one another", MaxCallDepth)
		}
		out.scope = &Scope{Parent: parent.scope, File: s.part(p.b, "a file", fileKind, fileKind).file, Line: p.line, Col: p.col}
	}
	return out
}

// inlinedAt puts a call outside of the calls that a place was inlined through.
func (l Loc) inlinedAt(caller *Loc) Loc {
	if l.Caller != nil {
		c := l.Caller.inlinedAt(caller)
		l.Caller = &c
	} else {
		l.Caller = caller
	}
	return l
}
