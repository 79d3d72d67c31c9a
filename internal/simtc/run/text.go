package run

import (
	"reflect"
	"regexp"
	"strings"
)

// importPath is the path before a package's name, which reflection spells inside type arguments.
var importPath = regexp.MustCompile(`[\w.~-]+(/[\w.~-]+)*/`)

// typeText is a type with the names of packages as code writes them.
func typeText(t reflect.Type) string {
	if t == nil {
		return "T"
	}
	return importPath.ReplaceAllString(t.String(), "")
}

// describe names a value in a message.
func describe(x any) string {
	if x == nil {
		return "nil"
	}
	v := reflect.ValueOf(x)
	if (v.Kind() == reflect.Pointer || v.Kind() == reflect.Func) && v.IsNil() {
		return "a nil " + typeText(v.Type())
	}
	return typeText(v.Type())
}

// symbolLimit is the length of a host symbol.
const symbolLimit = 180

// symbol makes a name that every assembler takes of a function's name and the text of its static arguments: without
// punctuation and addresses, and with _ for what is blank.
func symbol(parts ...string) string {
	var b strings.Builder
	for i, r := range strings.Join(parts, " ") {
		switch {
		case r == ' ' || r == '\t' || r == '\n' || r == '.' || r == '_':
			b.WriteByte('_')
		case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' && i > 0:
			b.WriteRune(r)
		}
	}
	s := b.String()
	return s[:min(len(s), symbolLimit)]
}
