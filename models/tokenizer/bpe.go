package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// bpe joins the characters of a word, two parts at a time, in the order of its merges.
type bpe struct {
	vocabulary
	merges         map[uint64]merge // by the ids of both parts
	unk            string
	hasUnk         bool
	prefix, suffix string // of parts that go on with a word, and of the last part
	fuseUnk        bool   // unknown characters side by side are one token
	byteFallback   bool   // an unknown character becomes tokens for its bytes
	ignoreMerges   bool   // a word that is a token is not cut
	bytes          [256]int32
}

// A merge joins two parts. Low ranks go first.
type merge struct{ rank, id int32 }

func pairKey(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }

func newBPE(o *object) *bpe {
	m := &bpe{
		vocabulary: newVocabulary(o), unk: opt(o, "unk_token", ""), hasUnk: !isNull(o.fields["unk_token"]),
		prefix: opt(o, "continuing_subword_prefix", ""), suffix: opt(o, "end_of_word_suffix", ""),
		fuseUnk: opt(o, "fuse_unk", false), byteFallback: opt(o, "byte_fallback", false),
		ignoreMerges: opt(o, "ignore_merges", false),
	}
	if d := opt(o, "dropout", 0.0); d != 0 {
		o.fail("dropout", "%v makes the tokens random; only 0 or null is supported", d)
	}
	for b := range m.bytes {
		id, ok := m.ids[fmt.Sprintf("<0x%02X>", b)]
		if !ok {
			id = -1
		}
		m.bytes[b] = id
	}
	m.readMerges(o)
	return m
}

// readMerges reads merges: a list of pairs, or of texts such as "a b".
func (m *bpe) readMerges(o *object) {
	raw := get[json.RawMessage](o, "merges")
	if o.err != nil {
		return
	}
	var pairs [][]string
	if json.Unmarshal(raw, &pairs) != nil {
		pairs = pairs[:0]
		for _, line := range get[[]string](o, "merges") {
			if !strings.HasPrefix(line, "#version") {
				pairs = append(pairs, strings.Split(line, " "))
			}
		}
	}
	m.merges = make(map[uint64]merge, len(pairs))
	for i, p := range pairs {
		if len(p) != 2 {
			o.fail(fmt.Sprintf("merges[%d]", i), "two parts are expected, found %d", len(p))
			return
		}
		joined, ok := strings.CutPrefix(p[1], m.prefix)
		if !ok && len(p[1]) >= len(m.prefix) {
			joined = p[1][len(m.prefix):]
		}
		a, okA := m.ids[p[0]]
		b, okB := m.ids[p[1]]
		id, okID := m.ids[p[0]+joined]
		for _, part := range []struct {
			text string
			ok   bool
		}{{p[0], okA}, {p[1], okB}, {p[0] + joined, okID}} {
			if !part.ok {
				o.fail(fmt.Sprintf("merges[%d]", i), "%q is not in the vocabulary", part.text)
				return
			}
		}
		m.merges[pairKey(a, b)] = merge{int32(i), id}
	}
}

// A symbol is a part of a word while it is merged.
type symbol struct {
	id         int32
	prev, next int32 // -1 at the ends
	size       uint32
}

func (m *bpe) tokenize(s string, out []token) ([]token, error) {
	if id, ok := m.ids[s]; ok && m.ignoreMerges {
		return append(out, token{id, 0, uint32(len(s)), s}), nil
	}
	w := &word{}
	if err := m.start(w, s); err != nil {
		return out, err
	}
	w.mergeAll(m.merges)
	at := uint32(0)
	for _, y := range w.symbols {
		if y.size > 0 {
			out = append(out, token{y.id, at, at + y.size, m.tokens[y.id]})
			at += y.size
		}
	}
	return out, nil
}

