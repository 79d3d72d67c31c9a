package tokenizer

import (
	"fmt"
	"math"
	"strings"
)

// A model turns a piece of text into tokens.
type model interface {
	// tokenize appends the tokens of a piece that is not empty.
	tokenize(s string, out []token) ([]token, error)
	id(token string) (int32, bool)
	token(id int32) (string, bool)
	size() int
}

// models are the kinds that a file may name.
var models = map[string]func(*object) model{
	"BPE":       func(o *object) model { return newBPE(o) },
	"Unigram":   func(o *object) model { return newUnigram(o) },
	"WordLevel": func(o *object) model { return newWordLevel(o) },
	"WordPiece": func(o *object) model { return newWordPiece(o) },
}

// newModel reads the model. Old files do not name its kind.
func newModel(o *object) (model, error) {
	if isNull(o.fields["type"]) {
		switch {
		case o.fields["merges"] != nil:
			return newBPE(o), o.err
		case o.fields["max_input_chars_per_word"] != nil:
			return newWordPiece(o), o.err
		case strings.HasPrefix(string(o.fields["vocab"]), "["):
			return newUnigram(o), o.err
		case o.fields["unk_token"] != nil:
			return newWordLevel(o), o.err
		}
	}
	return build(o, "model", models)
}

// A vocabulary maps tokens to ids and back.
type vocabulary struct {
	ids    map[string]int32
	tokens map[int32]string
}

// newVocabulary reads the field vocab, an object of tokens and ids.
func newVocabulary(o *object) vocabulary {
	v := vocabulary{ids: get[map[string]int32](o, "vocab")}
	v.tokens = make(map[int32]string, len(v.ids))
	for t, id := range v.ids {
		if id < 0 || id == math.MaxInt32 {
			o.fail("vocab", "the id %d of %q is out of range", id, t)
		}
		if other, ok := v.tokens[id]; ok {
			o.fail("vocab", "%q and %q both have id %d", min(t, other), max(t, other), id)
		}
		v.tokens[id] = t
	}
	return v
}

func (v vocabulary) id(token string) (int32, bool) {
	id, ok := v.ids[token]
	return id, ok
}

func (v vocabulary) token(id int32) (string, bool) {
	t, ok := v.tokens[id]
	return t, ok
}

func (v vocabulary) size() int { return len(v.ids) }

// unknown gives the token for what the vocabulary does not have.
func (v vocabulary) unknown(text, s string) (token, error) {
	id, ok := v.ids[text]
	if !ok {
		return token{}, fmt.Errorf("tokenizer: %s is not in the vocabulary, and nor is its token %q for what is unknown", brief([]byte(s)), text)
	}
	return token{id, 0, uint32(len(s)), text}, nil
}

// wordLevel takes every piece for a token.
type wordLevel struct {
	vocabulary
	unk string
}

func newWordLevel(o *object) *wordLevel {
	return &wordLevel{newVocabulary(o), get[string](o, "unk_token")}
}

func (m *wordLevel) tokenize(s string, out []token) ([]token, error) {
	if id, ok := m.ids[s]; ok {
		return append(out, token{id, 0, uint32(len(s)), s}), nil
	}
	t, err := m.unknown(m.unk, s)
	return append(out, t), err
}
