package tokenizer

import "unicode/utf8"

// places knows where the runes of a text are: in the text as it was given, and in the valid UTF-8 that is tokenized.
type places struct {
	text   string   // valid UTF-8
	rune   []uint32 // by the bytes of text, the number of the rune; nil for ASCII
	starts []uint32 // by runes, the place in what was given; and its length
}

func newPlaces(given string) *places {
	p := &places{text: given}
	ascii := true
	for i := range len(given) {
		ascii = ascii && given[i] < utf8.RuneSelf
	}
	if ascii {
		return p
	}
	if !utf8.ValidString(given) {
		p.text = string([]rune(given)) // one U+FFFD for each byte that is no part of a rune
	}
	p.rune = make([]uint32, 0, len(p.text))
	p.starts = make([]uint32, 0, len(p.text)/2)
	for i, r := range given {
		for range utf8.RuneLen(r) {
			p.rune = append(p.rune, uint32(len(p.starts)))
		}
		p.starts = append(p.starts, uint32(i))
	}
	p.starts = append(p.starts, uint32(len(given)))
	return p
}

// runes turns a part in bytes into one in runes.
func (p *places) runes(o span) Offset {
	if p.rune == nil || int(o.start) >= len(p.rune) {
		return Offset{int(o.start), int(o.end)}
	}
	start := p.rune[o.start]
	switch {
	case int(o.end) < len(p.rune):
		return Offset{int(start), int(p.rune[o.end])}
	case int(o.end) == len(p.rune):
		return Offset{int(start), len(p.starts) - 1}
	}
	return Offset{int(start), int(start) + 2}
}

// bytes gives the byte, in the text as it was given, where a rune starts.
func (p *places) bytes(n int) int {
	if p.rune == nil {
		return min(n, len(p.text))
	}
	return int(p.starts[min(n, len(p.starts)-1)])
}
