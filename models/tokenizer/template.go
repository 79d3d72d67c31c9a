package tokenizer

import "fmt"

// A template says what a single text and a pair become.
type template struct {
	single, pair []templatePart
	counts       [2]int
}

// A templatePart is a text or special tokens.
type templatePart struct {
	text   int // 0 or 1, or -1 for special tokens
	kind   int32
	tokens []string
	ids    []int32
}

func newTemplate(o *object) processor {
	t := &template{}
	tokens := o.object("special_tokens")
	if tokens == nil {
		o.fail("special_tokens", "missing")
		return t
	}
	o.take(tokens)
	if o.err != nil {
		return t
	}
	t.single, t.counts[0] = templateParts(o, "single", tokens, 1)
	t.pair, t.counts[1] = templateParts(o, "pair", tokens, 2)
	return t
}

// maxTemplate is how many parts a template may have.
const maxTemplate = 64

// templateParts reads the parts for one or two texts.
func templateParts(o *object, name string, tokens *object, texts int) (parts []templatePart, added int) {
	list := o.list(name)
	if len(list) > maxTemplate {
		o.fail(name, "%d parts: at most %d are supported", len(list), maxTemplate)
		return nil, 0
	}
	for _, sub := range list {
		part := templatePart{text: -1}
		if s := sub.object("Sequence"); s != nil {
			part.text, part.kind = s.choice("id", "", "A", "B"), get[int32](s, "type_id")
			if part.text >= texts {
				s.fail("id", "there is no text B in the template of one text")
			}
			sub.take(s)
		} else if s := sub.object("SpecialToken"); s != nil {
			id := get[string](s, "id")
			part.kind = get[int32](s, "type_id")
			if t := tokens.object(id); t != nil {
				part.ids, part.tokens = get[[]int32](t, "ids"), get[[]string](t, "tokens")
				if len(part.ids) != len(part.tokens) {
					t.fail("ids", "there are %d ids and %d tokens", len(part.ids), len(part.tokens))
				}
				s.take(t)
			} else {
				s.fail("id", "%q is not among the special_tokens", id)
			}
			added += len(part.ids)
			sub.take(s)
		} else {
			sub.fail("", `a Sequence or a SpecialToken is expected, found %s`, brief(o.fields[name]))
		}
		o.take(sub)
		parts = append(parts, part)
	}
	return parts, added
}

func (t *template) added(pair bool) int {
	if pair {
		return t.counts[1]
	}
	return t.counts[0]
}

func (t *template) process(parts []*Encoding, addSpecial bool) ([]*Encoding, error) {
	list := t.single
	switch len(parts) {
	case 1:
	case 2:
		list = t.pair
	default:
		return nil, fmt.Errorf("tokenizer: a template takes one or two texts; the post-processor before it makes %d parts", len(parts))
	}
	total, most := 0, maxTokens
	for _, e := range parts {
		most += 4 * e.size()
	}
	for _, p := range list {
		if total += len(p.ids); p.text >= 0 {
			total += parts[p.text].size()
		}
	}
	if total > most {
		return nil, fmt.Errorf("tokenizer: the template makes %d tokens: at most %d are supported here", total, most)
	}
	var out []*Encoding
	for _, p := range list {
		switch {
		case p.text >= 0:
			e := parts[p.text]
			e.setTypes(p.kind)
			out = append(out, e.clone())
		case addSpecial:
			out = append(out, special(p.tokens, p.ids, p.kind))
		}
	}
	return out, nil
}
