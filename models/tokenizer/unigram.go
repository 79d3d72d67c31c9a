package tokenizer

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// unkPenalty is how much less an unknown character scores than the worst token.
const unkPenalty = 10

// unigram takes the tokens whose scores have the greatest sum.
type unigram struct {
	pieces       []string
	scores       []float64
	ids          map[string]int32
	trie         *trie
	unk          int32 // -1 for none
	unkScore     float64
	byteFallback bool
	bytes        [256]int32
}

func newUnigram(o *object) *unigram {
	m := &unigram{ids: map[string]int32{}, unk: -1, byteFallback: opt(o, "byte_fallback", false)}
	least := math.Inf(1)
	for i, raw := range get[[]json.RawMessage](o, "vocab") {
		text, score := "", 0.0
		entry := []any{&text, &score}
		if err := json.Unmarshal(raw, &entry); err != nil || len(entry) != 2 {
			o.fail(fmt.Sprintf("vocab[%d]", i), "a token and its score are expected, found %s", brief(raw))
			return m
		}
		if len(text) > maxToken {
			o.fail(fmt.Sprintf("vocab[%d]", i), "a token of %d bytes: at most %d are supported", len(text), maxToken)
		}
		m.pieces, m.scores = append(m.pieces, text), append(m.scores, score)
		m.ids[text] = int32(i)
		least = min(least, score)
	}
	if !isNull(o.fields["unk_id"]) {
		m.unk = int32(o.count("unk_id", 0))
		if int(m.unk) >= len(m.pieces) {
			o.fail("unk_id", "%d is not in the vocabulary, which has %d tokens", m.unk, len(m.pieces))
		}
	}
	m.unkScore = least - unkPenalty
	m.trie = newTrie(m.ids)
	for b := range m.bytes {
		id, ok := m.ids[fmt.Sprintf("<0x%02X>", b)]
		if !ok {
			id = -1
		}
		m.bytes[b] = id
	}
	return m
}

func (m *unigram) id(token string) (int32, bool) {
	id, ok := m.ids[token]
	return id, ok
}

func (m *unigram) token(id int32) (string, bool) {
	if id < 0 || int(id) >= len(m.pieces) {
		return "", false
	}
	return m.pieces[id], true
}

func (m *unigram) size() int { return len(m.pieces) }

// A step is the best way to a place of the text: its score, and the last token on it.
type step struct {
	score float64
	from  int32 // where that token starts; -1 when no way is known
	id    int32
}

func (m *unigram) tokenize(s string, out []token) ([]token, error) {
	best, err := m.best(s)
	if err != nil {
		return out, err
	}
	var parts [][2]int32 // from the last to the first
	fused := false
	for end := int32(len(s)); end > 0; {
		at := best[end]
		if at.id == m.unk && m.unk >= 0 {
			if fused {
				parts[len(parts)-1][0] = at.from
			} else {
				parts = append(parts, [2]int32{at.from, end})
			}
			fused = true
		} else {
			parts = append(parts, [2]int32{at.from, end})
			fused = false
		}
		end = at.from
	}
	for _, p := range slices.Backward(parts) {
		if out, err = m.appendPart(out, s, uint32(p[0]), uint32(p[1])); err != nil {
			return out, err
		}
	}
	return out, nil
}

// best finds the best way to each place of s.
func (m *unigram) best(s string) ([]step, error) {
	best := make([]step, len(s)+1)
	for i := range best {
		best[i].from = -1
	}
	for at := 0; at < len(s); {
		_, size := utf8.DecodeRuneInString(s[at:])
		here, single := best[at].score, false
		m.trie.prefixes(s[at:], func(n int, id int32) {
			single = single || n == size
			if to, score := &best[at+n], m.scores[id]+here; to.from < 0 || score > to.score {
				*to = step{score, int32(at), id}
			}
		})
		if to, score := &best[at+size], m.unkScore+here; !single && (to.from < 0 || score > to.score) {
			if m.unk < 0 {
				return nil, fmt.Errorf("tokenizer: %q is not in the vocabulary, and the model has no unk_id", s[at:at+size])
			}
			*to = step{score, int32(at), m.unk}
		}
		at += size
	}
	return best, nil
}

// appendPart appends the token of a part of s, or the tokens of its bytes, or the unknown token.
func (m *unigram) appendPart(out []token, s string, start, end uint32) ([]token, error) {
	text := s[start:end]
	if id, ok := m.ids[text]; ok {
		return append(out, token{id, start, end, text}), nil
	}
	if m.byteFallback && !slices.ContainsFunc([]byte(text), func(b byte) bool { return m.bytes[b] < 0 }) {
		for _, b := range []byte(text) {
			out = append(out, token{m.bytes[b], start, end, m.pieces[m.bytes[b]]})
		}
		return out, nil
	}
	return append(out, token{m.unk, start, end, text}), nil
}
