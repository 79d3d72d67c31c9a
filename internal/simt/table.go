package simt

import (
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed forms.txt
var formsText string

// table reads the table of forms once.
var table = sync.OnceValue(func() *formTable {
	t := &formTable{sets: map[string][]string{}, byHead: map[string][]*row{}, specials: map[string]special{}}
	effect := Pure
	for n, line := range strings.Split(formsText, "\n") {
		line = strings.TrimSpace(line)
		name, isEffect := strings.CutPrefix(line, "!")
		switch {
		case line == "" || line[0] == '#':
		case isEffect:
			effect = map[string]Effect{"pure": Pure, "device": Device, "flow": Flow, "any": Any}[name]
		default:
			if err := t.line(line, effect); err != nil {
				panic(fmt.Sprintf("BUG: forms.txt:%d: %v", n+1, err))
			}
		}
	}
	return t
})

// formTable is the table of forms as it was read.
type formTable struct {
	sets         map[string][]string
	rows         []*row
	byHead       map[string][]*row // by the part of the opcode before its first dot
	specials     map[string]special
	specialNames []string
}

// special is a special register.
type special struct {
	typ   string
	since Since
}

// row is a line of the table.
type row struct {
	parts  []part
	sigs   string // as written: what operands say depends on the variables of the opcode
	since  Since
	effect Effect
}

// part is a piece of an opcode: one of several texts, which operands refer to by a capital letter.
type part struct {
	alts []string
	name string
}

// line reads a line of the table.
func (t *formTable) line(line string, effect Effect) error {
	head, rest, _ := strings.Cut(line, " ")
	rest, at, dated := strings.Cut(rest, "@")
	rest = strings.TrimSpace(rest)
	since := Since{PTX: 10, SM: 10}
	if dated {
		var err error
		if since, err = parseSince(at); err != nil {
			return err
		}
	}
	switch {
	case head[0] == '$':
		words, err := t.alternatives(strings.Join(strings.Fields(strings.TrimPrefix(rest, "=")), "|"))
		t.sets[head] = words
		return err
	case head == "special":
		return t.special(strings.Fields(rest), since)
	}
	parts, err := t.pattern(head)
	if err != nil {
		return err
	}
	r := &row{parts, rest, since, effect}
	t.rows = append(t.rows, r)
	for _, name := range heads(parts, "") {
		if !slices.Contains(t.byHead[name], r) {
			t.byHead[name] = append(t.byHead[name], r)
		}
	}
	return nil
}

// special reads a line of special registers.
func (t *formTable) special(words []string, since Since) error {
	for _, pattern := range words[1:] {
		parts, err := t.pattern(pattern)
		if err != nil {
			return err
		}
		for name := range (&row{parts: parts}).all() {
			t.specials[name] = special{words[0], since}
			t.specialNames = append(t.specialNames, name)
		}
	}
	return nil
}

// parseSince reads "8.0 90", "8.0 90a,100a" or two such dates, "8.1 89 7.8 90".
func parseSince(s string) (Since, error) {
	var since Since
	words := strings.Fields(s)
	if len(words) == 4 {
		also, err := parseSince(strings.Join(words[2:], " "))
		if err != nil {
			return since, err
		}
		since.Or, words = &also, words[:2]
	}
	if len(words) != 2 {
		return since, fmt.Errorf("%q is not a version of PTX and an architecture, once or twice", s)
	}
	version, arch := words[0], words[1]
	n, err := strconv.Atoi(strings.Replace(version, ".", "", 1))
	if err != nil {
		return since, fmt.Errorf("%q is not a version of PTX", version)
	}
	since.PTX = n
	if since.SM, err = strconv.Atoi(arch); err == nil {
		return since, nil
	}
	for a := range strings.SplitSeq(arch, ",") {
		since.Exact = append(since.Exact, "sm_"+a)
	}
	since.SM, err = strconv.Atoi(strings.TrimSuffix(strings.Split(arch, ",")[0], "a"))
	return since, err
}

// pattern splits an opcode into its parts.
func (t *formTable) pattern(s string) ([]part, error) {
	var parts []part
	for s != "" {
		literal, rest, ok := strings.Cut(s, "{")
		if literal != "" {
			parts = append(parts, part{alts: []string{literal}})
		}
		if !ok {
			break
		}
		inside, after, ok := strings.Cut(rest, "}")
		if !ok {
			return nil, fmt.Errorf("%q lacks a brace", s)
		}
		p := part{}
		if len(inside) > 1 && inside[1] == ':' && inside[0] >= 'A' && inside[0] <= 'Z' {
			p.name, inside = inside[:1], inside[2:]
		}
		var err error
		if p.alts, err = t.alternatives(inside); err != nil {
			return nil, err
		}
		parts, s = append(parts, p), after
	}
	return parts, nil
}

// alternatives reads texts between bars, of which some are names of sets.
func (t *formTable) alternatives(s string) ([]string, error) {
	var alts []string
	for _, a := range strings.Split(s, "|") {
		if !strings.HasPrefix(a, "$") {
			alts = append(alts, a)
			continue
		}
		set, ok := t.sets[a]
		if !ok {
			return nil, fmt.Errorf("there is no set %s", a)
		}
		alts = append(alts, set...)
	}
	return alts, nil
}

// all gives every opcode of a row.
func (r *row) all() iter.Seq[string] {
	return func(yield func(string) bool) { expand(r.parts, "", yield) }
}

func expand(parts []part, before string, yield func(string) bool) bool {
	if len(parts) == 0 {
		return yield(before)
	}
	for _, a := range parts[0].alts {
		if !expand(parts[1:], before+a, yield) {
			return false
		}
	}
	return true
}

// heads are the beginnings of a row's opcodes up to the first dot.
func heads(parts []part, before string) []string {
	head, _, dotted := strings.Cut(before, ".")
	if dotted || len(parts) == 0 {
		return []string{head}
	}
	var all []string
	for _, a := range parts[0].alts {
		all = append(all, heads(parts[1:], before+a)...)
	}
	return all
}

// match finds what the variables of parts stand for in op.
func match(parts []part, op string, vars map[byte]string) bool {
	if len(parts) == 0 {
		return op == ""
	}
	p := parts[0]
	for _, a := range p.alts {
		if rest, ok := strings.CutPrefix(op, a); ok && match(parts[1:], rest, vars) {
			if p.name != "" {
				vars[p.name[0]] = a
			}
			return true
		}
	}
	return false
}

// find makes the form of an opcode from all rows that have it: nil if none does.
func (t *formTable) find(op string) *Form {
	head, _, _ := strings.Cut(op, ".")
	var f *Form
	for _, r := range t.byHead[head] {
		vars := map[byte]string{}
		if !match(r.parts, op, vars) {
			continue
		}
		if f == nil {
			f = &Form{Op: op, Effect: r.effect}
		}
		for text := range strings.SplitSeq(r.sigs, ";") {
			for _, sig := range optional(text) {
				f.Sigs = append(f.Sigs, parseSig(sig, vars, r.since))
			}
		}
	}
	return f
}
