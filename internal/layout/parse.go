package layout

import (
	"fmt"
	"strconv"
	"strings"
)

// SyntaxError is a text that is not in CuTe's notation.
type SyntaxError struct {
	Text   string
	Offset int // of the byte where reading stopped
	Msg    string
}

// Error reads `at byte 3 of "(4,": expected ...`.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("at byte %d of %q: %s", e.Offset, e.Text, e.Msg)
}

const (
	maxNesting = 100 // of parentheses
	maxPath    = 255 // mode in a basis stride
)

// Parse reads a [Tuple], [Layout], [ByMode], [Swizzle] or [Composed] as they print. Blanks count nothing.
func Parse(text string) (fmt.Stringer, error) {
	p := &parser{text: text}
	v, err := p.value()
	if err == nil && p.peek() != 0 {
		err = p.fail("unexpected text")
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// ParseTuple reads a shape, stride or coordinate: 7, _, (4,(2,3)), ?{div=8}, 1@0.
func ParseTuple(text string) (Tuple, error) { return parseAs[Tuple](text, "a tuple") }

// ParseLayout reads a layout: (4,8):(1,4).
func ParseLayout(text string) (Layout, error) { return parseAs[Layout](text, "a layout") }

// ParseTiler reads what a layout is divided by: a layout or [4:1;_;8].
func ParseTiler(text string) (Tiler, error) { return parseAs[Tiler](text, "a tiler") }

// ParseComposed reads S<3,4,3> o 0 o (8,64):(64,1).
func ParseComposed(text string) (Composed, error) {
	return parseAs[Composed](text, "a swizzled layout")
}

func parseAs[V any](text, what string) (V, error) {
	var zero V
	v, err := Parse(text)
	if err != nil {
		return zero, err
	}
	r, ok := v.(V)
	if !ok {
		return zero, &SyntaxError{text, 0, "expected " + what}
	}
	return r, nil
}

type parser struct {
	text    string
	at      int
	nesting int
}

func (p *parser) fail(format string, args ...any) error {
	return &SyntaxError{p.text, p.at, fmt.Sprintf(format, args...)}
}

// peek gives the next byte that is no blank, 0 at the end.
func (p *parser) peek() byte {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// take reads a piece of text if it comes next.
func (p *parser) take(s string) bool {
	p.peek()
	ok := strings.HasPrefix(p.text[p.at:], s)
	if ok {
		p.at += len(s)
	}
	return ok
}

func (p *parser) need(s string) error {
	if !p.take(s) {
		return p.fail("expected %s", s)
	}
	return nil
}

func (p *parser) value() (fmt.Stringer, error) {
	switch p.peek() {
	case '[':
		return p.byMode()
	case 'S':
		return p.swizzle()
	}
	return p.layoutOrTuple()
}

func (p *parser) layoutOrTuple() (fmt.Stringer, error) {
	shape, err := p.tuple()
	if err != nil || !p.take(":") {
		return shape, err
	}
	stride, err := p.tuple()
	if err != nil {
		return nil, err
	}
	l, err := New(shape, stride)
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (p *parser) byMode() (fmt.Stringer, error) {
	b := ByMode{}
	p.take("[")
	for !p.take("]") {
		if len(b) > 0 {
			if err := p.need(";"); err != nil {
				return nil, err
			}
		}
		v, err := p.layoutOrTuple()
		if err != nil {
			return nil, err
		}
		switch v := v.(type) {
		case Layout:
			b = append(b, Entry{Layout: v})
		case Tuple:
			one, err := Tile(T(v))
			if err != nil {
				return nil, p.fail("an entry of a tiler is a layout, an integer or _")
			}
			b = append(b, one.(ByMode)...)
		}
	}
	return b, nil
}

func (p *parser) swizzle() (fmt.Stringer, error) {
	var parts [3]int64
	for i, before := range []string{"S<", ",", ","} {
		if err := p.need(before); err != nil {
			return nil, err
		}
		n, err := p.number()
		if err != nil {
			return nil, err
		}
		parts[i] = n
	}
	if err := p.need(">"); err != nil {
		return nil, err
	}
	s, err := NewSwizzle(int(parts[0]), int(parts[1]), int(parts[2]))
	if err != nil || !p.take("o") {
		return s, err
	}
	off, err := p.integer()
	if err != nil {
		return nil, err
	}
	if err := p.need("o"); err != nil {
		return nil, err
	}
	inner, err := p.layoutOrTuple()
	if err != nil {
		return nil, err
	}
	l, ok := inner.(Layout)
	if !ok {
		return nil, p.fail("expected a layout")
	}
	return Composed{s, off, l}, nil
}

func (p *parser) tuple() (Tuple, error) {
	switch p.peek() {
	case '_':
		p.at++
		return All, nil
	case '(':
		return p.list()
	}
	n, err := p.integer()
	if err != nil {
		return Tuple{}, err
	}
	var path []int
	for p.take("@") {
		i, err := p.number()
		if err != nil {
			return Tuple{}, err
		}
		if i < 0 || i > maxPath || len(path) == maxNesting {
			return Tuple{}, p.fail("a mode is a number from 0 to %d", maxPath)
		}
		path = append([]int{int(i)}, path...)
	}
	return Basis(n, path...), nil
}

func (p *parser) list() (Tuple, error) {
	p.take("(")
	if p.nesting++; p.nesting > maxNesting {
		return Tuple{}, p.fail("more than %d parentheses deep", maxNesting)
	}
	defer func() { p.nesting-- }()
	t := T()
	for !p.take(")") {
		if len(t.list) > 0 {
			if err := p.need(","); err != nil {
				return Tuple{}, err
			}
		}
		m, err := p.tuple()
		if err != nil {
			return Tuple{}, err
		}
		t.list = append(t.list, m)
	}
	return t, nil
}

// integer reads 7, ?, ?{div=8}, ?{i64} or ?{i64 div=8}.
func (p *parser) integer() (Int, error) {
	if !p.take("?") {
		n, err := p.number()
		return Int{n: n}, err
	}
	if !p.take("{") {
		return Sym(1, false, nil), nil
	}
	wide, div := p.take("i64"), int64(1)
	if p.take("div=") {
		var err error
		if div, err = p.number(); err != nil {
			return Int{}, err
		}
		if div < 1 {
			return Int{}, p.fail("a divisor must be positive")
		}
	} else if !wide {
		return Int{}, p.fail("expected i64 or div=")
	}
	return Sym(int(div), wide, nil), p.need("}")
}

func (p *parser) number() (int64, error) {
	p.peek()
	end := p.at
	if end < len(p.text) && p.text[end] == '-' {
		end++
	}
	for end < len(p.text) && p.text[end] >= '0' && p.text[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(p.text[p.at:end], 10, 64)
	if err != nil {
		return 0, p.fail("expected an integer of 64 bits")
	}
	p.at = end
	return n, nil
}
