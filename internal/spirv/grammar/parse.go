package grammar

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// categories names the categories as grammar.txt does.
var categories = map[string]Category{"value": Value, "bits": Bits, "id": ID, "literal": Literal, "composite": Composite}

// parser reads the table. Kinds come before what uses them, so that one pass does.
type parser struct {
	g            *Grammar
	capabilities map[string]uint32
	kind         *Kind // the indented lines belong to
	set          *Set
}

// parse reads the table.
func parse(text string) (*Grammar, error) {
	p := &parser{
		g:            &Grammar{Tools: map[uint32]string{}, codes: make([]*Op, 1<<16), names: map[string]*Kind{}},
		capabilities: map[string]uint32{},
	}
	lines := strings.Split(text, "\n")
	p.declare(lines)
	for i, line := range lines {
		if line == "" || line[0] == '#' {
			continue
		}
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("line %d, %q: %w", i+1, line, err)
		}
	}
	slices.SortFunc(p.g.Ops, func(a, b *Op) int { return cmp.Compare(a.Code, b.Code) })
	return p.g, nil
}

// declare makes the kinds and learns the capabilities, which lines before theirs may name.
func (p *parser) declare(lines []string) {
	kind := ""
	for _, line := range lines {
		f := strings.Fields(line)
		switch {
		case len(f) > 2 && f[0] == "kind":
			kind = f[1]
			k := &Kind{Name: kind, Category: categories[f[2]], values: map[uint32]*Enumerant{}}
			p.g.names[kind] = k
			p.g.Kinds = append(p.g.Kinds, k)
		case len(f) > 1 && kind == "Capability" && line[0] == ' ':
			value, _ := strconv.ParseUint(f[0], 0, 32)
			p.capabilities[strings.Split(f[1], "/")[0]] = uint32(value)
		}
	}
}

func (p *parser) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "kind":
		return p.startKind(strings.Fields(rest))
	case "set":
		p.set, p.kind = &Set{Name: rest, codes: map[uint32]*Op{}}, nil
		p.g.Sets = append(p.g.Sets, p.set)
		return nil
	case "tool":
		number, name, _ := strings.Cut(rest, " ")
		n, err := strconv.ParseUint(number, 0, 16)
		p.g.Tools[uint32(n)] = name
		return err
	case "op":
		code, e, class, err := p.entry(rest, true)
		op := &Op{Code: code, Name: e.Name, Aliases: e.Aliases, Class: class, Operands: e.Params, Needs: e.Needs}
		p.g.Ops = append(p.g.Ops, op)
		if code >= uint32(len(p.g.codes)) {
			return fmt.Errorf("code %d has more than 16 bits", code)
		}
		p.g.codes[code] = op
		return err
	}
	value, e, _, err := p.entry(strings.TrimSpace(line), false)
	switch {
	case p.kind != nil:
		p.kind.Enumerants = append(p.kind.Enumerants, e)
		p.kind.values[value] = e
	case p.set != nil:
		op := &Op{Code: value, Name: e.Name, Operands: e.Params, Needs: e.Needs}
		p.set.Ops = append(p.set.Ops, op)
		p.set.codes[value] = op
	default:
		err = fmt.Errorf("there is no kind or set before it")
	}
	return err
}

func (p *parser) startKind(f []string) error {
	if len(f) < 2 {
		return fmt.Errorf("expected a name and a category")
	}
	p.kind, p.set = p.g.names[f[0]], nil
	for _, base := range f[2:] {
		b, ok := p.g.names[base]
		if !ok {
			return fmt.Errorf("there is no kind %q", base)
		}
		p.kind.Bases = append(p.kind.Bases, b)
	}
	return nil
}

// entry reads what ops and enumerants have in common: number, names, perhaps a class, operands and needs.
func (p *parser) entry(line string, class bool) (code uint32, e *Enumerant, chapter string, err error) {
	left, right, _ := strings.Cut(line, " | ")
	f := strings.Fields(left)
	if len(f) < 2 || class && len(f) < 3 {
		return 0, &Enumerant{}, "", fmt.Errorf("expected a number and a name")
	}
	n, err := strconv.ParseUint(f[0], 0, 32)
	if err != nil {
		return 0, &Enumerant{}, "", err
	}
	names := strings.Split(f[1], "/")
	e = &Enumerant{Value: uint32(n), Name: names[0], Aliases: names[1:]}
	f = f[2:]
	if class {
		chapter, f = f[0], f[1:]
	}
	for _, word := range f {
		s, err := p.slot(word)
		if err != nil {
			return 0, e, "", err
		}
		e.Params = append(e.Params, s)
	}
	e.Needs, err = p.needs(right)
	return uint32(n), e, chapter, err
}

func (p *parser) slot(word string) (s Slot, err error) {
	if name, ok := strings.CutSuffix(word, "?"); ok {
		word, s.Many = name, Maybe
	} else if name, ok := strings.CutSuffix(word, "*"); ok {
		word, s.Many = name, Any
	}
	k, ok := p.g.names[word]
	if !ok {
		return s, fmt.Errorf("there is no kind %q", word)
	}
	s.Kind = k
	return s, nil
}

func (p *parser) needs(s string) (n Needs, err error) {
	for i, word := range strings.Fields(s) {
		switch c, ok := p.capabilities[word]; {
		case i == 0:
			since, until, _ := strings.Cut(word, "-")
			n.Since, n.Until = version(since), version(until)
		case strings.HasPrefix(word, "SPV_"):
			n.Extensions = append(n.Extensions, word)
		case ok:
			n.Capabilities = append(n.Capabilities, c)
		default:
			return n, fmt.Errorf("%q is neither a capability nor an extension", word)
		}
	}
	return n, nil
}

// version reads "1.5"; nothing is 0.
func version(s string) Version {
	major, minor, ok := strings.Cut(s, ".")
	a, err1 := strconv.ParseUint(major, 10, 8)
	b, err2 := strconv.ParseUint(minor, 10, 8)
	if !ok || err1 != nil || err2 != nil {
		return 0
	}
	return Version(a<<16 | b<<8)
}
