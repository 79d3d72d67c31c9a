package tokenizer

import (
	"slices"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/tokenizer/internal/pattern"
)

// A match is a part of a text. Those of one text cover it, and is tells which of them a pattern found.
type match struct {
	start, end int
	is         bool
}

// find gives the matches of a pattern and what lies between them.
func find(p *pattern.Pattern, s string, steps *int) ([]match, error) {
	if s == "" {
		return []match{{}}, nil
	}
	var out []match
	at := 0
	err := p.Each(s, steps, func(start, end int) {
		if at != start {
			out = append(out, match{at, start, false})
		}
		out = append(out, match{start, end, true})
		at = end
	})
	if at != len(s) {
		out = append(out, match{at, len(s), false})
	}
	return out, err
}

// findRunes takes each character that is holds for as a match.
func findRunes(s string, is func(rune) bool) []match {
	if s == "" {
		return []match{{}}
	}
	var out []match
	last := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if is(r) {
			if last < i {
				out = append(out, match{last, i, false})
			}
			out = append(out, match{i, i + size, true})
			last = i + size
		}
		i += size
	}
	if last < len(s) {
		out = append(out, match{last, len(s), false})
	}
	return out
}

// invert swaps what is a match and what is not.
func invert(matches []match) []match {
	for i := range matches {
		matches[i].is = !matches[i].is
	}
	return matches
}

// A behavior says what becomes of the matches that a text is split at.
type behavior int

const (
	removed behavior = iota
	isolated
	mergedWithPrevious
	mergedWithNext
	contiguous
)

// behaviors are the names in a file, in the order of the constants.
var behaviors = []string{"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"}

// apply joins the matches to the parts that the text is split into.
func (b behavior) apply(matches []match) []match {
	switch b {
	case removed:
		return slices.DeleteFunc(matches, func(m match) bool { return m.is })
	case isolated:
		return matches
	case mergedWithNext:
		slices.Reverse(matches)
	}
	out := matches[:0]
	before := false
	for _, m := range matches {
		joined := m.is && !before
		if b == contiguous {
			joined = m.is == before
		}
		if joined && len(out) > 0 {
			last := &out[len(out)-1]
			last.start, last.end = min(last.start, m.start), max(last.end, m.end)
		} else {
			out = append(out, m)
		}
		before = m.is
	}
	if b == mergedWithNext {
		slices.Reverse(out)
	}
	return out
}
