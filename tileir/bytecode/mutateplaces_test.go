package bytecode_test

import (
	"fmt"

	. "github.com/cutile-go/cutile/tileir"
)

// changePlace gives an operation or an entry another place.
func changePlace(u *mutant) string {
	e, ok := u.anyEntry()
	s, found := u.anyOp(nil)
	if !ok || !found {
		return ""
	}
	l := u.somePlace(e, 0)
	if u.rnd.IntN(3) == 0 {
		u.target = nil
		e.Loc = l
		return fmt.Sprintf("entry %s: %s", e.Name, placeText(&l))
	}
	s.op.Loc = l
	return placeText(&l)
}

// somePlace makes a place, perhaps inlined, in the entry's function, in a block of it, or in another function.
func (u *mutant) somePlace(e *Entry, depth int) Loc {
	rnd := u.rnd
	l := Loc{File: pick(rnd, []string{"k.go", "dir/x.go", "a \"b\""}), Line: rnd.IntN(100), Col: rnd.IntN(9)}
	own := e.Function()
	switch rnd.IntN(8) {
	case 0:
		l.Scope = own
	case 1:
		if own != nil {
			l.Scope = &Scope{Parent: own, File: own.File, Line: 3, Col: 4}
		}
	case 2:
		if own != nil {
			other := *own
			l.Scope = &other
			switch rnd.IntN(4) {
			case 0:
				other.Line++
			case 1:
				other.Linkage = "other"
			case 2:
				other.File = &SourceFile{Name: "other.go"}
			}
		}
	case 3:
		l.Scope = &Scope{Name: "f", Linkage: pick(rnd, []string{"f", e.Name}), File: &SourceFile{Name: "f.go", Dir: "d"},
			Unit: &SourceFile{Name: "f.go"}, Line: 2, ScopeLine: 2}
	case 4:
		l = Loc{Line: rnd.IntN(2)}
	case 5: // a function or block that lacks something
		l.Scope = pick(rnd, []*Scope{{Name: "f", Linkage: e.Name}, {Parent: own, Line: 2}, {Name: e.Name, Linkage: e.Name, File: &SourceFile{}}})
	}
	if depth < 3 && rnd.IntN(4) == 0 {
		caller := u.somePlace(e, depth+1)
		l.Caller = &caller
	}
	return l
}

func placeText(l *Loc) string {
	s := fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Col)
	if f := l.Scope; f != nil {
		s += fmt.Sprintf(" in %s (%s) of line %d, block %v", f.Name, f.Linkage, f.Line, f.Parent != nil)
	}
	if l.Caller != nil {
		s += " called from " + placeText(l.Caller)
	}
	return s
}
