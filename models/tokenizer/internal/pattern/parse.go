// Package pattern matches regular expressions as Oniguruma does, whose syntax the files of tokenizers have: with
// lookaround, possessive quantifiers and the properties of Unicode 16. It refuses what it does not know, and what
// Oniguruma would match differently. Time and memory are bounded for every pattern and text.
package pattern

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/tokenizer/internal/chars"
)

// Limits of a pattern.
const (
	maxDepth   = 64    // groups in groups
	maxProgram = 20000 // instructions
	maxCount   = 1000  // of {n,m}
	maxExpr    = 1 << 16
)

// kind says what a node of the syntax tree is.
type kind uint8

const (
	nSet    kind = iota // one of the characters in set
	nCat                // subs in order
	nAlt                // the first of subs that leads to a match
	nRepeat             // subs[0], min to max times
	nLook               // subs[0] lies ahead or, with back, behind
	nAtomic             // subs[0], which is not tried again
	nAssert             // a place in the text: assert
)

// mode says how a repetition goes on.
type mode uint8

const (
	greedy mode = iota
	lazy
	possessive
)

type node struct {
	kind      kind
	set       []chars.Range
	subs      []*node
	min, max  int // max is -1 without a limit
	mode      mode
	not, back bool
	assert    byte
}

// options are the ones that (?imx) sets.
type options struct{ fold, dotAll, spaced bool }

type parser struct {
	expr  string
	at    int
	depth int
	opts  options
}

// syntaxError carries a refusal up to Compile.
type syntaxError struct{ text string }

func (p *parser) fail(at int, format string, args ...any) {
	panic(syntaxError{fmt.Sprintf("pattern %q, byte %d: %s", p.expr, at, fmt.Sprintf(format, args...))})
}

// parse gives the syntax tree of an expression.
func parse(expr string) (n *node, err error) {
	defer func() {
		if r := recover(); r != nil {
			refused, ok := r.(syntaxError)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("%s", refused.text)
		}
	}()
	if len(expr) > maxExpr {
		return nil, fmt.Errorf("a pattern of %d bytes: at most %d are supported", len(expr), maxExpr)
	}
	if !utf8.ValidString(expr) {
		return nil, fmt.Errorf("pattern %q is not valid UTF-8", expr)
	}
	p := &parser{expr: expr}
	n = p.alternatives()
	if p.at < len(expr) {
		p.fail(p.at, "unmatched )")
	}
	return n, nil
}

func (p *parser) peek(text string) bool { return strings.HasPrefix(p.expr[p.at:], text) }

func (p *parser) accept(text string) bool {
	if p.peek(text) {
		p.at += len(text)
		return true
	}
	return false
}

func (p *parser) next() rune {
	if p.at >= len(p.expr) {
		p.fail(p.at, "the pattern ends too early")
	}
	r, size := utf8.DecodeRuneInString(p.expr[p.at:])
	p.at += size
	return r
}

// alternatives parses up to ) or the end. Options that it sets end with it.
func (p *parser) alternatives() *node {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.at, "groups are nested deeper than %d", maxDepth)
	}
	defer func(o options) { p.depth--; p.opts = o }(p.opts)
	alt := &node{kind: nAlt, subs: []*node{p.sequence()}}
	for p.accept("|") {
		alt.subs = append(alt.subs, p.sequence())
	}
	if len(alt.subs) == 1 {
		return alt.subs[0]
	}
	return alt
}

func (p *parser) sequence() *node {
	cat := &node{kind: nCat}
	last := rune(0) // the letter before, where capitals and small letters are the same
	for p.at < len(p.expr) && !p.peek("|") && !p.peek(")") {
		start := p.at
		if p.skipSpaced() {
			continue
		}
		if p.optionGroup() {
			// (?i) holds up to the end of the group around it, alternatives and all.
			rest := p.alternatives()
			cat.subs = append(cat.subs, rest)
			break
		}
		n := p.atom()
		if n == nil {
			continue
		}
		last = p.checkFold(start, n, last)
		cat.subs = append(cat.subs, p.quantified(n))
	}
	return cat
}

