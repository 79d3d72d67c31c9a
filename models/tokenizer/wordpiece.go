package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// wordPiece takes the longest token that a word starts with, then the longest that goes on with a prefix such as ##, and so
// on. A word that cannot be cut so is unknown as a whole.
type wordPiece struct {
	vocabulary
	unk, prefix  string
	most         int   // characters of a word; longer ones are unknown
	start, going *trie // what a word starts with, and what goes on, without the prefix
}

func newWordPiece(o *object) *wordPiece {
	m := &wordPiece{
		vocabulary: newVocabulary(o), unk: get[string](o, "unk_token"), prefix: get[string](o, "continuing_subword_prefix"),
		most: o.count("max_input_chars_per_word", 0),
	}
	if isNull(o.fields["max_input_chars_per_word"]) {
		o.fail("max_input_chars_per_word", "missing")
	}
	going := map[string]int32{}
	for t, id := range m.ids {
		if len(t) > maxToken {
			o.fail("vocab", "the token with id %d has %d bytes: at most %d are supported", id, len(t), maxToken)
		}
		if rest, ok := strings.CutPrefix(t, m.prefix); ok {
			going[rest] = id
		}
	}
	m.start, m.going = newTrie(m.ids), newTrie(going)
	return m
}

func (m *wordPiece) tokenize(s string, out []token) ([]token, error) {
	before := len(out)
	if len(s) > m.most && utf8.RuneCountInString(s) > m.most {
		unk, err := m.unknown(m.unk, s)
		return append(out, unk), err
	}
	t := m.start
	for at := 0; at < len(s); t = m.going {
		end, id := 0, int32(-1)
		t.prefixes(s[at:], func(n int, value int32) { end, id = at+n, value })
		if id < 0 {
			unk, err := m.unknown(m.unk, s)
			return append(out[:before], unk), err
		}
		out = append(out, token{id, uint32(at), uint32(end), m.tokens[id]})
		at = end
	}
	return out, nil
}
