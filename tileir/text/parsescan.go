package text

import (
	"fmt"
	"strconv"
	"strings"
)

// skip passes over blanks and comments.
func (r *parser) skip() {
	for r.pos < len(r.src) {
		switch c := r.src[r.pos]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			r.pos++
		case strings.HasPrefix(r.src[r.pos:], "//"):
			end := strings.IndexByte(r.src[r.pos:], '\n')
			if end < 0 {
				end = len(r.src) - r.pos
			}
			r.pos += end
		default:
			return
		}
	}
}

// here is the place of the next token.
func (r *parser) here() int {
	r.skip()
	return r.pos
}

// fail refuses the next token; what is what was expected.
func (r *parser) fail(what string) { r.failAt(r.here(), "%s", what) }

// failAt refuses what stands at a place.
func (r *parser) failAt(at int, format string, args ...any) {
	r.failf(at, "expected %s, but found %s", fmt.Sprintf(format, args...), r.found(at))
}

// failf stops with a message of its own.
func (r *parser) failf(at int, format string, args ...any) {
	panic(r.mistake(at, format, args...))
}

func (r *parser) mistake(at int, format string, args ...any) *ParseError {
	p, what := posIn(r.opts.File, r.src, at), fmt.Sprintf(format, args...)
	return &ParseError{File: p.File, Line: p.Line, Col: p.Col, What: what[:min(len(what), maxMessage)]}
}

// found shows the token at a place.
func (r *parser) found(at int) string {
	rest := r.src[at:]
	n := 0
	for n < len(rest) && n < 40 && (isWord(rest[n]) || n == 0 && strings.IndexByte("%#@-", rest[0]) >= 0) {
		n++
	}
	switch {
	case rest == "":
		return "the end of the text"
	case strings.HasPrefix(rest, "->"):
		n = 2
	case n == 0:
		n = 1
	}
	return strconv.Quote(rest[:n])
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// isName reports whether the byte at a place may stand in the name of a value or alias. A dash may, unless it begins an
// arrow.
func (r *parser) isName(at int) bool {
	c := r.src[at]
	return isWord(c) || c == '$' || c == '.' || c == '-' && at+1 < len(r.src) && isWord(r.src[at+1])
}

// accept passes over a text, blanks aside, if it comes next. Its words must end where the text's do.
func (r *parser) accept(text string) bool {
	start := r.pos
	for i := 0; i < len(text); {
		if text[i] == ' ' {
			i++
			continue
		}
		r.skip()
		n := 1
		for isWord(text[i]) && i+n < len(text) && isWord(text[i+n]) {
			n++
		}
		end := r.pos + n
		if !strings.HasPrefix(r.src[r.pos:], text[i:i+n]) || isWord(text[i]) && end < len(r.src) && isWord(r.src[end]) {
			r.pos = start
			return false
		}
		r.pos, i = end, i+n
	}
	return true
}

// peek reports whether a text comes next.
func (r *parser) peek(text string) bool {
	start := r.pos
	ok := r.accept(text)
	r.pos = start
	return ok
}

// expect passes over a text, piece by piece, so that an error is where it goes wrong.
func (r *parser) expect(text string) {
	if r.accept(text) {
		return
	}
	for _, piece := range strings.Fields(text) {
		if end := r.pos; !r.accept(piece) {
			r.missing(end, piece)
		}
	}
	r.fail(strconv.Quote(text))
}

// missing refuses what comes after a token that ended at a place; where a line ends between, that is where something is
// missing.
func (r *parser) missing(end int, piece string) {
	at := r.here()
	if !strings.Contains(r.src[end:at], "\n") {
		end = at
	}
	r.failf(end, "expected %s, but found %s", strconv.Quote(piece), r.found(at))
}

// list reads items with commas between, up to and with the end.
func (r *parser) list(end string, item func()) {
	defer r.deeper()()
	if r.accept(end) {
		return
	}
	for {
		r.spend(itemSize)
		item()
		if r.accept(end) {
			return
		}
		if !r.accept(",") {
			r.fail(`"," or ` + strconv.Quote(end))
		}
	}
}

// word reads letters, digits and the other characters of names, from the very next byte.
func (r *parser) word() string {
	start := r.pos
	for r.pos < len(r.src) && r.isName(r.pos) {
		r.pos++
	}
	return r.src[start:r.pos]
}

// ident reads a word such as a mnemonic or an enum's value.
func (r *parser) ident(what string) string {
	r.skip()
	start := r.pos
	for r.pos < len(r.src) && isWord(r.src[r.pos]) {
		r.pos++
	}
	if r.pos == start {
		r.fail(what)
	}
	return r.src[start:r.pos]
}

// symbol reads a name after an at sign, in quotes where it is not plain.
func (r *parser) symbol() string {
	if !r.accept("@") {
		r.fail("a name such as @kernel")
	}
	if r.pos < len(r.src) && r.src[r.pos] == '"' {
		return r.quoted("a name")
	}
	at := r.pos
	name := r.word()
	if name == "" {
		r.fail("a name after @")
	}
	r.checkText(at, name)
	return name
}

// checkText refuses what is too long.
func (r *parser) checkText(at int, text string) {
	if len(text) > maxText {
		r.failf(at, "a text has %d bytes, more than %d", len(text), maxText)
	}
}

// quoted reads a text in quotes; a backslash and two hexadecimal digits are a byte.
func (r *parser) quoted(what string) string {
	at := r.here()
	text := r.quotedBytes(what)
	r.checkText(at, text)
	return text
}

// quotedBytes is quoted for what may be as long as a constant.
func (r *parser) quotedBytes(what string) string {
	if !r.accept(`"`) {
		r.fail(what + " in quotes")
	}
	if n := strings.IndexAny(r.src[r.pos:], "\"\\"); n >= 0 && r.src[r.pos+n] == '"' {
		r.pos += n + 1
		return r.src[r.pos-n-1 : r.pos-1]
	}
	var b []byte
	for r.pos < len(r.src) {
		c := r.src[r.pos]
		r.pos++
		switch {
		case c == '"':
			return string(b)
		case c != '\\':
			b = append(b, c)
		case r.pos < len(r.src) && (r.src[r.pos] == '\\' || r.src[r.pos] == '"'):
			b = append(b, r.src[r.pos])
			r.pos++
		case r.pos < len(r.src) && (r.src[r.pos] == 'n' || r.src[r.pos] == 't'):
			b = append(b, map[byte]byte{'n': '\n', 't': '\t'}[r.src[r.pos]])
			r.pos++
		default:
			x, err := strconv.ParseUint(r.src[r.pos:min(r.pos+2, len(r.src))], 16, 8)
			if err != nil || r.pos+2 > len(r.src) {
				r.failAt(r.pos, "two hexadecimal digits after the backslash")
			}
			b = append(b, byte(x))
			r.pos += 2
		}
	}
	r.fail("the closing quote of " + what)
	return ""
}
