package tokenizer

import (
	"strings"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/tokenizer/internal/chars"
)

// maxToken is how many bytes an added token may have, and a token of the models that search at every place of a text.
const maxToken = 1024

// An addedToken is found in the text before it is split.
type addedToken struct {
	id                         int32
	content                    string
	match                      string // content, or what the normalizer makes of it
	singleWord, lstrip, rstrip bool
	normalized, special        bool
}

// An addedVocabulary finds added tokens: those that are compared with the text as it is, and then those that are compared
// with the normalized text.
type addedVocabulary struct {
	byContent    map[string]*addedToken
	byID         map[int32]*addedToken
	special      map[string]bool
	raw, changed *trie // values are ids
}

// newAdded reads the added tokens of a file. The library gives ids itself, so the file must give the same.
func newAdded(o *object, m model, n normalizer) (*addedVocabulary, error) {
	v := &addedVocabulary{byContent: map[string]*addedToken{}, byID: map[int32]*addedToken{}, special: map[string]bool{}}
	if isNull(o.fields["added_tokens"]) {
		return v, v.tries(o)
	}
	next := int32(m.size())
	for _, sub := range o.list("added_tokens") {
		t := &addedToken{
			content: get[string](sub, "content"), singleWord: get[bool](sub, "single_word"), lstrip: get[bool](sub, "lstrip"),
			rstrip: get[bool](sub, "rstrip"), normalized: get[bool](sub, "normalized"), special: get[bool](sub, "special"),
		}
		t.id = get[int32](sub, "id")
		t.match = t.content
		if sub.err == nil && t.content != "" {
			v.add(sub, t, m, n, &next)
		}
		if o.take(sub); o.err != nil {
			return nil, o.err
		}
	}
	return v, v.tries(o)
}

func (v *addedVocabulary) add(o *object, t *addedToken, m model, n normalizer, next *int32) {
	if len(t.content) > maxToken {
		o.fail("content", "%d bytes: at most %d are supported", len(t.content), maxToken)
	}
	id, known := m.id(t.content)
	if before := v.byContent[t.content]; before != nil {
		id, known = before.id, true
	}
	if !known {
		id = *next
		*next++
	}
	if t.id != id {
		o.fail("id", "%q has id %d here, but its place in the vocabulary makes it %d", t.content, t.id, id)
		return
	}
	if t.normalized && n != nil {
		p := newPiece(t.content)
		err := n.normalize(&p)
		if err == nil {
			err = p.work.err
		}
		if err != nil {
			o.fail("content", "it cannot be normalized: %v", err)
		}
		if len(p.s) > maxToken {
			o.fail("content", "%d bytes when normalized: at most %d are supported", len(p.s), maxToken)
		}
		t.match = p.s
	}
	v.byContent[t.content], v.byID[t.id] = t, t
	if t.special {
		v.special[t.content] = true
	}
}

// tries prepares the search.
func (v *addedVocabulary) tries(o *object) error {
	raw, changed := map[string]int32{}, map[string]int32{}
	for id, t := range v.byID {
		set := raw
		if t.normalized {
			set = changed
		}
		if t.match == "" {
			o.fail("added_tokens", "the normalizer leaves nothing of %q", t.content)
		}
		if other, ok := set[t.match]; ok {
			o.fail("added_tokens", "ids %d and %d are both found by %q", min(id, other), max(id, other), t.match)
		}
		set[t.match] = id
	}
	v.raw, v.changed = newTrie(raw), newTrie(changed)
	return o.err
}

// extract splits a text at added tokens and normalizes the rest.
func (v *addedVocabulary) extract(text piece, n normalizer) ([]piece, error) {
	ps := []piece{text}
	var err error
	if len(v.raw.nodes) > 1 {
		if ps, err = v.split(ps, v.raw, nil); err != nil {
			return nil, err
		}
	}
	return v.split(ps, v.changed, n)
}

func (v *addedVocabulary) split(ps []piece, t *trie, n normalizer) ([]piece, error) {
	return eachOpen(ps, func(p piece, emit func(piece)) error {
		if n != nil {
			if err := n.normalize(&p); err != nil {
				return err
			}
		}
		v.find(p.s, t, func(start, end int, id int32) {
			part := p.slice(start, end)
			if id >= 0 {
				part.done, part.tokens = true, []token{{id, 0, uint32(len(part.s)), part.s}}
			}
			emit(part)
		})
		return nil
	})
}

// find calls f with every added token, and with id -1 for what lies between them. The leftmost token wins, and the longest
// of those that start at one place.
func (v *addedVocabulary) find(s string, t *trie, f func(start, end int, id int32)) {
	done := 0
	spaces := [2]int{-1, -1} // the last run of white space that a token took on its right
	for i := 0; i < len(s); {
		end, id := i, int32(-1)
		if t.starts[s[i]] {
			t.prefixes(s[i:], func(n int, value int32) { end, id = i+n, value })
		}
		if id < 0 {
			i++
			continue
		}
		start, stop, ok := v.byID[id].extent(s, i, end, done, &spaces)
		i = end
		if !ok {
			continue
		}
		if done < start {
			f(done, start, -1)
		}
		f(start, stop, id)
		done = stop
	}
	if done < len(s) {
		f(done, len(s), -1)
	}
}

// extent adds the white space that the token takes, and reports whether it may stand there. Everything before done is
// taken.
func (t *addedToken) extent(s string, start, end, done int, spaces *[2]int) (int, int, bool) {
	if t.singleWord {
		before, _ := utf8.DecodeLastRuneInString(s[:start])
		after, _ := utf8.DecodeRuneInString(s[end:])
		if start > 0 && chars.IsWord(before) || end < len(s) && chars.IsWord(after) {
			return 0, 0, false
		}
	}
	if t.lstrip {
		start = max(start, done)
		start = done + len(strings.TrimRightFunc(s[done:start], chars.IsSpace))
	}
	if t.rstrip {
		if end < spaces[0] || end > spaces[1] { // else looking again would take n² time for n tokens that are spaces
			*spaces = [2]int{end, len(s) - len(strings.TrimLeftFunc(s[end:], chars.IsSpace))}
		}
		end = spaces[1]
	}
	return start, end, true
}
