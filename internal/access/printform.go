package access

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

func (p *printer) bound(b Bound) string {
	var parts []string
	for d, c := range b.Coefs {
		if c != 0 {
			parts = append(parts, times(c, []string{"i" + strconv.Itoa(d)}))
		}
	}
	return sumOf(parts) + " < " + p.form(b.Less)
}

// form writes a form, such as 64*%blockId_x + i0 - 1.
func (p *printer) form(f Form) string {
	var parts []string
	for _, t := range f.Terms {
		var atoms []string
		for _, a := range t.Atoms {
			atoms = append(atoms, p.atom(a))
		}
		parts = append(parts, times(t.Coef, atoms))
	}
	if f.Const != 0 {
		parts = append(parts, strconv.FormatInt(f.Const, 10))
	}
	return sumOf(parts)
}

func times(n int64, atoms []string) string {
	product := strings.Join(atoms, "*")
	switch n {
	case 1:
		return product
	case -1:
		return "-" + product
	}
	return strconv.FormatInt(n, 10) + "*" + product
}

func sumOf(parts []string) string {
	if len(parts) == 0 {
		return "0"
	}
	return strings.ReplaceAll(strings.Join(parts, " + "), "+ -", "- ")
}

func (p *printer) atom(a Atom) string {
	switch a.Kind {
	case Index:
		return "i" + strconv.Itoa(a.Axis)
	case Element:
		var dims []string
		for d := range a.Value.Type.(*tileir.TileType).Shape {
			to, ok := a.Along(d)
			if dims = append(dims, "0"); ok {
				dims[d] = "i" + strconv.Itoa(to)
			}
		}
		return p.names[a.Value] + "[" + strings.Join(dims, ", ") + "]"
	}
	return p.names[a.Value]
}

// strides writes how the indices of a tile count the elements of a source.
func (p *printer) strides(s Source, v *tileir.Value) string {
	list, ok := s.Strides(shapeOf(v))
	if !ok {
		return ""
	}
	return " by strides " + strings.ReplaceAll(fmt.Sprint(list), " ", ", ")
}

// bits writes where the bits of the source's index come from, highest first, unless strides say the same.
func (p *printer) bits(s Source, v *tileir.Value) string {
	if s.Direct(v.Type.(*tileir.TileType).Size()) {
		return ", element by element"
	}
	fixed := slices.ContainsFunc(s.Bits, func(b Bit) bool { return b.Of != nil || b.N < 0 && b.Set })
	if text := p.strides(s, v); text != "" && !fixed {
		return text
	}
	words := make([]string, len(s.Bits))
	for i, b := range s.Bits {
		words[len(words)-1-i] = p.bit(b)
	}
	return ", index bits " + strings.Join(words, " ")
}

func (p *printer) bit(b Bit) string {
	switch {
	case b.Of != nil:
		return fmt.Sprintf("%s.%d", p.names[b.Of], b.N)
	case b.N >= 0:
		return strconv.Itoa(b.N)
	case b.Set:
		return "one"
	}
	return "zero"
}

func (p *printer) when(s Source) (text string) {
	for i, b := range s.When {
		word := map[bool]string{true: " and ", false: ", where bit "}[i > 0]
		text += word + p.bit(Bit{Of: b.Of, N: b.N}) + map[bool]string{true: " is one", false: " is zero"}[b.Set]
	}
	return text
}
