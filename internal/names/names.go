// Package names has the words of messages that count or list: of names that come from a file, which stay short whatever the
// file holds and are spelled as MLIR does, and of numbers.
package names

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	most    = 10   // of a list
	bytes   = 80   // of a name
	printed = 4000 // bytes of a program's output
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
	return cut(name, bytes) + "…"
}

// cut is the beginning of a text, of at most n bytes and whole characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Output is what a program printed, for a message, with a tab before each line: its beginning, and how many bytes follow, where it is
// long. What is not printable is escaped as by [Quote].
func Output(text string) string {
	var b strings.Builder
	line := func(s string) { b.WriteString("\n\t" + s) }
	for l := range strings.Lines(cut(text, printed)) {
		l = strings.TrimRight(l, "\r\n")
		if strings.ContainsFunc(l, unprintable) || !utf8.ValidString(l) {
			l = Quote(l)
		}
		line(l)
	}
	if more := len(text) - len(cut(text, printed)); more > 0 {
		line(fmt.Sprintf("(%s more bytes)", Digits(int64(more))))
	}
	return b.String()
}

func unprintable(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }

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

// Digits is a number whose digits are grouped by three: "40,000".
func Digits(n int64) string {
	s := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 && s[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Symbol quotes a name where MLIR does.
func Symbol(name string) string {
	plain := name != ""
	for i, c := range []byte(name) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '.' || c == '$')) {
			plain = false
		}
	}
	if plain {
		return name
	}
	return Quote(name)
}

// Quote escapes a text as MLIR does: what is not printable is a backslash and two hexadecimal digits.
func Quote(s string) string {
	const digits = "0123456789ABCDEF"
	b := []byte{'"'}
	for _, c := range []byte(s) {
		switch {
		case c == '\\':
			b = append(b, `\\`...)
		case c == '"' || c < 0x20 || c > 0x7e:
			b = append(b, '\\', digits[c>>4], digits[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

// Either joins words with commas and a final "or".
func Either(words []string) string {
	s := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			s += " or "
		default:
			s += ", "
		}
		s += w
	}
	return s
}

// Entry is the name of a kernel, such as main.add[D1024], as one that assemblers accept: that of its entry in Tile IR.
func Entry(kernel string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, kernel), "_")
}
