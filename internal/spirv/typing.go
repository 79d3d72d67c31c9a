package spirv

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/spirv/grammar"
)

//go:embed typing.txt
var typingText string

// rule says what types an instruction has.
type rule struct {
	result   term
	operands []term
}

// term is what a type is, alone or beside another.
type term struct {
	first    bool // beside the first operand, not the result
	relation byte // '=', '~', '#', '.', '*', '^'; 0 for a result
	other    bool // of another width
	kind     string
	widths   []uint32 // that are allowed; none for all
}

// ruleKey names an instruction.
type ruleKey struct {
	glsl bool
	code uint32
}

// rules reads typing.txt.
var rules = sync.OnceValue(func() map[ruleKey]*rule {
	table, glsl := map[ruleKey]*rule{}, false
	for _, line := range strings.Split(typingText, "\n") {
		if line == "GLSL" {
			glsl = true
		}
		names, types, ok := strings.Cut(line, " : ")
		if !ok || line[0] == '#' {
			continue
		}
		left, right, _ := strings.Cut(types, " = ")
		r := &rule{result: termOf(left)}
		for _, word := range strings.Fields(right) {
			r.operands = append(r.operands, termOf(word))
		}
		for _, name := range strings.Fields(names) {
			table[keyOf(name, glsl)] = r
		}
	}
	return table
})

// codes are the codes of instructions by name.
type codes struct {
	ops, glsl map[string]uint32
}

// ofGrammar collects the names.
var ofGrammar = sync.OnceValue(func() codes {
	g := grammar.Get()
	c := codes{map[string]uint32{}, map[string]uint32{}}
	for _, op := range g.Ops {
		c.ops[op.Name] = op.Code
	}
	if set, ok := g.Set("GLSL.std.450"); ok {
		for _, op := range set.Ops {
			c.glsl[strings.TrimPrefix(op.Name, "Op")] = op.Code
		}
	}
	return c
})

// keyOf finds an instruction by its name.
func keyOf(name string, glsl bool) ruleKey {
	g := ofGrammar()
	code, ok := g.ops["Op"+name]
	if glsl {
		code, ok = g.glsl[name]
	}
	if !ok {
		bug("typing.txt has %q, but the grammar has not", name)
	}
	return ruleKey{glsl, code}
}

// termOf reads a term.
func termOf(word string) (t term) {
	word, t.first = strings.CutPrefix(word, "1")
	if strings.ContainsRune("=~#.*^", rune(word[0])) {
		t.relation, word = word[0], word[1:]
	}
	word, t.other = strings.CutPrefix(word, "!")
	t.kind = strings.TrimRight(word, "0123456789/")
	for _, w := range strings.Split(word[len(t.kind):], "/") {
		if n, err := strconv.Atoi(w); err == nil {
			t.widths = append(t.widths, uint32(n))
		}
	}
	return t
}

// String says what is expected.
func (t term) String() string {
	text := t.kind
	if len(t.widths) > 0 {
		text += fmt.Sprintf(" of %s bits", strings.Trim(strings.ReplaceAll(fmt.Sprint(t.widths), " ", " or "), "[]"))
	}
	beside := "the result"
	if t.first {
		beside = "the first operand"
	}
	switch t.relation {
	case '=':
		return "the type of " + beside
	case '^':
		return "the type of the elements of " + beside
	case '~':
		return text + " of the width and number of elements of " + beside
	case '#':
		if t.other {
			return text + " of another width and as many as " + beside
		}
		return text + ", as many as " + beside
	case '.':
		return "one " + text
	case '*':
		return "a vector of " + text
	}
	return text
}

// operandKinds are the types that a kind in typing.txt stands for.
var operandKinds = map[string][]Op{"bool": {OpTypeBool}, "int": {OpTypeInt}, "uint": {OpTypeInt}, "float": {OpTypeFloat}, "number": {OpTypeInt, OpTypeFloat}}

// fits reports whether a type is what a term says, beside another.
func (c *context) fits(t ID, want term, beside ID) bool {
	switch want.relation {
	case '=':
		return t == beside
	case '^':
		return t == c.elem(beside)
	}
	e := c.elem(t)
	in := c.def(e)
	if in == nil || !c.arithmetic(t) || !slices.Contains(operandKinds[want.kind], in.Op) {
		return false
	}
	if want.kind == "uint" && in.Operands[1].Word() != 0 || in.Op == OpTypeFloat && len(in.Operands) > 1 {
		return false
	}
	if width := c.bits(e); len(want.widths) > 0 && !slices.Contains(want.widths, width) {
		return false
	}
	switch want.relation {
	case '~':
		return c.sameShape(t, beside) && c.bits(e) == c.bits(c.elem(beside))
	case '#':
		return c.sameShape(t, beside) && (!want.other || c.bits(e) != c.bits(c.elem(beside)))
	case '.':
		return t == e
	case '*':
		return t != e
	}
	return true
}

// arithmetic reports whether operations take a type: scalars, vectors and cooperative matrices.
func (c *context) arithmetic(t ID) bool {
	switch c.op(t) {
	case OpTypeVector, OpTypeCooperativeMatrixKHR:
		return true
	}
	return c.scalar(t)
}

// sameShape reports whether two types have as many elements.
func (c *context) sameShape(a, b ID) bool {
	x, y := c.def(a), c.def(b)
	if x == nil || y == nil || x.Op != OpTypeCooperativeMatrixKHR || y.Op != x.Op {
		return c.count(a) == c.count(b) && c.op(a) != OpTypeCooperativeMatrixKHR && c.op(b) != OpTypeCooperativeMatrixKHR
	}
	for i := 1; i < 5; i++ {
		p, ok := c.constant(x.Operands[i].ID())
		q, ok2 := c.constant(y.Operands[i].ID())
		if ok && ok2 && p != q {
			return false
		}
	}
	return true
}

// rule checks an instruction against typing.txt: its operands from the first that counts.
func (v *verifier) rule(in *Instr, r *rule, operands []Operand) {
	if !v.holds(v.fits(in.Type, r.result, in.Type), "the result has type %%%d, expected %s", in.Type, r.result) {
		return
	}
	if !v.holds(len(operands) == len(r.operands), "%d operands, expected %d", len(operands), len(r.operands)) {
		return
	}
	for i, want := range r.operands {
		beside := in.Type
		if want.first {
			beside = v.typeOf(operands[0].ID())
		}
		t := v.typeOf(operands[i].ID())
		v.holds(t != 0 && v.fits(t, want, beside), "operand %d, %%%d, has type %%%d, expected %s", i+1, operands[i].ID(), t, want)
	}
}
