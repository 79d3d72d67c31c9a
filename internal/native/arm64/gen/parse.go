package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxOperands is the largest number of operands of a form.
const maxOperands = 4

// A form is a row for one entry of its set and one choice of addresses.
type form struct {
	bits     uint32
	features []string
	args     []pattern
}

// An op is an operation with its forms.
type op struct {
	name  string
	forms []form
}

// An entry is an entry of a set.
type entry struct {
	views   []view
	bits    uint32
	feature string
}

// parse reads the lines and gives every operation, sorted by name.
func parse(text string) ([]*op, error) {
	sets := map[string][]entry{"-": {{feature: "-"}}}
	byName := map[string]*op{}
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		err := parseLine(words, sets, byName)
		if err != nil {
			return nil, fmt.Errorf("forms.txt:%d: %w", i+1, err)
		}
	}
	var ops []*op
	for _, o := range byName {
		ops = append(ops, o)
	}
	slices.SortFunc(ops, func(a, b *op) int { return strings.Compare(a.name, b.name) })
	return ops, nil
}

func parseLine(words []string, sets map[string][]entry, ops map[string]*op) error {
	if words[0] == "set" {
		for _, w := range words[2:] {
			e, err := parseEntry(w)
			if err != nil {
				return err
			}
			sets[words[1]] = append(sets[words[1]], e)
		}
		return nil
	}
	if len(words) < 4 || sets[words[2]] == nil {
		return fmt.Errorf("a row needs mnemonic, bits, a known set and a feature")
	}
	o := ops[words[0]]
	if o == nil {
		o = &op{name: words[0]}
		ops[o.name] = o
	}
	for _, e := range sets[words[2]] {
		forms, err := row(words, e)
		if err != nil {
			return err
		}
		o.forms = append(o.forms, forms...)
	}
	return nil
}

// parseEntry reads an entry of a set, such as 4s,s:40000000 or h:00c00000:fp16.
func parseEntry(text string) (entry, error) {
	parts := append(strings.Split(text, ":"), "-", "-")
	e := entry{feature: parts[2]}
	for name := range strings.SplitSeq(parts[0], ",") {
		v, ok := viewByName(name)
		if !ok {
			return e, fmt.Errorf("there is no view %q", name)
		}
		e.views = append(e.views, v)
	}
	bits, err := strconv.ParseUint(parts[1], 16, 32)
	e.bits = uint32(bits)
	return e, err
}

// row gives the forms of a row for one entry of its set.
func row(words []string, e entry) ([]form, error) {
	bits, err := strconv.ParseUint(words[1], 16, 32)
	if err != nil {
		return nil, err
	}
	start := form{bits: uint32(bits) ^ e.bits}
	for _, name := range []string{words[3], e.feature} {
		if name == "-" {
			continue
		}
		if featureConstants[name] == "" {
			return nil, fmt.Errorf("there is no feature %q", name)
		}
		start.features = append(start.features, name)
	}
	return expand(start, e, words[4:])
}

// expand gives the forms that start as f and go on with operands, one for each choice of addresses, with and without an
// operand that may be missing.
func expand(f form, e entry, words []string) ([]form, error) {
	if len(words) == 0 {
		return []form{f}, nil
	}
	if len(f.args) == maxOperands {
		return nil, fmt.Errorf("more than %d operands", maxOperands)
	}
	var forms []form
	word, optional := strings.CutSuffix(words[0], "?")
	if optional {
		forms = append(forms, f)
	}
	choices, err := choose(word, e, f)
	if err != nil {
		return nil, err
	}
	for _, c := range choices {
		next := form{bits: f.bits ^ c.bits, features: f.features, args: append(slices.Clone(f.args), c.pattern)}
		more, err := expand(next, e, words[1:])
		if err != nil {
			return nil, err
		}
		forms = append(forms, more...)
	}
	return forms, nil
}

// choose gives the ways to match an operand.
func choose(word string, e entry, f form) ([]choice, error) {
	name, of, _ := strings.Cut(word, "/")
	if all := addresses[name]; all != nil {
		size, err := accessSize(name, of, e, f)
		sized := slices.Clone(all)
		for i := range sized {
			sized[i].arg = size
		}
		return sized, err
	}
	if before, field, ok := strings.Cut(word, ":"); ok {
		p, err := register(before, field, e)
		return []choice{{pattern: p}}, err
	}
	p, err := constant(name, of, e)
	return []choice{{pattern: p}}, err
}

// constant reads a constant, a shift, a name or a label.
func constant(name, of string, e entry) (p pattern, err error) {
	name, at, _ := strings.Cut(name, "@")
	if at != "" {
		if p.pos, err = strconv.Atoi(at); err != nil {
			return p, err
		}
	}
	if of != "" {
		v, err := boundView(of, e)
		if err != nil {
			return p, err
		}
		p.arg = v.size
	}
	if digits, ok := strings.CutPrefix(name, "u"); ok && strings.Trim(digits, "0123456789") == "" {
		if p.arg, err = strconv.Atoi(digits); err != nil {
			return p, err
		}
		name = "unsigned"
	}
	kind, ok := kindOf(name)
	if !ok {
		return p, fmt.Errorf("there is no operand %q", name)
	}
	p.kind, p.enc = kind, name
	return p, nil
}

// accessSize gives the number of bytes that an address reaches.
func accessSize(name, of string, e entry, f form) (int, error) {
	switch {
	case name == "prfmem":
		return 8, nil
	case name != "vmem":
		v, err := boundView(of, e)
		return v.bytes(), err
	}
	list := f.args[0]
	v, err := boundView(list.view, e)
	if list.kind == "ListLane" || of == "e" {
		return v.size * list.arg, err
	}
	return v.bytes() * list.arg, err
}

// register reads what stands before and after the colon of a register, an element or a list.
func register(word, field string, e entry) (p pattern, err error) {
	place, ok := fields[field]
	if !ok {
		return p, fmt.Errorf("there is no field %q", field)
	}
	p = pattern{kind: "Reg", enc: place.enc, pos: place.pos}
	if count, rest, ok := strings.Cut(word, "*"); ok {
		p.kind, p.enc, word = "List", "list", rest
		if p.arg, err = strconv.Atoi(count); err != nil {
			return p, err
		}
	}
	word, p.sp = strings.CutSuffix(word, "|sp")
	name, index, isLane := strings.Cut(strings.TrimSuffix(word, "]"), "[")
	v, err := boundView(name, e)
	p.view = v.name
	if !isLane || err != nil {
		return p, err
	}
	if index == "1" {
		index, p.arg = "fixed", 1
	}
	if p.kind, ok = kindOf(index); !ok {
		return p, fmt.Errorf("there is no index %q", index)
	}
	p.enc = index
	return p, nil
}

// boundView gives the view of a name, or that of T, U or V in the entry of the set.
func boundView(name string, e entry) (view, error) {
	if i := strings.Index("TUV", name); i >= 0 && i < len(e.views) && name != "" {
		return e.views[i], nil
	}
	if v, ok := viewByName(name); ok {
		return v, nil
	}
	return view{}, fmt.Errorf("there is no view %q", name)
}
