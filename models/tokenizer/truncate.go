package tokenizer

import "fmt"

// A Strategy says which text of a pair is cut.
type Strategy int

const (
	// LongestFirst cuts the longer one first, and then both.
	LongestFirst Strategy = iota
	// OnlyFirst cuts the first one.
	OnlyFirst
	// OnlySecond cuts the second one.
	OnlySecond
)

// strategies are the names in a file.
var strategies = []string{"LongestFirst", "OnlyFirst", "OnlySecond"}

// A Truncation cuts what has too many tokens. The rest is in [Encoding.Overflowing].
type Truncation struct {
	// MaxLength is how many tokens stay, special ones among them.
	MaxLength int
	// Stride is how many tokens each part shares with the one before.
	Stride int
	// Strategy says what is cut of a pair.
	Strategy Strategy
	// Left keeps the end instead of the start.
	Left bool
}

func newTruncation(o *object) *Truncation {
	t := &Truncation{
		MaxLength: o.count("max_length", 0), Stride: o.count("stride", 0),
		Strategy: Strategy(o.choice("strategy", "", strategies...)), Left: o.choice("direction", "Right", "Right", "Left") == 1,
	}
	for _, name := range []string{"max_length", "stride"} {
		get[any](o, name)
	}
	return t
}

// apply cuts one or two encodings; added special tokens will join them.
func (t Truncation) apply(parts []*Encoding, added int) error {
	if t.Stride < 0 || t.Strategy < LongestFirst || t.Strategy > OnlySecond {
		return fmt.Errorf("tokenizer: %+v: a stride that is not negative and a known strategy are expected", t)
	}
	most := t.MaxLength - added
	if most < 0 {
		return fmt.Errorf("tokenizer: truncation to %d tokens leaves no place for %d special tokens", t.MaxLength, added)
	}
	if most == 0 {
		for _, e := range parts {
			if err := t.cut(e, 0); err != nil {
				return err
			}
		}
		return nil
	}
	total := 0
	for _, e := range parts {
		total += e.Len()
	}
	surplus := total - most
	if surplus <= 0 {
		return nil
	}
	if t.Strategy == LongestFirst {
		return t.longest(parts, most)
	}
	i := int(t.Strategy - OnlyFirst)
	if i >= len(parts) {
		return fmt.Errorf("tokenizer: truncation cuts only the second text, and there is none")
	}
	if parts[i].Len() <= surplus {
		return fmt.Errorf("tokenizer: text %d has %d tokens, and truncation to %d would have to cut %d of them",
			i, parts[i].Len(), t.MaxLength, surplus)
	}
	return t.cut(parts[i], parts[i].Len()-surplus)
}

func (t Truncation) longest(parts []*Encoding, most int) error {
	if len(parts) == 1 {
		return t.cut(parts[0], most)
	}
	short, long := parts[0], parts[1]
	if short.Len() > long.Len() {
		short, long = long, short
	}
	a := short.Len()
	b := max(a, most-a)
	if a+b > most {
		a = most / 2
		b = a + most%2
	}
	if err := t.cut(short, a); err != nil {
		return err
	}
	return t.cut(long, b)
}

// cut keeps most tokens of an encoding and puts the rest in its overflow.
func (t Truncation) cut(e *Encoding, most int) error {
	n := e.Len()
	if most >= n {
		return nil
	}
	if most == 0 {
		all := *e
		*e = Encoding{Overflowing: []*Encoding{&all}}
		return nil
	}
	if t.Stride >= most {
		return fmt.Errorf("tokenizer: truncation with a stride of %d needs more than the %d tokens that are left for a text", t.Stride, most)
	}
	step := most - t.Stride
	if parts := 1 + (n-most+step-1)/step; parts*most > maxTokens {
		return fmt.Errorf("tokenizer: truncation makes %d parts of %d tokens: at most %d tokens are supported", parts, most, maxTokens)
	}
	var parts []*Encoding
	for at := 0; ; at += step {
		start, end := at, min(at+most, n)
		if t.Left {
			start, end = max(n-at-most, 0), n-at
		}
		parts = append(parts, e.cut(start, end))
		if t.Left && start == 0 || !t.Left && end == n {
			break
		}
	}
	*e = *parts[0]
	e.Overflowing = parts[1:]
	return nil
}

// A Padding makes encodings longer.
type Padding struct {
	// Length is how many tokens there are then. 0 takes the longest encoding of a batch.
	Length int
	// MultipleOf makes the length larger until this divides it; 0 and 1 do nothing.
	MultipleOf int
	// Left puts the padding before the tokens.
	Left bool
	// ID, TypeID and Token are what padding consists of.
	ID, TypeID int32
	Token      string

	fixed bool // Length holds even where it is 0
}

func newPadding(o *object) *Padding {
	p := &Padding{
		MultipleOf: o.count("pad_to_multiple_of", 0), Left: o.choice("direction", "", "Right", "Left") == 1,
		ID: get[int32](o, "pad_id"), TypeID: get[int32](o, "pad_type_id"), Token: get[string](o, "pad_token"),
	}
	if string(o.fields["strategy"]) != `"BatchLongest"` {
		sub := o.object("strategy")
		if sub == nil || sub.err != nil || sub.fields["Fixed"] == nil {
			o.err = nil
			o.fail("strategy", `"BatchLongest" or {"Fixed": n} is expected, found %s`, brief(o.fields["strategy"]))
			return p
		}
		p.Length, p.fixed = sub.count("Fixed", 0), true
		o.take(sub)
	}
	return p
}

// apply pads encodings to one length.
func (p Padding) apply(batch []*Encoding) error {
	if p.Length < 0 || p.MultipleOf < 0 {
		return fmt.Errorf("tokenizer: %+v: lengths that are not negative are expected", p)
	}
	n := p.Length
	if n == 0 && !p.fixed {
		for _, e := range batch {
			n = max(n, e.Len())
		}
	}
	if m := p.MultipleOf; m > 1 && n%m > 0 {
		n += m - n%m
	}
	if n > maxPadding {
		return fmt.Errorf("tokenizer: padding to %d tokens: at most %d are supported", n, maxPadding)
	}
	for _, e := range batch {
		if parts := 1 + len(e.Overflowing); parts > 1 && parts*n > maxTokens {
			return fmt.Errorf("tokenizer: padding %d parts of one text to %d tokens: at most %d tokens are supported", parts, n, maxTokens)
		}
		p.pad(e, n)
	}
	return nil
}

func (p Padding) pad(e *Encoding, n int) {
	for _, o := range e.Overflowing {
		p.pad(o, n)
	}
	short := n - e.Len()
	if short <= 0 {
		return
	}
	tokens, ids := make([]string, short), make([]int32, short)
	for i := range ids {
		tokens[i], ids[i] = p.Token, p.ID
	}
	fill := special(tokens, ids, p.TypeID)
	clear(fill.AttentionMask)
	if !p.Left {
		e.join(fill)
		return
	}
	overflow := e.Overflowing
	fill.join(e)
	*e = *fill
	e.Overflowing = overflow
}
