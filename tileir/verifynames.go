package tileir

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cutile-go/cutile/internal/names"
)

// names checks that what can be referred to by name has one, and that it is its own; it finds globals by name.
func (c *checker) names() {
	seen := map[string]bool{}
	claim := func(part any, kind, name string) {
		switch c.about = part; {
		case name == "":
			c.fail("%s without a name", kind)
		case seen[name]:
			c.fail("%s %s: the name is already taken", kind, names.Short(names.Symbol(name)))
		}
		seen[name] = true
	}
	c.globals = make(map[string]*Global, len(c.module.Globals))
	for _, g := range c.module.Globals {
		if claim(g, "global", g.Name); c.globals[g.Name] == nil {
			c.globals[g.Name] = g
		}
	}
	for _, e := range c.module.Entries {
		if e.Kind != LooseOps {
			claim(e, "entry", e.Name)
		}
	}
	c.about = nil
}

const (
	symbolLetters    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	symbolCharacters = symbolLetters + "_$"
)

// symbolFault says why a name cannot be a symbol of machine code, "" if it can; more are characters that it may have as
// well.
func symbolFault(name, more string) string {
	allowed := symbolCharacters + more
	rest := strings.TrimLeft(name, allowed+"0123456789")
	switch first, _ := utf8.DecodeRuneInString(rest); {
	case rest != "":
		return fmt.Sprintf("expected a name of letters a to z, digits, _ and $, but found %q", first)
	case name == "" || !strings.Contains(allowed, name[:1]):
		return "expected a name that starts with a letter a to z, _ or $"
	case name == "_" || name == "$" || name == "WARP_SZ":
		return "the name is reserved in machine code"
	}
	return ""
}
