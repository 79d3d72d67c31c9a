package text

import (
	"strconv"
	"strings"
)

// numeral reads the text of a number: decimal, with point and exponent, or hexadecimal after 0x.
func (r *parser) numeral(what string) string {
	r.skip()
	start := r.pos
	if r.pos < len(r.src) && r.src[r.pos] == '-' {
		r.pos++
	}
	digits := r.pos
	for r.pos < len(r.src) {
		c := r.src[r.pos]
		sign := (c == '+' || c == '-') && r.src[r.pos-1]|0x20 == 'e' && !strings.HasPrefix(r.src[digits:], "0x")
		if !isWord(c) && c != '.' && !sign || c == '_' {
			break
		}
		r.pos++
	}
	if r.pos == digits || r.src[digits] < '0' || r.src[digits] > '9' {
		r.failAt(start, "%s", what)
	}
	if n := r.pos - start; n > maxNumeral {
		r.failf(start, "a number has %d characters, more than %d", n, maxNumeral)
	}
	return r.src[start:r.pos]
}

// digits reads a decimal integer and leaves what follows, such as the x between extents.
func (r *parser) digits(what string) string {
	r.skip()
	start := r.pos
	if r.pos < len(r.src) && r.src[r.pos] == '-' {
		r.pos++
	}
	first := r.pos
	for r.pos < len(r.src) && r.src[r.pos] >= '0' && r.src[r.pos] <= '9' {
		r.pos++
	}
	if r.pos == first {
		r.failAt(start, "%s", what)
	}
	return r.src[start:r.pos]
}

// integer reads a signed decimal integer of 64 bits.
func (r *parser) integer(what string) int64 {
	at := r.here()
	x, err := strconv.ParseInt(r.digits(what), 10, 64)
	if err != nil {
		r.failAt(at, "%s of at most 64 bits", what)
	}
	return x
}

// natural reads a decimal integer from 0 to a limit.
func (r *parser) natural(what string, limit int64) int64 {
	at := r.here()
	x := r.integer(what)
	if x < 0 || x > limit {
		r.failf(at, "%s: expected 0 to %d, but found %d", what, limit, x)
	}
	return x
}

// truth reads true or false.
func (r *parser) truth() bool {
	if r.accept("true") {
		return true
	}
	if !r.accept("false") {
		r.fail("true or false")
	}
	return false
}
