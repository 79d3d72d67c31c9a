package text

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// resolved is what a place reference stands for.
type resolved struct {
	kind  placeKind
	loc   tileir.Loc
	scope *tileir.Scope
	file  *tileir.SourceFile
	depth int // of nested calls or blocks
}

// resolvePlaces gives operations their places, now that all aliases are known.
func (r *parser) resolvePlaces() {
	s := &placeResolver{r: r, done: map[string]*resolved{}}
	for _, p := range r.places {
		got := s.resolve(p.ref)
		if got.kind > textPlace {
			r.failAt(p.ref.at, "a position")
		}
		*p.to = got.loc
	}
}

// checkScopes refuses places in functions of operations whose entry names none, in modules in braces, as MLIR's tools for
// the dialect do. Other texts come from files, whose places need no check, or give places to few operations.
func (r *parser) checkScopes() {
	for _, m := range r.modules {
		for _, e := range m.Entries {
			if e.Loc.Outermost().Scope == nil && e.Kind != tileir.LooseOps {
				r.noScopes(e.Body)
			}
		}
	}
}

func (r *parser) noScopes(b *tileir.Block) {
	for _, o := range b.Ops {
		if o.Loc.Outermost().Scope != nil {
			r.failf(r.text.Start(o), "the position lies in a function, but the entry's position does not")
		}
		for _, inner := range o.Regions {
			if inner != nil {
				r.noScopes(inner)
			}
		}
	}
}

type placeResolver struct {
	r     *parser
	done  map[string]*resolved // nil while an alias is on its way
	depth int                  // of aliases that are on their way
}

// maxPlaceDepth limits nested aliases: what the limits on calls and blocks take.
const maxPlaceDepth = 2*tileir.MaxCallDepth + 8

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
			s.r.failf(p.at, "more than %d nested aliases", maxPlaceDepth)
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
		out.loc = tileir.Loc{File: p.names[0], Line: p.line, Col: p.col}
	case scopedPlace:
		out.loc = s.part(p.a, "a position in a file", unknownPlace, filePlace).loc
		out.loc.Scope = s.part(p.b, "a function or block", functionKind, blockKind).scope
	case callPlace:
		callee := s.part(p.a, "a position", unknownPlace, textPlace)
		caller := s.part(p.b, "a position", unknownPlace, textPlace)
		if out.depth = callee.depth + caller.depth + 1; out.depth > tileir.MaxCallDepth {
			s.r.failf(p.at, "more than %d nested calls", tileir.MaxCallDepth)
		}
		s.r.spend(callee.depth * placeSize) // the calls in the callee are copied
		if out.loc = inlinedAt(callee.loc, &caller.loc); callee.loc.Text != nil || caller.loc.Text != nil {
			out.loc.Text = &tileir.LocText{Call: true, Of: []tileir.Loc{callee.loc, caller.loc}}
		}
	case textPlace:
		s.textPlace(out, p)
	case fileKind:
		out.file = &tileir.SourceFile{Name: p.names[0], Dir: p.names[1]}
	case unitKind:
		out.file = s.part(p.a, "a file", fileKind, fileKind).file
	case functionKind:
		out.scope = &tileir.Scope{File: s.part(p.a, "a file", fileKind, fileKind).file, Line: p.line, Name: p.names[0],
			Linkage: p.names[1], Unit: s.part(p.b, "a compile unit", unitKind, unitKind).file, ScopeLine: p.col}
	case blockKind:
		parent := s.part(p.a, "a function or block", functionKind, blockKind)
		if out.depth = parent.depth + 1; out.depth > tileir.MaxCallDepth {
			s.r.failf(p.at, "more than %d nested blocks", tileir.MaxCallDepth)
		}
		out.scope = &tileir.Scope{Parent: parent.scope, File: s.part(p.b, "a file", fileKind, fileKind).file, Line: p.line, Col: p.col}
	}
	return out
}

// textPlace takes of several places the first that has a function, else the first.
func (s *placeResolver) textPlace(out *resolved, p *placeRef) {
	text := &tileir.LocText{Name: p.names[0]}
	for _, of := range p.of {
		part := s.part(of, "a position", unknownPlace, textPlace)
		text.Of = append(text.Of, part.loc)
		out.depth = max(out.depth, part.depth+1)
	}
	if out.depth > tileir.MaxCallDepth {
		s.r.failf(p.at, "more than %d nested positions", tileir.MaxCallDepth)
	}
	first := slices.IndexFunc(text.Of, func(l tileir.Loc) bool { return l.Outermost().Scope != nil })
	if len(text.Of) > 0 {
		out.loc = text.Of[max(first, 0)]
	}
	out.loc.Text = text
}

// inlinedAt puts a call outside of the calls that a place was inlined through.
func inlinedAt(l tileir.Loc, caller *tileir.Loc) tileir.Loc {
	if l.Caller != nil {
		c := inlinedAt(*l.Caller, caller)
		l.Caller = &c
	} else {
		l.Caller = caller
	}
	return l
}
