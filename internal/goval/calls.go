package goval

import (
	"go/token"
	"slices"

	"github.com/cutile-go/cutile/internal/front/source"
)

// MaxDepth bounds nested calls; a program that goes deeper calls itself.
const MaxDepth = 100

// Call is a function that is being compiled in the place of a call.
type Call struct {
	Name  string
	At    token.Pos // where it is called
	Lang  bool      // the function is one of the language's own source, whose code counts as its caller's
	Entry bool      // the function is a kernel, or the host function: what it calls is called by the program's own statement
	Body  any       // tells functions apart
}

// Calls are the functions that are being compiled inside one another, the entry first.
type Calls []Call

// InLanguage reports whether code of the language's own source is being compiled.
func (cs Calls) InLanguage() bool { return len(cs) > 0 && cs[len(cs)-1].Lang }

// Outermost is the outermost function of the language on the way to the code that is being compiled: name where there is none.
// It is what the program calls.
func (cs Calls) Outermost(name string) string {
	for _, c := range slices.Backward(cs) {
		if !c.Lang {
			break
		}
		name = c.Name
	}
	return name
}

// where says where a mistake at pos of the innermost function belongs, and which calls led there, the last one first. A mistake
// inside the language's own source belongs to the innermost call outside it.
func (cs Calls) where(pos token.Pos) (at token.Pos, calls []token.Pos) {
	var all []token.Pos
	for _, c := range slices.Backward(cs) {
		if !c.Lang {
			all = append(all, pos)
		}
		pos = c.At
	}
	if len(all) == 0 {
		return pos, nil
	}
	return all[0], all[1:]
}

// called is the function that the entry's own statement leads to, and where that statement calls; "" for none.
func (cs Calls) called() (name string, at token.Pos) {
	for _, c := range slices.Backward(cs) {
		if c.Entry {
			break
		}
		if at = c.At; !c.Lang {
			name = c.Name
		}
	}
	return name, at
}

// circle finds functions that call each other: their names, the one first whose call of the next one begins anew, and the index of
// that call. It is nil where there are none.
func (cs Calls) circle() (names []string, at int) {
	for last := len(cs) - 1; last > 0; last-- {
		again := func(c Call) bool { return c.Body == cs[last].Body }
		first := slices.IndexFunc(cs, again)
		if first == last {
			continue
		}
		at = first + 1 + slices.IndexFunc(cs[first+1:], again)
		names = []string{cs[at-1].Name}
		for _, c := range cs[first : at-1] {
			names = append(names, c.Name)
		}
		return names, at
	}
	return nil, 0
}

func position(pos token.Pos) token.Position { return source.Fset.Position(pos) }

func positions(all []token.Pos) (out []token.Position) {
	for _, p := range all {
		out = append(out, position(p))
	}
	return out
}
