package tokenizer

import (
	"fmt"
	"slices"
)

// An Offset is a part of the original text, from Start up to End.
type Offset struct{ Start, End int }

// An Encoding holds the tokens of a text, or of a pair of texts. Apart from Overflowing, all its slices have one element
// for each token.
type Encoding struct {
	// IDs holds the numbers that a model takes.
	IDs []int32
	// TypeIDs tells the texts of a pair apart: 0 and 1, or what the template in the file says.
	TypeIDs []int32
	// Tokens holds the texts of the tokens as the vocabulary has them; what is unknown, and added tokens, may be as they
	// are in the text.
	Tokens []string
	// Offsets says where in its text each token comes from, in bytes, or in runes with [RuneOffsets]. Special tokens and
	// padding come from 0, 0.
	Offsets []Offset
	// WordIDs holds the number, in its text, of the piece that each token was cut from; -1 for special tokens and padding.
	WordIDs []int32
	// SpecialTokensMask is 1 for the special tokens that the post-processor adds and for padding, else 0.
	SpecialTokensMask []int32
	// AttentionMask is 0 for padding, else 1.
	AttentionMask []int32
	// Overflowing holds the further parts of what truncation has cut.
	Overflowing []*Encoding

	text []int8 // the text of each token; -1 for none
}

// Len gives the number of tokens.
func (e *Encoding) Len() int { return len(e.IDs) }

// TextOf gives the text, 0 or 1, that a token comes from, or -1 for special tokens and padding.
func (e *Encoding) TextOf(token int) int { return int(e.text[token]) }

// size counts the tokens, those of the overflow among them.
func (e *Encoding) size() int {
	n := e.Len()
	for _, o := range e.Overflowing {
		n += o.size()
	}
	return n
}

func (e *Encoding) setTypes(id int32) {
	e.TypeIDs = slices.Repeat([]int32{id}, e.Len())
}

// clone copies an encoding, with the parts of its overflow.
func (e *Encoding) clone() *Encoding {
	c := e.cut(0, e.Len())
	for _, o := range e.Overflowing {
		c.Overflowing = append(c.Overflowing, o.clone())
	}
	return c
}

// cut copies the tokens from start to end.
func (e *Encoding) cut(start, end int) *Encoding {
	return &Encoding{
		IDs: slices.Clone(e.IDs[start:end]), TypeIDs: slices.Clone(e.TypeIDs[start:end]),
		Tokens: slices.Clone(e.Tokens[start:end]), Offsets: slices.Clone(e.Offsets[start:end]),
		WordIDs: slices.Clone(e.WordIDs[start:end]), AttentionMask: slices.Clone(e.AttentionMask[start:end]),
		SpecialTokensMask: slices.Clone(e.SpecialTokensMask[start:end]), text: slices.Clone(e.text[start:end]),
	}
}

// special makes an encoding of special tokens.
func special(tokens []string, ids []int32, kind int32) *Encoding {
	n := len(ids)
	return &Encoding{
		IDs: slices.Clone(ids), Tokens: slices.Clone(tokens), TypeIDs: slices.Repeat([]int32{kind}, n),
		Offsets: make([]Offset, n), WordIDs: slices.Repeat([]int32{-1}, n),
		SpecialTokensMask: slices.Repeat([]int32{1}, n), AttentionMask: slices.Repeat([]int32{1}, n),
		text: slices.Repeat([]int8{-1}, n),
	}
}

// join appends the tokens of other, without its overflow.
func (e *Encoding) join(other *Encoding) {
	e.text = append(e.text, other.text...)
	e.IDs = append(e.IDs, other.IDs...)
	e.TypeIDs = append(e.TypeIDs, other.TypeIDs...)
	e.Tokens = append(e.Tokens, other.Tokens...)
	e.Offsets = append(e.Offsets, other.Offsets...)
	e.WordIDs = append(e.WordIDs, other.WordIDs...)
	e.SpecialTokensMask = append(e.SpecialTokensMask, other.SpecialTokensMask...)
	e.AttentionMask = append(e.AttentionMask, other.AttentionMask...)
}

// Limits of what files and options can ask for.
const (
	maxTokens  = 1 << 22 // of an encoding with its overflow
	maxPadding = 1 << 20 // tokens after padding
)

// mergeAll joins encodings. Every part of the overflow of one goes together with every part of the others.
func mergeAll(parts []*Encoding) (*Encoding, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	combinations, longest := 1, 0
	for _, p := range parts {
		combinations *= 1 + len(p.Overflowing)
		most := p.Len()
		for _, o := range p.Overflowing {
			most = max(most, o.Len())
		}
		longest += most
		if combinations > maxTokens || combinations > 1 && combinations*longest > maxTokens {
			return nil, fmt.Errorf("tokenizer: the parts that truncation cuts have more than %d tokens in all: use a larger max_length or a smaller stride", maxTokens)
		}
	}
	merged := &Encoding{}
	for _, p := range parts {
		merged.merge(p)
	}
	return merged, nil
}

// merge appends other and its overflow.
func (e *Encoding) merge(other *Encoding) {
	var overflow []*Encoding
	for _, mine := range e.Overflowing {
		for _, theirs := range append([]*Encoding{other}, other.Overflowing...) {
			both := mine.clone()
			both.join(theirs)
			overflow = append(overflow, both)
		}
	}
	for _, theirs := range other.Overflowing {
		both := e.cut(0, e.Len())
		both.join(theirs)
		overflow = append(overflow, both)
	}
	e.join(other)
	e.Overflowing = overflow
}
