package passages

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A sentence is a part of a block.
type sentence struct {
	line int
	text string
}

// sentences divides a block: at marks that end sentences, code at the ends of lines.
func (b block) sentences() []sentence {
	var out []sentence
	line, text := b.line, b.text
	for text != "" {
		n := end(text)
		if b.code {
			n = 1 + strings.IndexByte(text+"\n", '\n')
		}
		n = min(n, len(text))
		out = append(out, sentence{line, text[:n]})
		line += strings.Count(text[:n], "\n")
		text = text[n:]
	}
	return out
}

// end gives where the first sentence of a text ends. A point before a small letter or a digit is one of an abbreviation, or in a
// number; what looks like the end of a sentence and is none does no harm, as passages have several sentences.
func end(text string) int {
	for i, r := range text {
		after := i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			continue
		}
		switch r {
		case '。', '！', '？':
			return after
		case '.', '!', '?', '…':
			rest := strings.TrimLeft(text[after:], `"')]”’»_*`)
			words := strings.TrimLeftFunc(rest, unicode.IsSpace)
			next, _ := utf8.DecodeRuneInString(words)
			if words != "" && len(words) < len(rest) && !unicode.IsLower(next) && !unicode.IsDigit(next) {
				return len(text) - len(words)
			}
		}
	}
	return len(text)
}
