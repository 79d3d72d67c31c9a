package tokenizer

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// An Option changes how texts are encoded.
type Option func(*settings)

type settings struct {
	special    bool
	runes      bool
	truncation *Truncation
	padding    *Padding
}

// WithoutSpecialTokens leaves out the tokens that the post-processor adds.
func WithoutSpecialTokens() Option { return func(s *settings) { s.special = false } }

// RuneOffsets counts [Encoding.Offsets] in runes instead of bytes. Bytes that are not UTF-8 count as one each.
func RuneOffsets() Option { return func(s *settings) { s.runes = true } }

// WithTruncation cuts texts as t says, instead of as the file says.
func WithTruncation(t Truncation) Option { return func(s *settings) { s.truncation = &t } }

// WithoutTruncation keeps texts whole.
func WithoutTruncation() Option { return func(s *settings) { s.truncation = nil } }

// WithPadding pads as p says, instead of as the file says.
func WithPadding(p Padding) Option { return func(s *settings) { s.padding = &p } }

// WithoutPadding does not pad.
func WithoutPadding() Option { return func(s *settings) { s.padding = nil } }

func (t *Tokenizer) settings(opts []Option) settings {
	s := settings{special: true, truncation: t.truncation, padding: t.padding}
	for _, o := range opts {
		o(&s)
	}
	return s
}

// A Pair is a text with another one, such as a question with a passage. HasSecond is false for a single text.
type Pair struct {
	First, Second string
	HasSecond     bool
}

// Encode turns a text into tokens. Bytes that are not UTF-8 are taken for U+FFFD, one each.
func (t *Tokenizer) Encode(text string, opts ...Option) (*Encoding, error) {
	return t.encodePadded(Pair{First: text}, opts)
}

// EncodePair turns a pair of texts into the tokens of both.
func (t *Tokenizer) EncodePair(first, second string, opts ...Option) (*Encoding, error) {
	return t.encodePadded(Pair{first, second, true}, opts)
}

func (t *Tokenizer) encodePadded(p Pair, opts []Option) (*Encoding, error) {
	s := t.settings(opts)
	e, err := t.encode(p, s)
	if err == nil && s.padding != nil {
		err = s.padding.apply([]*Encoding{e})
	}
	return e, err
}

// EncodeBatch encodes texts on all processors, and pads them to one length where padding is asked for.
func (t *Tokenizer) EncodeBatch(texts []string, opts ...Option) ([]*Encoding, error) {
	pairs := make([]Pair, len(texts))
	for i, text := range texts {
		pairs[i].First = text
	}
	return t.EncodePairs(pairs, opts...)
}

// EncodePairs is like [Tokenizer.EncodeBatch] for pairs.
func (t *Tokenizer) EncodePairs(pairs []Pair, opts ...Option) ([]*Encoding, error) {
	s := t.settings(opts)
	out, errs := make([]*Encoding, len(pairs)), make([]error, len(pairs))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(pairs)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(pairs); i = int(next.Add(1)) - 1 {
				out[i], errs[i] = t.encode(pairs[i], s)
			}
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("text %d: %w", i, err)
		}
	}
	if s.padding != nil {
		return out, s.padding.apply(out)
	}
	return out, nil
}

// encode makes an encoding that is not padded.
func (t *Tokenizer) encode(p Pair, s settings) (*Encoding, error) {
	texts := []string{p.First}
	if p.HasSecond {
		texts = append(texts, p.Second)
	}
	parts, where := make([]*Encoding, len(texts)), make([]*places, len(texts))
	for i, text := range texts {
		var err error
		if len(text) > MaxText {
			return nil, fmt.Errorf("tokenizer: a text of %d bytes: at most %d are supported", len(text), MaxText)
		}
		where[i] = newPlaces(text)
		if parts[i], err = t.encodeText(where[i], i); err != nil {
			return nil, err
		}
	}
	if s.truncation != nil {
		added := 0
		if t.processor != nil && s.special {
			added = t.processor.added(p.HasSecond)
		}
		if err := s.truncation.apply(parts, added); err != nil {
			return nil, err
		}
	}
	e, err := t.process(parts, s)
	if err == nil && !s.runes {
		e.inBytes(where)
	}
	return e, err
}

// process adds special tokens and joins the texts.
func (t *Tokenizer) process(parts []*Encoding, s settings) (*Encoding, error) {
	if t.processor != nil {
		for i, e := range parts {
			e.setTypes(int32(i))
		}
		var err error
		if parts, err = t.processor.process(parts, s.special); err != nil {
			return nil, err
		}
	}
	return mergeAll(parts)
}

// inBytes turns offsets in runes into offsets in bytes.
func (e *Encoding) inBytes(where []*places) {
	for i, text := range e.text {
		if text >= 0 {
			p := where[text]
			e.Offsets[i] = Offset{p.bytes(e.Offsets[i].Start), p.bytes(e.Offsets[i].End)}
		}
	}
	for _, o := range e.Overflowing {
		o.inBytes(where)
	}
}

// encodeText makes the tokens of one text, with offsets in runes.
func (t *Tokenizer) encodeText(where *places, number int) (*Encoding, error) {
	whole := newPiece(where.text)
	ps, err := t.added.extract(whole, t.normalizer)
	if err == nil && t.preTokenizer != nil {
		ps, err = t.preTokenizer.split(ps)
	}
	if err == nil {
		err = whole.work.err
	}
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	n := 0
	for i := range ps {
		if !ps[i].done {
			if ps[i].tokens, err = t.cache.tokenize(t.model, ps[i].s); err != nil {
				return nil, err
			}
		}
		n += len(ps[i].tokens)
	}
	e := newEncoding(n, number)
	for w := range ps {
		for _, k := range ps[w].tokens {
			o := ps[w].original(k.start, k.end)
			e.IDs, e.Tokens = append(e.IDs, k.id), append(e.Tokens, k.value)
			e.Offsets = append(e.Offsets, where.runes(o))
			e.WordIDs = append(e.WordIDs, int32(w))
		}
	}
	return e, nil
}

// newEncoding makes room for n tokens of a text.
func newEncoding(n, number int) *Encoding {
	e := &Encoding{
		IDs: make([]int32, 0, n), Tokens: make([]string, 0, n), Offsets: make([]Offset, 0, n), WordIDs: make([]int32, 0, n),
		TypeIDs: make([]int32, n), SpecialTokensMask: make([]int32, n), AttentionMask: make([]int32, n),
		text: make([]int8, n),
	}
	for i := range n {
		e.TypeIDs[i], e.AttentionMask[i], e.text[i] = int32(number), 1, int8(number)
	}
	return e
}
