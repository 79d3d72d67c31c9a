package tokenizer

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/tokenizer/internal/chars"
	"github.com/cutile-go/cutile/models/tokenizer/internal/pattern"
)

// byteRune gives each byte a printable character, as GPT-2 does: itself where Latin-1 has one, else one from U+0100 on.
var byteRune = func() (table [256]rune) {
	n := rune(0)
	for b := range rune(256) {
		if '!' <= b && b <= '~' || 0xA1 <= b && b != 0xAD {
			table[b] = b
		} else {
			table[b] = 0x100 + n
			n++
		}
	}
	return table
}()

// runeByte gives the byte of a character, or -1.
var runeByte = func() (table [0x144]int16) {
	for i := range table {
		table[i] = -1
	}
	for b, r := range byteRune {
		table[r] = int16(b)
	}
	return table
}()

// spaceRune is what stands for a space.
const spaceRune = 'Ġ'

// gpt2 splits a text as GPT-2 does.
var gpt2 = sync.OnceValue(func() *pattern.Pattern {
	p, err := pattern.Compile(`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return p
})

// byteLevel is the pre-tokenizer that turns bytes into characters.
type byteLevel struct{ prefixSpace, useRegex bool }

func newByteLevel(o *object) preTokenizer {
	get[bool](o, "trim_offsets")
	return byteLevel{get[bool](o, "add_prefix_space"), opt(o, "use_regex", true)}
}

func (b byteLevel) split(ps []piece) ([]piece, error) {
	ps, err := eachOpen(ps, func(p piece, emit func(piece)) error {
		if b.prefixSpace && !strings.HasPrefix(p.s, " ") {
			p.prepend(" ")
		}
		if !b.useRegex {
			emit(p)
			return nil
		}
		return p.each(gpt2(), emit)
	})
	if err != nil {
		return nil, err
	}
	out := ps[:0]
	byteLevelPieces(ps, func(p piece) { out = append(out, p) })
	return out, nil
}

// each emits the matches of a pattern and what lies between them.
func (p *piece) each(pat *pattern.Pattern, emit func(piece)) error {
	at := 0
	err := pat.Each(p.s, &p.work.steps, func(start, end int) {
		if at != start {
			emit(p.slice(at, start))
		}
		if start != end {
			emit(p.slice(start, end))
		}
		at = end
	})
	if at != len(p.s) {
		emit(p.slice(at, len(p.s)))
	}
	return err
}

// byteLevelPieces turns the bytes of open pieces into characters. The results share memory.
func byteLevelPieces(ps []piece, emit func(piece)) {
	size := 0
	for i := range ps {
		for _, b := range []byte(ps[i].s) {
			size += utf8.RuneLen(byteRune[b])
		}
	}
	var s strings.Builder
	s.Grow(size)
	spans := make([]span, 0, size)
	for _, p := range ps {
		if p.done || p.s == "" || !p.grows(2*len(p.s)) {
			emit(p)
			continue
		}
		if !p.whole() {
			p.transform(byteChanges(p.s), 0)
			emit(p)
			continue
		}
		start := s.Len()
		for i := 0; i < len(p.s); {
			_, n := utf8.DecodeRuneInString(p.s[i:])
			for k := range n {
				stands := p.spans[i]
				if k > 0 {
					stands = p.spans[i+n-1]
				}
				size, _ := s.WriteRune(byteRune[p.s[i+k]])
				for range size {
					spans = append(spans, stands)
				}
			}
			i += n
		}
		p.s, p.spans = s.String()[start:], spans[start:len(spans):len(spans)]
		emit(p)
	}
}

// byteChanges gives the same for pieces that are not whole.
func byteChanges(s string) []chars.Change {
	var changes []chars.Change
	for i := range len(s) {
		changes = append(changes, chars.Change{Rune: byteRune[s[i]]})
		if !utf8.RuneStart(s[i]) {
			changes[i].By = 1
		}
	}
	return changes
}

// byteLevelDecode turns characters back into bytes. A token with any other character is taken as it is.
func byteLevelDecode(out []byte, token string) []byte {
	start := len(out)
	for _, r := range token {
		if int(r) >= len(runeByte) || runeByte[r] < 0 {
			return append(out[:start], token...)
		}
		out = append(out, byte(runeByte[r]))
	}
	return out
}