// start cuts a word into characters. What is unknown has no place in the offsets where there is no token for it.
func (m *bpe) start(w *word, s string) error {
	w.symbols = make([]symbol, 0, len(s))
	unknown := symbol{}
	flush := func() {
		if unknown.size > 0 {
			w.add(unknown.id, unknown.size)
			unknown.size = 0
		}
	}
	for i, r := range s {
		n := utf8.RuneLen(r)
		text := s[i : i+n]
		if i > 0 && m.prefix != "" {
			text = m.prefix + text
		}
		if i+n == len(s) && m.suffix != "" {
			text += m.suffix
		}
		if id, ok := m.ids[text]; ok {
			flush()
			w.add(id, uint32(n))
			continue
		}
		if m.byteFallback && m.addBytes(w, text) || !m.hasUnk {
			continue
		}
		if !m.fuseUnk {
			flush()
		}
		id, ok := m.ids[m.unk]
		if !ok {
			return fmt.Errorf("tokenizer: %q is not in the vocabulary, and nor is its token %q for what is unknown", text, m.unk)
		}
		unknown.id = id
		unknown.size += uint32(n)
	}
	flush()
	return nil
}

// addBytes adds the tokens of bytes, when the vocabulary has all of them.
func (m *bpe) addBytes(w *word, text string) bool {
	for _, b := range []byte(text) {
		if m.bytes[b] < 0 {
			return false
		}
	}
	for _, b := range []byte(text) {
		w.add(m.bytes[b], 1)
	}
	return true
}

// A word is the symbols of a word and the merges that may come next.
type word struct {
	symbols []symbol
	queue   []candidate
}

// A candidate is a merge of the symbol at a place with the next one.
type candidate struct{ rank, at, id int32 }

func (c candidate) less(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.at < d.at
}

func (w *word) add(id int32, size uint32) {
	n := int32(len(w.symbols))
	if n > 0 {
		w.symbols[n-1].next = n
	}
	w.symbols = append(w.symbols, symbol{id, n - 1, -1, size})
}

// mergeAll merges until nothing is left to merge, the lowest rank first, and from left to right.
func (w *word) mergeAll(merges map[uint64]merge) {
	consider := func(at int32) {
		if at < 0 || w.symbols[at].next < 0 {
			return
		}
		next := w.symbols[w.symbols[at].next]
		if m, ok := merges[pairKey(w.symbols[at].id, next.id)]; ok {
			w.push(candidate{m.rank, at, m.id})
		}
	}
	for at := range w.symbols {
		consider(int32(at))
	}
	for len(w.queue) > 0 {
		c := w.pop()
		left := &w.symbols[c.at]
		if left.size == 0 || left.next < 0 {
			continue
		}
		right := &w.symbols[left.next]
		if m, ok := merges[pairKey(left.id, right.id)]; !ok || m.id != c.id {
			continue // one of the two has been merged since
		}
		left.id, left.next = c.id, right.next
		left.size += right.size
		right.size = 0
		if left.next >= 0 {
			w.symbols[left.next].prev = c.at
		}
		consider(left.prev)
		consider(c.at)
	}
}

// push and pop keep the queue a binary heap.
func (w *word) push(c candidate) {
	w.queue = append(w.queue, c)
	for i := len(w.queue) - 1; i > 0; {
		up := (i - 1) / 2
		if !w.queue[i].less(w.queue[up]) {
			return
		}
		w.queue[i], w.queue[up] = w.queue[up], w.queue[i]
		i = up
	}
}

func (w *word) pop() candidate {
	top := w.queue[0]
	last := len(w.queue) - 1
	w.queue[0] = w.queue[last]
	w.queue = w.queue[:last]
	for i := 0; ; {
		least := i
		for _, down := range []int{2*i + 1, 2*i + 2} {
			if down < last && w.queue[down].less(w.queue[least]) {
				least = down
			}
		}
		if least == i {
			return top
		}
		w.queue[i], w.queue[least] = w.queue[least], w.queue[i]
		i = least
	}
}
