package ptx

import (
	"fmt"
	"strings"
)

// Error is a mistake in a text of PTX.
type Error struct {
	Line, Column int // from 1
	Msg          string
}

// Error gives line, column and what is wrong.
func (e *Error) Error() string { return fmt.Sprintf("PTX:%d:%d: %s", e.Line, e.Column, e.Msg) }

// token is a word, a number, a quoted text with its quotes, or a sign. The token of the end is empty.
type token struct {
	text         string
	line, column int
}

// lex splits a text into tokens. What no token begins with is one by itself, for the parser to refuse.
func lex(text string) []token {
	var tokens []token
	line, start := 1, 0 // of the present line
	for i := 0; i < len(text); {
		end := i + 1
		switch c := text[i]; {
		case c == '\n':
			line, start = line+1, end
			i = end
			continue
		case c == ' ' || c == '\t' || c == '\r':
			i = end
			continue
		case strings.HasPrefix(text[i:], "//"):
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(text)
			}
			continue
		case strings.HasPrefix(text[i:], "/*"):
			if n := strings.Index(text[i+2:], "*/"); n >= 0 {
				comment := text[i : i+n+4]
				if last := strings.LastIndexByte(comment, '\n'); last >= 0 {
					line, start = line+strings.Count(comment, "\n"), i+last+1
				}
				i += len(comment)
				continue
			} // a comment without an end is a "/", which the parser refuses
		case c == '"':
			for end < len(text) && text[end] != '"' && text[end] != '\n' {
				end++
			}
			if end < len(text) && text[end] == '"' {
				end++
			}
		case isWord(c):
			end = i + wordLen(text[i:])
			if n := strings.IndexByte(text[i+1:end], '.'); c == '.' && n >= 0 && !isDigit(text[i+1]) { // ".reg.u64"
				end = i + 1 + n
			}
		}
		tokens = append(tokens, token{text[i:end], line, i - start + 1})
		i = end
	}
	return append(tokens, token{"", line, len(text) - start + 1})
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '_' || c == '$' || c == '%' || c == '.'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// wordLen is the length of the word that a text begins with; "::" may be inside of one, and the sign of an exponent.
func wordLen(text string) int {
	n := 0
	for n < len(text) {
		switch {
		case isWord(text[n]) && (text[n] != '%' || n == 0):
			n++
		case n+2 < len(text) && text[n] == ':' && text[n+1] == ':' && isWord(text[n+2]):
			n += 2
		case exponent(text[:n]) && (text[n] == '-' || text[n] == '+'):
			n++
		default:
			return n
		}
	}
	return n
}

// exponent reports whether a word is a decimal number up to the e of its exponent.
func exponent(word string) bool {
	n := len(word) - 1
	return n > 0 && isDigit(word[0]) && (word[n] == 'e' || word[n] == 'E') && strings.Trim(word[:n], "0123456789.") == ""
}
