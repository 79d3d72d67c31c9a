package run

import (
	"strings"
)

// symbolLimit is the greatest length of a host function's symbol.
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