// skipSpaced skips white space and comments where (?x) holds.
func (p *parser) skipSpaced() bool {
	if !p.opts.spaced {
		return false
	}
	switch c := p.expr[p.at]; {
	case c == ' ' || '\t' <= c && c <= '\r':
		p.at++
		return true
	case c == '#':
		if i := strings.IndexByte(p.expr[p.at:], '\n'); i >= 0 {
			p.at += i + 1
		} else {
			p.at = len(p.expr)
		}
		return true
	}
	return false
}

// foldPairs are the letters that Oniguruma also finds as one character, such as ﬁ, where case is ignored.
var foldPairs = map[string]bool{"ff": true, "fi": true, "fl": true, "ss": true, "st": true}

// checkFold refuses letters that stand for several characters where case is ignored. It gives the letter of n, if any.
func (p *parser) checkFold(at int, n *node, last rune) rune {
	if n.kind != nSet || !p.opts.fold {
		return 0
	}
	letter := rune(0)
	for _, r := range n.set {
		if r.Lo > unicode.MaxASCII && r.Lo != 'ſ' && r.Lo != '\u212A' && (isIn("L", r) || isIn("M", r)) {
			p.fail(at, "letters and marks beyond ASCII are not supported where case is ignored")
		}
		if c := unicode.ToLower(r.Lo); 'a' <= c && c <= 'z' {
			letter = c
			if last != 0 && foldPairs[string([]rune{last, c})] {
				p.fail(at, "%q is not supported where case is ignored: it also stands for a ligature", string([]rune{last, c}))
			}
		}
	}
	return letter
}

func isIn(category string, r chars.Range) bool {
	for _, c := range property(category) {
		if c.Lo <= r.Hi && r.Lo <= c.Hi {
			return true
		}
	}
	return false
}

// quantified parses the quantifiers after n.
func (p *parser) quantified(n *node) *node {
	for p.at < len(p.expr) {
		at := p.at
		lo, hi, counted, fixed := 0, -1, false, false
		switch {
		case p.accept("*"):
		case p.accept("+"):
			lo = 1
		case p.accept("?"):
			hi = 1
		default:
			if lo, hi, counted = p.interval(); !counted {
				return n
			}
			fixed = !strings.Contains(p.expr[at:p.at], ",")
		}
		if n.kind == nAssert || n.kind == nLook {
			p.fail(at, "a place in the text cannot be repeated")
		}
		if lo > maxCount || hi > maxCount || hi >= 0 && hi < lo {
			p.fail(at, "{%d,%d} is not supported: the counts must rise and be at most %d", lo, hi, maxCount)
		}
		n = &node{kind: nRepeat, subs: []*node{n}, min: lo, max: hi}
		// A + after a count repeats it, and so does a ? after {n}: the next turn of the loop takes them.
		switch {
		case !fixed && p.accept("?"):
			n.mode = lazy
		case !counted && p.accept("+"):
			n.mode = possessive
		}
	}
	return n
}

// interval parses {n}, {n,}, {,m} or {n,m}; anything else is text.
func (p *parser) interval() (lo, hi int, ok bool) {
	end := strings.IndexByte(p.expr[p.at:], '}')
	if !p.peek("{") || end < 0 {
		return 0, 0, false
	}
	from, to, comma := strings.Cut(p.expr[p.at+1:p.at+end], ",")
	lo, okLo := number(from)
	hi, okHi := number(to)
	switch {
	case !comma:
		hi, okHi = lo, from != ""
	case to == "":
		hi, okHi = -1, from != ""
	}
	if !okLo || !okHi {
		return 0, 0, false
	}
	p.at += end + 1
	return lo, hi, true
}

// number reads digits; none are 0, and what is over maxCount stays so.
func number(s string) (int, bool) {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int(c-'0'), maxCount+1)
	}
	return n, true
}
