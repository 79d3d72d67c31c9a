package tokenizer

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/tokenizer/internal/chars"
)

// A processor adds special tokens to the encodings of one or two texts. It may join or multiply them.
type processor interface {
	// added is how many special tokens it adds.
	added(pair bool) int
	process(parts []*Encoding, addSpecial bool) ([]*Encoding, error)
}

// processors are the kinds that a file may name.
var processors map[string]func(*object) processor

func init() {
	processors = map[string]func(*object) processor{
		"BertProcessing": func(o *object) processor {
			sep, cls := specialPair(o, "sep"), specialPair(o, "cls")
			return &frame{before: [2][]named{{cls}}, after: [2][]named{{sep}, {sep}}, types: [2]int32{0, 1}}
		},
		"ByteLevel": func(o *object) processor {
			return trimmer{get[bool](o, "trim_offsets"), get[bool](o, "add_prefix_space")}
		},
		"RobertaProcessing": func(o *object) processor {
			sep, cls := specialPair(o, "sep"), specialPair(o, "cls")
			return &frame{
				before: [2][]named{{cls}, {sep}}, after: [2][]named{{sep}, {sep}}, zero: true,
				trim: trimmer{get[bool](o, "trim_offsets"), get[bool](o, "add_prefix_space")},
			}
		},
		"Sequence": func(o *object) processor {
			return processAll(buildAll(o, "processors", "post-processor", processors))
		},
		"TemplateProcessing": newTemplate,
	}
}

type processAll []processor

func (all processAll) added(pair bool) int {
	n := 0
	for _, p := range all {
		n += p.added(pair)
	}
	return n
}

func (all processAll) process(parts []*Encoding, addSpecial bool) ([]*Encoding, error) {
	for _, p := range all {
		var err error
		if parts, err = p.process(parts, addSpecial); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// named is a special token.
type named struct {
	text string
	id   int32
}

// specialPair reads a field such as ["[SEP]", 102].
func specialPair(o *object, name string) (n named) {
	entry := get[[]any](o, name)
	if len(entry) == 2 {
		text, okText := entry[0].(string)
		id, okID := entry[1].(float64)
		if okText && okID && id >= 0 && id < 1<<31 && id == float64(int32(id)) {
			return named{text, int32(id)}
		}
	}
	o.fail(name, `a token and its id are expected, as in ["[SEP]", 102]; found %s`, brief(o.fields[name]))
	return n
}

// A frame puts special tokens around the first text, and around each other one.
type frame struct {
	before, after [2][]named
	types         [2]int32 // of the special tokens
	zero          bool     // all types are 0
	trim          trimmer
}

func (f *frame) added(pair bool) int {
	n := len(f.before[0]) + len(f.after[0])
	if pair {
		n += len(f.before[1]) + len(f.after[1])
	}
	return n
}

func (f *frame) process(parts []*Encoding, addSpecial bool) ([]*Encoding, error) {
	f.trim.all(parts)
	if f.zero {
		for _, e := range parts {
			e.setTypes(0)
		}
	}
	if !addSpecial {
		return parts, nil
	}
	for i, e := range parts {
		overflow := e.Overflowing
		k := min(i, 1)
		e = f.around(e, k)
		for _, o := range overflow {
			if f.zero {
				o.setTypes(0)
			}
			e.Overflowing = append(e.Overflowing, f.around(o, k))
		}
		parts[i] = e
	}
	return parts, nil
}

// around puts the special tokens around one encoding.
func (f *frame) around(e *Encoding, k int) *Encoding {
	out := f.encoding(f.before[k], k)
	inner := *e
	inner.SpecialTokensMask = make([]int32, e.Len())
	inner.AttentionMask = slices.Repeat([]int32{1}, e.Len())
	out.join(&inner)
	out.join(f.encoding(f.after[k], k))
	return out
}

func (f *frame) encoding(tokens []named, k int) *Encoding {
	var texts []string
	var ids []int32
	for _, t := range tokens {
		texts, ids = append(texts, t.text), append(ids, t.id)
	}
	return special(texts, ids, f.types[k])
}

// A trimmer takes the white space at the ends of tokens out of their offsets.
type trimmer struct{ on, prefixSpace bool }

func (t trimmer) added(bool) int { return 0 }

func (t trimmer) process(parts []*Encoding, _ bool) ([]*Encoding, error) {
	t.all(parts)
	return parts, nil
}

func (t trimmer) all(parts []*Encoding) {
	if !t.on {
		return
	}
	for _, e := range parts {
		t.trim(e)
		for _, o := range e.Overflowing {
			t.trim(o)
		}
	}
}

func isSpaceRune(r rune) bool { return r == spaceRune || chars.IsSpace(r) }

func (t trimmer) trim(e *Encoding) {
	for i, text := range e.Tokens {
		o := &e.Offsets[i]
		rest := strings.TrimLeftFunc(text, isSpaceRune)
		leading := utf8.RuneCountInString(text[:len(text)-len(rest)])
		trailing := utf8.RuneCountInString(text[len(strings.TrimRightFunc(text, isSpaceRune)):])
		if leading == 1 && t.prefixSpace && (i == 0 || o.Start == 0) {
			leading = 0 // it may be the space that was put before the text
		}
		if leading > 0 {
			o.Start = min(o.Start+leading, o.End)
		}
		if trailing > 0 && o.End >= trailing {
			o.End = max(o.End-trailing, o.Start)
		}
	}
}
