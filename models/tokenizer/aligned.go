package tokenizer

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/tokenizer/internal/chars"
	"github.com/cutile-go/cutile/models/tokenizer/internal/pattern"
)

// A span is a part of the original text, in bytes.
type span struct{ start, end uint32 }

// A piece is a part of the text on its way to tokens: what it has become, and for each byte of that the part of the
// original that the byte stands for. Pieces that are cut from one piece share its memory.
type piece struct {
	s      string
	spans  []span // one for each byte of s
	orig   span   // the part of the original that the piece stands for
	tokens []token
	done   bool // tokens holds the result
	work   *work
}

// work is what the pieces of one text share: the steps that patterns may still take, and the first error.
type work struct {
	steps int
	err   error
}

func (w *work) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// A piece may become longer than the part of the text that it stands for, up to a limit: files could make it grow without
// end otherwise.
const (
	growth     = 32
	growthMore = 4096
)

var (
	errLost = errors.New("the normalizers do not go together: a pattern that matches no text has put something before the " +
		"text, and the next one changes characters that stand for nothing")
	errGrown = fmt.Errorf("the text becomes more than %d times as long", growth)
)

// grows reports whether a piece may have n bytes.
func (p *piece) grows(n int) bool {
	if n <= growthMore+growth*int(p.orig.end-p.orig.start) {
		return true
	}
	p.work.fail(errGrown)
	return false
}

// A token is a part of a piece with its id.
type token struct {
	id         int32
	start, end uint32 // in bytes of the piece
	value      string
}

// newPiece makes the piece of a whole text, which is valid UTF-8.
func newPiece(s string) piece {
	spans := make([]span, len(s))
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			spans[i] = span{uint32(i), uint32(i + 1)}
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		for k := range size {
			spans[i+k] = span{uint32(i), uint32(i + size)}
		}
		i += size
	}
	return piece{s: s, spans: spans, orig: span{0, uint32(len(s))}, work: &work{steps: pattern.Steps(len(s))}}
}

// slice cuts the bytes from a to b, which must lie between characters.
func (p *piece) slice(a, b int) piece {
	q := piece{s: p.s[a:b], spans: p.spans[a:b:b], work: p.work}
	if a < b {
		q.orig = span{p.spans[a].start, max(p.spans[a].start, p.spans[b-1].end)}
	} else {
		q.orig = span{p.orig.start + uint32(a), p.orig.start + uint32(a)}
	}
	return q
}

// original gives the part of the original text that the bytes from a to b stand for.
func (p *piece) original(a, b uint32) span {
	switch {
	case a == b:
		return span{p.orig.start + a, p.orig.start + a}
	case a < b && int(b) <= len(p.spans):
		return span{p.spans[a].start, p.spans[b-1].end}
	}
	return span{a, b}
}

// changed gives the bytes of s that stand for the original. They are all bytes unless a pattern has put something before
// the text, which stands for nothing: the library's transformations then leave that alone, and add what they made of it.
func (p *piece) changed() (a, b int, ok bool) {
	n := len(p.spans)
	switch {
	case p.orig.start == p.orig.end:
		return 0, 0, true
	case n == 0:
		return 0, 0, false
	}
	for b < n && p.spans[b].end <= p.orig.end {
		b++
	}
	if b == 0 {
		return 0, 0, false
	}
	for a < b && (p.spans[a].start < p.orig.start || p.spans[a].start == p.spans[a].end) {
		a++
	}
	return a, b, true
}

// whole is changed when that is all of the piece, which needs no loop.
func (p *piece) whole() bool {
	n := len(p.spans)
	return n > 0 && p.orig.start < p.orig.end && p.spans[n-1].end <= p.orig.end &&
		p.spans[0].start >= p.orig.start && p.spans[0].start < p.spans[0].end
}

// transform makes the piece anew from changes; removed characters at its start come first.
func (p *piece) transform(changes []chars.Change, removed int) {
	if p.whole() {
		p.transformRange(0, len(p.s), changes, removed)
	} else if a, b, ok := p.changed(); ok {
		p.transformRange(a, b, changes, removed)
	}
}

