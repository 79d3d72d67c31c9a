package pattern

import (
	"strings"
	"unicode"

	"github.com/cutile-go/cutile/models/tokenizer/internal/chars"
)

// groups are the openings of groups and what they make.
var groups = []struct {
	open string
	node node
}{
	{"(?:", node{kind: nCat}},
	{"(?=", node{kind: nLook}},
	{"(?!", node{kind: nLook, not: true}},
	{"(?<=", node{kind: nLook, back: true}},
	{"(?<!", node{kind: nLook, back: true, not: true}},
	{"(?>", node{kind: nAtomic}},
}

// asserts are the escapes and signs for places in the text.
var asserts = map[string]byte{`\A`: 'A', `\z`: 'z', `\Z`: 'Z', `\b`: 'b', `\B`: 'B', "^": '^', "$": '$'}

// atom parses what a quantifier can follow. It is nil for a comment.
func (p *parser) atom() *node {
	at := p.at
	if p.accept("(?#") {
		i := strings.IndexByte(p.expr[p.at:], ')')
		if i < 0 {
			p.fail(at, "the comment has no end")
		}
		p.at += i + 1
		return nil
	}
	if p.peek("(") {
		return p.group()
	}
	for _, text := range []string{`\A`, `\z`, `\Z`, `\b`, `\B`, "^", "$"} {
		if p.accept(text) {
			return &node{kind: nAssert, assert: asserts[text]}
		}
	}
	switch {
	case p.accept("."):
		set := []chars.Range{{Lo: '\n', Hi: '\n'}}
		if p.opts.dotAll {
			set = nil
		}
		return &node{kind: nSet, set: chars.Not(set)}
	case p.peek("["):
		return &node{kind: nSet, set: p.class()}
	case p.peek("*"), p.peek("+"), p.peek("?"):
		p.fail(at, "there is nothing to repeat")
	case p.peek(`\`):
		return &node{kind: nSet, set: p.foldCase(p.escape(false))}
	}
	return &node{kind: nSet, set: p.foldCase(one(p.next()))}
}

func one(r rune) []chars.Range { return []chars.Range{{Lo: r, Hi: r}} }

func (p *parser) group() *node {
	at := p.at
	for _, g := range groups {
		if p.accept(g.open) {
			n := g.node
			n.subs = []*node{p.alternatives()}
			p.close(at)
			return &n
		}
	}
	if p.accept("(?<") || p.accept("(?'") { // a name, which nothing can refer to
		i := strings.IndexAny(p.expr[p.at:], ">'")
		if i <= 0 {
			p.fail(at, "the group has no name")
		}
		p.at += i + 1
	} else if p.accept("(?") {
		saved := p.opts
		if !p.setOptions() || !p.accept(":") {
			p.fail(at, "this kind of group is not supported")
		}
		n := p.alternatives()
		p.opts = saved
		p.close(at)
		return &node{kind: nCat, subs: []*node{n}}
	} else {
		p.accept("(")
	}
	n := p.alternatives()
	p.close(at)
	return &node{kind: nCat, subs: []*node{n}}
}

func (p *parser) close(at int) {
	if !p.accept(")") {
		p.fail(at, "the group has no end")
	}
}

// optionGroup parses (?i) and the like, which hold up to the end of the group around them.
func (p *parser) optionGroup() bool {
	at, saved := p.at, p.opts
	if p.accept("(?") && p.setOptions() && p.accept(")") {
		return true
	}
	p.at, p.opts = at, saved
	return false
}

// setOptions parses letters such as i or m-x.
func (p *parser) setOptions() bool {
	on, seen := true, false
	for p.at < len(p.expr) {
		switch p.expr[p.at] {
		case '-':
			on = false
		case 'i':
			p.opts.fold, seen = on, true
		case 'm':
			p.opts.dotAll, seen = on, true
		case 'x':
			p.opts.spaced, seen = on, true
		default:
			return seen
		}
		p.at++
	}
	return false
}

// foldCase adds the other cases of letters where case is ignored.
func (p *parser) foldCase(set []chars.Range) []chars.Range {
	if !p.opts.fold {
		return set
	}
	out := set
	for _, r := range set {
		if r.Hi > unicode.MaxASCII && r.Hi != r.Lo {
			p.fail(p.at, "a set that reaches beyond ASCII is not supported where case is ignored")
		}
		for c := r.Lo; c <= r.Hi; c++ {
			for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
				out = append(out, chars.Range{Lo: f, Hi: f})
			}
		}
	}
	return chars.Union(out)
}

// controls are the escapes for single characters.
var controls = map[rune]rune{'t': '\t', 'n': '\n', 'r': '\r', 'f': '\f', 'v': '\v', 'a': '\a', 'e': 27}

// kinds are the escapes for kinds of characters; their capitals stand for all others.
var kinds = map[rune]string{'w': "perl/w", 'd': "perl/d", 's': "perl/s"}

// escape parses a backslash and what follows it, outside or inside of [ ].
func (p *parser) escape(inClass bool) []chars.Range {
	at := p.at
	p.at++
	c := p.next()
	lower := unicode.ToLower(c)
	switch {
	case kinds[lower] != "":
		set := chars.Ranges(kinds[lower])
		if c != lower {
			return chars.Not(set)
		}
		return set
	case lower == 'h':
		set := []chars.Range{{Lo: '0', Hi: '9'}, {Lo: 'A', Hi: 'F'}, {Lo: 'a', Hi: 'f'}}
		if c == 'H' {
			return chars.Not(set)
		}
		return set
	case lower == 'p':
		return p.property(at, c == 'P')
	case c == 'x' || c == 'u':
		return one(p.hex(at, c))
	case controls[c] != 0:
		return one(controls[c])
	case inClass && c == 'b':
		return one('\b')
	case c == '0' && !(p.at < len(p.expr) && '0' <= p.expr[p.at] && p.expr[p.at] <= '7'):
		return one(0)
	case c < 128 && (unicode.IsLetter(c) || unicode.IsDigit(c)):
		p.fail(at, `\%c is not supported`, c)
	}
	return one(c)
}

// hex parses the digits of \xHH, \x{H...} and \uHHHH.
func (p *parser) hex(at int, kind rune) rune {
	digits, most := "", 2
	if kind == 'u' {
		most = 4
	}
	if kind == 'x' && p.accept("{") {
		i := strings.IndexByte(p.expr[p.at:], '}')
		if i <= 0 || i > 8 {
			p.fail(at, `\x{ without digits and }`)
		}
		digits = p.expr[p.at : p.at+i]
		p.at += i + 1
	} else {
		for p.at < len(p.expr) && len(digits) < most && strings.IndexByte("0123456789abcdefABCDEF", p.expr[p.at]) >= 0 {
			digits += p.expr[p.at : p.at+1]
			p.at++
		}
		if len(digits) < most {
			p.fail(at, `\%c needs %d digits`, kind, most)
		}
		if kind == 'x' && digits >= "8" {
			p.fail(at, `\x%s is a byte, not a character: write \x{%s}`, digits, digits)
		}
	}
	r := rune(0)
	for _, d := range strings.ToLower(digits) {
		v := strings.IndexRune("0123456789abcdef", d)
		if v < 0 || r > unicode.MaxRune {
			p.fail(at, "%q is no hexadecimal number of a character", digits)
		}
		r = r*16 + rune(v)
	}
	if r > unicode.MaxRune || 0xD800 <= r && r < 0xE000 {
		p.fail(at, "%q is not the number of a character", digits)
	}
	return r
}
