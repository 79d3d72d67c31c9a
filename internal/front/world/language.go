package world

import (
	"slices"
	"sync"

	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/internal/front/source"
)

// Language is a level of the language, which declares itself: what every world of it holds beside what its roots reach, and
// what messages say.
type Language struct {
	Packages []string // whose operators join when they are asked for
	Always   []string // operators that nearly every program needs
	Keep     []Symbol
	Methods  []string          // that the compiler calls by name
	Std      map[string]string // packages of the standard library by path: a declaration a line

	// Bodies are the words of directives that stand for a function's body.
	Bodies []directive.Word
	// Check refuses wrong directives of a declaration.
	Check func(*source.Decl) error
	// Type says of the text of a type's directive whether each world holds that type, if it is one of Packages, and which
	// function belongs to it, "" for none; nil if no type has either.
	Type func(text string) (always bool, with string)
	// Implied reports types that every world holds, so that nobody needs to ask for them; nil if there are none.
	Implied func(Symbol) bool
	// Extend makes the [World.Extension] of a world; nil if there is none.
	Extend func(*World) any

	Code    string            // what is compiled, in messages
	Caller  string            // what the program does that compiles it
	Library string            // which packages of the standard library exist
	Instead map[string]string // of other packages and their functions: what to do in their place

	worlds struct {
		sync.Mutex
		byKey map[string]*worldEntry
	}
}

// has reports whether a package is one of the language's own, which must not have a mistake. A language that lists none has all.
func (l *Language) has(path string) bool {
	return len(l.Packages) == 0 || slices.Contains(l.Packages, path)
}

type worldEntry struct {
	once sync.Once
	w    *World
	err  error
}

// ofType is Type for a type of a package.
func (lang *Language) ofType(p *source.Package, name string) (always bool, with string) {
	text, ok := p.Types[name]
	if !ok || lang.Type == nil {
		return false, ""
	}
	return lang.Type(text)
}
