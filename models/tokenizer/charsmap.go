package tokenizer

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/tokenizer/internal/chars"
)

// A charsmap is the compiled map of characters that SentencePiece keeps in its models: a double array, which is a trie of
// bytes, whose leaves are places in texts that end by a zero.
type charsmap struct {
	units []uint32
	texts string
}

// newCharsmap reads the field precompiled_charsmap: the size of the array in bytes, the array and the texts.
func newCharsmap(o *object) normalizer {
	const name = "precompiled_charsmap"
	data, err := base64.StdEncoding.DecodeString(get[string](o, name))
	if err != nil {
		o.fail(name, "it is not base64: %v", err)
	}
	if o.err != nil {
		return nil
	}
	if len(data) < 4 {
		o.fail(name, "%d bytes are too few", len(data))
		return nil
	}
	size := binary.LittleEndian.Uint32(data)
	if data = data[4:]; uint64(size) > uint64(len(data)) || size < 4 {
		o.fail(name, "it says that it has %d bytes, found %d", size, len(data))
		return nil
	}
	m := &charsmap{units: make([]uint32, size/4), texts: string(data[size/4*4:])}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	if !utf8.ValidString(m.texts) {
		o.fail(name, "its texts are not valid UTF-8")
	}
	return m
}

// offset gives where the children of a unit begin.
func offset(unit uint32) uint64 { return uint64(unit>>10) << (unit & (1 << 9) >> 6) }

// lookup gives the text for the shortest start of key that has one.
func (m *charsmap) lookup(key string) (string, bool) {
	at := offset(m.units[0])
	for i := range len(key) {
		c := key[i]
		if at ^= uint64(c); c == 0 || at >= uint64(len(m.units)) {
			return "", false
		}
		unit := m.units[at]
		if unit&(1<<31|0xFF) != uint32(c) {
			return "", false
		}
		at ^= offset(unit)
		if unit>>8&1 == 0 {
			continue
		}
		if at >= uint64(len(m.units)) {
			return "", false
		}
		start := m.units[at] & (1<<31 - 1)
		if uint64(start) > uint64(len(m.texts)) {
			return "", false
		}
		text, _, _ := strings.Cut(m.texts[start:], "\x00")
		return text, true
	}
	return "", false
}

// normalize replaces clusters of fewer than six bytes as a whole, by what their start has in the map, and other
// characters one by one.
func (m *charsmap) normalize(p *piece) error {
	changes := make([]chars.Change, 0, len(p.s))
	found := false
	put := func(part string) bool {
		text, ok := m.lookup(part)
		if ok && p.grows(len(changes)+len(text)) {
			found = true
			changes = appendReplaced(changes, utf8.RuneCountInString(part), text)
		}
		return ok
	}
	chars.Graphemes(p.s, func(cluster string) {
		const short = 6
		if len(cluster) < short && put(cluster) {
			return
		}
		for i, r := range cluster {
			if !put(cluster[i : i+utf8.RuneLen(r)]) {
				changes = append(changes, chars.Change{Rune: r})
			}
		}
	})
	if found {
		p.transform(changes, 0)
	}
	return nil
}

// appendReplaced appends a text that takes the place of old characters. What is more than those is new; where it is less,
// the character before, whatever it is, takes the place of the rest.
func appendReplaced(changes []chars.Change, old int, text string) []chars.Change {
	n := 0
	for _, r := range text {
		changes = append(changes, chars.Change{Rune: r})
		n++
	}
	if n < old && len(changes) > 0 {
		changes[len(changes)-1].By += n - old
	}
	for i := range max(n-old, 0) {
		changes[len(changes)-1-i].By = 1
	}
	return changes
}
