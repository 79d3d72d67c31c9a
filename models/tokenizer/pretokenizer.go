package tokenizer

import (
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/tokenizer/internal/chars"
	"github.com/cutile-go/cutile/models/tokenizer/internal/pattern"
)

// A preTokenizer splits pieces that are not done. It may use the memory of its argument for the result.
type preTokenizer interface {
	split(ps []piece) ([]piece, error)
}

// eachOpen passes on what is done, and splits the rest by f; empty parts vanish.
func eachOpen(ps []piece, f func(p piece, emit func(piece)) error) ([]piece, error) {
	out := make([]piece, 0, room(ps))
	emit := func(p piece) {
		if p.s != "" {
			out = append(out, p)
		}
	}
	for _, p := range ps {
		if p.done {
			out = append(out, p)
		} else if err := f(p, emit); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// room guesses how many parts there will be: one for each piece, or for five bytes.
func room(ps []piece) int {
	n := len(ps) + 1
	if len(ps) == 1 {
		n += len(ps[0].s) / 5
	}
	return n
}

// splitFunc is a pre-tokenizer that looks at one piece at a time.
type splitFunc func(p piece, emit func(piece)) error

func (f splitFunc) split(ps []piece) ([]piece, error) { return eachOpen(ps, f) }

// atRunes splits at characters.
func atRunes(is func(rune) bool, b behavior) preTokenizer {
	return splitFunc(func(p piece, emit func(piece)) error {
		p.parts(b.apply(findRunes(p.s, is)), emit)
		return nil
	})
}

func (p *piece) parts(parts []match, emit func(piece)) {
	for _, m := range parts {
		emit(p.slice(m.start, m.end))
	}
}

// preTokenizers are the kinds that a file may name.
var preTokenizers map[string]func(*object) preTokenizer

func init() {
	preTokenizers = map[string]func(*object) preTokenizer{
		"BertPreTokenizer": func(*object) preTokenizer {
			return splitAll{atRunes(chars.IsSpace, removed), atRunes(chars.IsPunctuation, isolated)}
		},
		"ByteLevel":          newByteLevel,
		"CharDelimiterSplit": newDelimiter,
		"Delimiter":          newDelimiter,
		"Digits": func(o *object) preTokenizer {
			if get[bool](o, "individual_digits") {
				return atRunes(chars.IsNumeric, isolated)
			}
			return atRunes(chars.IsNumeric, contiguous)
		},
		"FixedLength": newFixedLength,
		"Metaspace":   func(o *object) preTokenizer { return newMetaspace(o) },
		"Punctuation": func(o *object) preTokenizer {
			return atRunes(chars.IsPunctuation, behavior(o.choice("behavior", "Isolated", behaviors...)))
		},
		"Sequence": func(o *object) preTokenizer {
			return splitAll(buildAll(o, "pretokenizers", "pre-tokenizer", preTokenizers))
		},
		"Split":          newSplit,
		"UnicodeScripts": func(*object) preTokenizer { return splitFunc(splitScripts) },
		"Whitespace":     func(*object) preTokenizer { return splitFunc(splitWords) },
		"WhitespaceSplit": func(*object) preTokenizer {
			return atRunes(chars.IsSpace, removed)
		},
	}
}

type splitAll []preTokenizer

func (all splitAll) split(ps []piece) ([]piece, error) {
	for _, p := range all {
		var err error
		if ps, err = p.split(ps); err != nil {
			return nil, err
		}
	}
	return ps, nil
}

func newDelimiter(o *object) preTokenizer {
	c := o.char("delimiter")
	return atRunes(func(r rune) bool { return r == c }, removed)
}

func newFixedLength(o *object) preTokenizer {
	n := o.count("length", 5)
	if n == 0 {
		o.fail("length", "0 must be at least 1")
	}
	return splitFunc(func(p piece, emit func(piece)) error {
		start, count := 0, 0
		for i := range p.s {
			if count == n {
				emit(p.slice(start, i))
				start, count = i, 0
			}
			count++
		}
		emit(p.slice(start, len(p.s)))
		return nil
	})
}

func newSplit(o *object) preTokenizer {
	s := splitPattern{o.pattern("pattern"), behavior(0), get[bool](o, "invert")}
	if isNull(o.fields["behavior"]) {
		o.fail("behavior", "missing")
	}
	s.behavior = behavior(o.choice("behavior", "", behaviors...))
	return splitFunc(s.split)
}

type splitPattern struct {
	pattern  *pattern.Pattern
	behavior behavior
	invert   bool
}

func (s splitPattern) split(p piece, emit func(piece)) error {
	if s.behavior == isolated {
		return p.each(s.pattern, emit)
	}
	matches, err := find(s.pattern, p.s, &p.work.steps)
	if s.invert {
		matches = invert(matches)
	}
	p.parts(s.behavior.apply(matches), emit)
	return err
}

// splitWords keeps runs of word characters, and runs of what is neither that nor white space.
func splitWords(p piece, emit func(piece)) error {
	const space, word, sign = 0, 1, 2
	last, start := space, 0
	for i, r := range p.s {
		kind := sign
		if chars.IsWord(r) {
			kind = word
		} else if chars.IsSpace(r) {
			kind = space
		}
		if kind != last {
			if last != space {
				emit(p.slice(start, i))
			}
			last, start = kind, i
		}
	}
	if last != space {
		emit(p.slice(start, len(p.s)))
	}
	return nil
}

// splitScripts splits where the script changes. What comes before the first character that has a script is lost.
func splitScripts(p piece, emit func(piece)) error {
	start, last := -1, 0
	for i, r := range p.s {
		script := chars.Script(r)
		if script == 0 {
			continue
		}
		if script != last {
			if start >= 0 {
				emit(p.slice(start, i))
			}
			start, last = i, script
		}
	}
	if start >= 0 {
		emit(p.slice(start, len(p.s)))
	}
	return nil
}

// A metaspace marks spaces by a character that can be seen, and splits before it.
type metaspace struct {
	mark   rune
	text   string
	scheme int // of schemes
	splits bool
}

const (
	always = iota
	first
	never
)

var schemes = []string{"always", "first", "never"}

func newMetaspace(o *object) *metaspace {
	m := &metaspace{mark: o.char("replacement"), scheme: o.choice("prepend_scheme", "always", schemes...), splits: opt(o, "split", true)}
	m.text = string(m.mark)
	if !opt(o, "add_prefix_space", true) && m.scheme != never {
		o.fail("add_prefix_space", `false needs "never" as prepend_scheme, found %q`, schemes[m.scheme])
	}
	return m
}

func (m *metaspace) split(ps []piece) ([]piece, error) {
	return eachOpen(ps, func(p piece, emit func(piece)) error {
		if matches := findRunes(p.s, func(r rune) bool { return r == ' ' }); len(matches) > 1 || matches[0].is {
			p.replace(matches, m.text)
		}
		starts, _ := utf8.DecodeRuneInString(p.s)
		if starts != m.mark && (m.scheme == always || m.scheme == first && p.orig.start == 0) {
			p.prepend(m.text)
		}
		if !m.splits {
			emit(p)
			return nil
		}
		p.parts(mergedWithNext.apply(findRunes(p.s, func(r rune) bool { return r == m.mark })), emit)
		return nil
	})
}