func (p *piece) transformRange(a, b int, changes []chars.Change, removed int) {
	if !p.grows(len(p.s) + len(changes)) {
		return
	}
	at := p.skip(a, b, removed)
	var s strings.Builder
	s.Grow(len(p.s) + len(changes))
	s.WriteString(p.s[:a])
	spans := append(make([]span, 0, len(p.spans)+len(changes)), p.spans[:a]...)
	for _, c := range changes {
		var stands span
		switch {
		case len(p.spans) == 0:
			stands = p.orig
		case c.By > 0 && at < 1:
			stands = span{p.orig.start, p.orig.start}
		case c.By > 0:
			stands = p.spans[at-1]
		default:
			if at >= len(p.spans) {
				p.work.fail(errLost) // pip's tokenizers end by a panic here
			}
			stands = p.spans[min(at, len(p.spans)-1)]
			at = p.skip(at, b, 1-c.By)
		}
		n, _ := s.WriteRune(c.Rune)
		for range n {
			spans = append(spans, stands)
		}
	}
	s.WriteString(p.s[b:])
	p.spans = append(spans, p.spans[b:]...)
	p.s = s.String()
}

// skip gives the place of the n-th character after a, or b.
func (p *piece) skip(a, b, n int) int {
	for ; n > 0 && a < b; n-- {
		_, size := utf8.DecodeRuneInString(p.s[a:])
		a += size
	}
	return min(a, b)
}

// filter drops the characters that keep refuses.
func (p *piece) filter(keep func(rune) bool) {
	if p.whole() && !strings.ContainsFunc(p.s, func(r rune) bool { return !keep(r) }) {
		return
	}
	changes := make([]chars.Change, 0, len(p.s))
	removed, first := 0, 0
	for _, r := range p.s {
		switch {
		case !keep(r):
			removed++
			continue
		case len(changes) > 0:
			changes[len(changes)-1].By = -removed
		default:
			first = removed
		}
		changes, removed = append(changes, chars.Change{Rune: r}), 0
	}
	if len(changes) > 0 {
		changes[len(changes)-1].By = -removed
	}
	p.transform(changes, first)
}

// replaceEach puts f(r) in the place of each character r.
func (p *piece) replaceEach(f func(rune) rune) {
	if p.whole() && !strings.ContainsFunc(p.s, func(r rune) bool { return f(r) != r }) {
		return
	}
	changes := make([]chars.Change, 0, len(p.s))
	for _, r := range p.s {
		changes = append(changes, chars.Change{Rune: f(r)})
	}
	p.transform(changes, 0)
}

// lowercase makes capital letters small, one by one: a final sigma is not seen.
func (p *piece) lowercase() {
	if p.whole() && !strings.ContainsFunc(p.s, func(r rune) bool { return chars.Lower(r) != r || r == 'İ' }) {
		return
	}
	changes := make([]chars.Change, 0, len(p.s))
	for _, r := range p.s {
		if r == 'İ' {
			changes = append(changes, chars.Change{Rune: 'i'}, chars.Change{Rune: '\u0307', By: 1})
			continue
		}
		changes = append(changes, chars.Change{Rune: chars.Lower(r)})
	}
	p.transform(changes, 0)
}

// prepend puts text before a piece that is not empty. It stands for the first character.
func (p *piece) prepend(text string) {
	if p.s == "" {
		return
	}
	next, size := utf8.DecodeRuneInString(p.s)
	var changes []chars.Change
	for i, r := range text {
		changes = append(changes, chars.Change{Rune: r, By: min(i, 1)})
	}
	p.transformRange(0, size, append(changes, chars.Change{Rune: next, By: 1}), 0)
}

// replace puts content in the place of each match. It stands for the last character of the match.
func (p *piece) replace(matches []match, content string) {
	if !p.grows(len(p.s) + len(matches)*len(content)) {
		return
	}
	var s strings.Builder
	spans := make([]span, 0, len(p.spans))
	for _, m := range matches {
		if !m.is {
			s.WriteString(p.s[m.start:m.end])
			spans = append(spans, p.spans[m.start:m.end]...)
			continue
		}
		stands := span{p.orig.start, p.orig.start}
		if m.end > 0 {
			stands = p.spans[m.end-1]
		}
		s.WriteString(content)
		for range len(content) {
			spans = append(spans, stands)
		}
	}
	p.s, p.spans = s.String(), spans
}

// strip drops white space at the ends.
func (p *piece) strip(left, right bool) {
	kept := p.s
	if left {
		kept = strings.TrimLeftFunc(kept, chars.IsSpace)
	}
	leading := utf8.RuneCountInString(p.s[:len(p.s)-len(kept)])
	if right {
		kept = strings.TrimRightFunc(kept, chars.IsSpace)
	}
	if len(kept) == len(p.s) {
		return
	}
	changes := make([]chars.Change, 0, len(kept))
	for _, r := range kept {
		changes = append(changes, chars.Change{Rune: r})
	}
	p.transform(changes, leading)
}
