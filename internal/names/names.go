// Package names has the words of messages that count or list: of names that come from a file, which stay short whatever the
// file holds, and of numbers.
package names

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	most  = 10 // of a list
	bytes = 80 // of a name
)

// List is at most 10 of the names, and how many more there are: "a, b, c".
func List(names []string) string {
	shown := names[:min(len(names), most)]
	words := make([]string, len(shown))
	for i, n := range shown {
		words[i] = Short(n)
	}
	text := strings.Join(words, ", ")
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Short is a name, or its beginning where it is long.
func Short(name string) string {
	if len(name) <= bytes {
		return name
	}
	end := bytes
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "…"
}

// Plural is a number with its noun: "1 entry", "2 entries".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if noun, ok := strings.CutSuffix(noun, "y"); ok {
		return fmt.Sprintf("%d %sies", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
