package tokenizer

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// Limits of what a tokenizer takes.
const (
	// MaxFile is how many bytes a file may have.
	MaxFile = 1 << 29
	// MaxText is how many bytes a text may have.
	MaxText = 1 << 28
)

// A Tokenizer turns texts into tokens and back. Any number of goroutines may use it.
type Tokenizer struct {
	normalizer   normalizer // or nil
	preTokenizer preTokenizer
	model        model
	processor    processor
	decoder      decoder
	added        *addedVocabulary
	truncation   *Truncation
	padding      *Padding
	cache        *cache
}

// Load reads a file, such as tokenizer.json.
func Load(path string) (*Tokenizer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	defer f.Close()
	t, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Read reads the JSON of a tokenizer, which may have [MaxFile] bytes. An error names the place in the JSON.
func Read(r io.Reader) (*Tokenizer, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("tokenizer: %w", err)
	case len(data) > MaxFile:
		return nil, fmt.Errorf("tokenizer: a file of more than %d bytes", MaxFile)
	case !utf8.Valid(data):
		return nil, errors.New("tokenizer: the file is not valid UTF-8")
	}
	t, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	return t, nil
}

func read(data []byte) (*Tokenizer, error) {
	o, err := newObject("", nil, data)
	if err != nil {
		return nil, fmt.Errorf("the file is not a JSON object%w", err)
	}
	if v := opt(o, "version", "1.0"); v != "1.0" {
		o.fail("version", `%q is not supported; "1.0" is`, v)
	}
	t := &Tokenizer{cache: newCache()}
	t.normalizer = part(o, "normalizer", "normalizer", normalizers)
	t.preTokenizer = part(o, "pre_tokenizer", "pre-tokenizer", preTokenizers)
	t.processor = part(o, "post_processor", "post-processor", processors)
	t.decoder = part(o, "decoder", "decoder", decoders)
	if sub := o.object("truncation"); sub != nil && sub.err == nil {
		t.truncation = newTruncation(sub)
		o.take(sub)
	}
	if sub := o.object("padding"); sub != nil && sub.err == nil {
		t.padding = newPadding(sub)
		o.take(sub)
	}
	sub := o.object("model")
	if sub == nil {
		o.fail("model", "missing")
	}
	if o.err != nil {
		return nil, o.err
	}
	if t.model, err = newModel(sub); err != nil {
		return nil, err
	}
	t.added, err = newAdded(o, t.model, t.normalizer)
	return t, err
}

// part reads a part of the tokenizer that may be absent.
func part[T any](o *object, name, what string, kinds map[string]func(*object) T) (v T) {
	sub := o.object(name)
	if sub == nil || sub.err != nil {
		return v
	}
	v, err := build(sub, what, kinds)
	if err != nil {
		o.take(sub)
	}
	return v
}

// Truncation gives how the file wants texts to be cut, or nil.
func (t *Tokenizer) Truncation() *Truncation { return copyOf(t.truncation) }

// Padding gives how the file wants encodings to be padded, or nil.
func (t *Tokenizer) Padding() *Padding { return copyOf(t.padding) }

func copyOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

// TokenToID gives the id of a token.
func (t *Tokenizer) TokenToID(token string) (id int32, ok bool) {
	if a := t.added.byContent[token]; a != nil {
		return a.id, true
	}
	return t.model.id(token)
}

// IDToToken gives the token of an id. That of an added token which is found in normalized text is its normalized form.
func (t *Tokenizer) IDToToken(id int32) (token string, ok bool) {
	if a := t.added.byID[id]; a != nil {
		return a.match, true
	}
	return t.model.token(id)
}

// IsSpecial reports whether an id is that of a special token, which decoding can leave out.
func (t *Tokenizer) IsSpecial(id int32) bool {
	a := t.added.byID[id]
	return a != nil && t.added.special[a.match]
}

// VocabSize gives the number of tokens, added ones among them.
func (t *Tokenizer) VocabSize() int {
	n := t.model.size()
	for content := range t.added.byContent {
		if _, ok := t.model.id(content); !ok {
			n++
		}
	}
	return n
}

// Decode turns ids back into text. Ids that are not in the vocabulary are left out, and so are special tokens with
// skipSpecial.
func (t *Tokenizer) Decode(ids []int32, skipSpecial bool) (string, error) {
	tokens := make([]string, 0, len(ids))
	for _, id := range ids {
		if token, ok := t.IDToToken(id); ok && !(skipSpecial && t.added.special[token]) {
			tokens = append(tokens, token)
		}
	}
	if t.decoder == nil {
		return strings.Join(tokens, " "), nil
	}
	tokens, err := t.decoder(newDecoding(tokens), tokens)
	return strings.Join(tokens, ""), err
}
