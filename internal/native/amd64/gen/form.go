package main

import (
	"fmt"
	"strconv"
	"strings"
)

// An op is an operation with its forms.
type op struct {
	name  string
	forms []*form
}

// A form is a row of the table that is written.
type form struct {
	args     []arg
	roles    string
	enc      string // L, V, E
	prefix   string
	space    string
	opcode   int
	ext      int
	tail     int
	wide     bool
	op16     bool
	length   int
	opsize   int
	imm      string
	disp     int
	swap     string
	features []string
	flags    []string
}

// width is one choice for what a line leaves open: the length of vectors, the size of general registers.
type width struct {
	vector string // x, y, z, or "" where there is no v
	gpr    int
}

var spaces = map[string]string{"M0": "0", "0F": "1", "0F38": "2", "0F3A": "3", "M5": "5", "M6": "6"}

// forms gives the forms that a line without alternatives stands for.
func (l line) forms() ([]*form, error) {
	enc := strings.Fields(l.encoding)
	if len(enc) < 3 {
		return nil, fmt.Errorf("the encoding %q is too short", l.encoding)
	}
	var out []*form
	for _, kind := range enc[1] {
		for _, w := range l.widths(string(kind)) {
			f, err := l.form(enc, string(kind), w)
			if err != nil {
				return nil, err
			}
			out = append(out, f)
		}
	}
	return out, nil
}

// widths lists the sizes of registers that the line stands for.
func (l line) widths(enc string) []width {
	vector, gpr := "", ""
	for _, o := range strings.Fields(l.operands) {
		switch class, _, _ := strings.Cut(o, "/"); class {
		case "v", "h", "q", "e", "mv":
			vector = "xy"
			if enc == "E" {
				vector = "xyz"
			}
		case "r", "mr", "acc":
			gpr = "all"
		case "R":
			gpr = "large"
		}
	}
	if _, after, ok := strings.Cut(l.flags, "len="); ok {
		vector = intersection(strings.Fields(after)[0], vector)
	}
	var out []width
	for _, v := range vector {
		out = append(out, width{vector: string(v)})
	}
	switch gpr {
	case "all":
		out = append(out, width{gpr: 16}, width{gpr: 32}, width{gpr: 64})
	case "large":
		out = append(out, width{gpr: 32}, width{gpr: 64})
	}
	if len(out) == 0 {
		out = append(out, width{})
	}
	return out
}

func intersection(a, b string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(b, r) {
			return r
		}
		return -1
	}, a)
}

func (l line) form(enc []string, kind string, w width) (*form, error) {
	f := &form{roles: enc[0], enc: kind, ext: -1, length: -1}
	if f.roles == "." {
		f.roles = ""
	}
	rest := enc[2:]
	if kind != "L" {
		if f.prefix = rest[0]; f.prefix == "NP" {
			f.prefix = ""
		}
		rest = rest[1:]
	}
	f.space = spaces[rest[0]]
	if f.space == "" {
		return nil, fmt.Errorf("unknown opcode space %q", rest[0])
	}
	if err := f.encoding(rest[1:], w); err != nil {
		return nil, err
	}
	for _, o := range strings.Fields(l.operands) {
		a, err := operand(o, w)
		if err != nil {
			return nil, err
		}
		if kind != "E" && a.has("Bcast") { // a line for VEX and EVEX: only the latter repeats elements
			a.classes, a.elem = a.classes[:len(a.classes)-1], 0
		}
		f.args = append(f.args, a)
	}
	if len(f.args) != len(f.roles) {
		return nil, fmt.Errorf("%d operands, %d places", len(f.args), len(f.roles))
	}
	f.size(w)
	f.feature(l.features, w)
	return f, f.flag(l.flags, w)
}

// encoding reads what follows the opcode space: the opcode and what modifies it.
func (f *form) encoding(tokens []string, w width) error {
	opcode := false
	for _, t := range tokens {
		switch {
		case t == "w0":
		case t == "w1":
			f.wide = true
		case t == "wx1":
			f.wide = f.enc == "E"
		case t == "l0" || t == "l1":
			f.length = int(t[1] - '0')
		case t[0] == 'p':
			f.prefix = t[1:]
		case t[0] == '/':
			f.ext = int(t[1] - '0')
		default:
			v, err := strconv.ParseUint(t, 16, 8)
			if err != nil {
				return err
			}
			if opcode {
				f.tail = int(v)
			} else {
				f.opcode, opcode = int(v), true
			}
		}
	}
	f.wide = f.wide || w.gpr == 64
	f.op16 = w.gpr == 16
	return nil
}

// size finds the vector length, the size of the operation and the kind of its immediate.
func (f *form) size(w width) {
	length := 0
	for _, a := range f.args {
		for i, class := range []string{"X", "Y", "Z"} {
			if a.has(class) {
				length = max(length, i)
			}
		}
		if a.imm != "" {
			f.imm = a.imm
		}
	}
	if f.length < 0 {
		f.length = max(length, strings.Index("xyz", w.vector))
	}
	f.opsize = w.gpr
	if f.opsize == 0 && f.enc == "L" {
		f.opsize = f.args0size()
	}
}

// args0size is the size of an operation on general registers whose line has no r.
func (f *form) args0size() int {
	if len(f.args) == 0 || f.wide {
		return 64
	}
	a := f.args[0]
	for i, class := range []string{"R8", "R16", "R32", "R64"} {
		if a.has(class) {
			return 8 << i
		}
	}
	if a.mem > 0 {
		return 8 * a.mem
	}
	return 64
}

func (f *form) feature(s string, w width) {
	if s == "" || s == "-" {
		return
	}
	v, e, both := strings.Cut(s, "/")
	if f.enc == "E" {
		if both {
			v = e
		}
		f.features = strings.Split(v, "+")
		if w.vector == "x" || w.vector == "y" {
			f.features = append(f.features, "AVX512VL")
		}
		return
	}
	if small, large, ok := strings.Cut(v, ":"); ok {
		if v = small; w.vector == "y" {
			v = large
		}
	}
	f.features = strings.Split(v, "+")
}
