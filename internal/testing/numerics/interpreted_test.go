package numerics_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
)

// interpretedFile lists what the CPU engine interprets.
const interpretedFile = "../../../docs/interpreted.md"

// levels are those that machine code is compared at.
var levels = []string{"avx2", "avx512"}

// TestInterpreted asks for each case whether it becomes machine code, and compares the list with the page.
func TestInterpreted(t *testing.T) {
	testenv.Alone(t)
	got := interpretedPage(t)
	if *update {
		if err := os.WriteFile(interpretedFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(interpretedFile)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Error("docs/interpreted.md is out of date: run go test ./internal/testing/numerics -run TestInterpreted -update, and look whether less is machine code")
	}
}

// intro is the beginning of the page.
const intro = `# What the CPU engine interprets

The CPU engine compiles operations to machine code, or interprets them in Go. These tables list for each operation
the element types and attributes that become machine code in a tile of 64 elements, or cost nothing, such as a bitcast; and those that
are interpreted, with the reasons. "always" stands for all attributes, and a list of attributes for those alone. Behind them come
operations that move elements or access memory, in a kernel that computes with the elements. A copy counts as machine code where
machine code copies lines of elements; package runtime copies long lines, and Go code less than 32 elements. Operations
that are missing here have no elements to handle. ` + "`cutile dump -stage native`" + ` shows what becomes of a kernel.
` + "`go test ./internal/testing/numerics -run TestInterpreted -update`" + ` writes this file.

`

func interpretedPage(t *testing.T) string {
	var b strings.Builder
	b.WriteString(intro)
	var tables, titles []string // levels with the same table share it
	for _, level := range levels {
		target, err := host.Named(level)
		if err != nil {
			t.Fatal(err)
		}
		var table strings.Builder
		for _, row := range append(judge(t, target), judgeMoving(t, target)...) {
			table.WriteString(row.String())
		}
		i := slices.Index(tables, table.String())
		if i < 0 {
			tables, titles = append(tables, table.String()), append(titles, "Level "+level)
			continue
		}
		titles[i] += ", level " + level
	}
	for i, table := range tables {
		fmt.Fprintf(&b, "## %s\n\n| operation | machine code | interpreted | why |\n|---|---|---|---|\n%s\n", titles[i], table)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// judged is an operation with the ways of its element types.
type judged struct {
	name  string
	types []string            // in the order of the cases
	cases map[string][]string // by types: the attributes of all cases,
	slow  map[string][]string // and of those that are interpreted
	why   map[string]bool
}

// judge explains all cases at a level.
func judge(t *testing.T, target host.Target) (rows []*judged) {
	for _, c := range cases() {
		if len(rows) == 0 || rows[len(rows)-1].name != c.in.Mnemonic {
			rows = append(rows, newJudged(c.in.Mnemonic))
		}
		key, rest := c.typesText()
		x, err := cpu.Explain(t.Context(), c.smallModule(), "k", target)
		if err != nil {
			t.Fatalf("%s: %v", c.name(), err)
		}
		why, native := wayOf(t, x, c.in)
		rows[len(rows)-1].note(key, rest, why, native)
	}
	return rows
}

func newJudged(name string) *judged {
	return &judged{name: name, cases: map[string][]string{}, slow: map[string][]string{}, why: map[string]bool{}}
}

// note notes what became of a case.
func (r *judged) note(types, attributes, why string, native bool) {
	if r.cases[types] == nil {
		r.types = append(r.types, types)
	}
	add := func(m map[string][]string) {
		if !slices.Contains(m[types], attributes) {
			m[types] = append(m[types], attributes)
		}
	}
	add(r.cases)
	if !native {
		add(r.slow)
		r.why[why] = true
	}
}

// typesText are the element types of a case, and the rest of its name.
func (c *testCase) typesText() (types, rest string) {
	list := c.types
	if len(list) == 0 {
		list = []tileir.Elem{c.result}
	}
	if c.in.Opcode == tileir.OpSelect {
		list = list[1:]
	}
	types = list[0].String()
	for _, e := range list[1:] {
		if e != list[0] && !strings.Contains(types, " ") {
			types += " by " + e.String()
		}
	}
	if c.result != list[0] && !strings.HasPrefix(c.in.Mnemonic, "cmp") {
		types += " to " + c.result.String()
	}
	for word := range strings.FieldsSeq(c.name()) {
		if _, elem := tileir.ElemByName(word); !elem && word != c.in.Mnemonic {
			rest += " " + word
		}
	}
	return types, strings.TrimPrefix(rest, " ")
}

// wayOf says whether the first operation of a kind becomes machine code, and if not why.
func wayOf(t *testing.T, x *cpu.Explanation, in *tileir.Info) (why string, native bool) {
	for _, o := range x.Ops {
		if o.Op.Info == in {
			if o.Way == cpu.Interpreted && o.Text == "" {
				t.Errorf("%s is interpreted for no reason", in.Mnemonic)
			}
			return o.Text, o.Way != cpu.Interpreted
		}
	}
	t.Fatalf("%s is not explained", in.Mnemonic)
	return "", false
}

// smallModule is module with tiles of 64 elements, where the form of the operation leaves the choice. A fold goes along the
// last of two dimensions. What iota counts is added to itself, since storing it is all that module does.
func (c *testCase) smallModule() *tileir.Module {
	const n = 64
	b, m := c.start()
	zero := b.constant(0)
	shape, result := []int{n}, []int{n}
	switch c.form {
	case packing, product:
		return c.module()
	case folding:
		shape, result = []int{4, n}, []int{4, n}
		if c.in.Opcode == tileir.OpReduce {
			result = []int{4}
		}
	}
	var operands []*tileir.Value
	for i, a := range c.args {
		operands = append(operands, b.load(b.entry.Params[i], a.elem, shape, size(shape), zero))
	}
	v := c.compute(b, result, operands...)
	if c.form == counting {
		v = b.one("addi", []tileir.Attr{tileir.Int(0)}, v.Type, v, v)
	}
	b.store(b.entry.Params[len(c.args)], v, size(result), zero)
	b.op("return", nil, nil, nil)
	return m
}

// String is the row of the table. Types with the same attributes stand together.
func (r *judged) String() string {
	groups := map[string][]string{}
	var order []string
	for _, key := range r.types {
		text := strings.Join(r.slow[key], ", ")
		if len(r.slow[key]) == len(r.cases[key]) {
			text = "always"
		}
		if groups[text] == nil && text != "" {
			order = append(order, text)
		}
		groups[text] = append(groups[text], key)
	}
	var slow []string
	for _, text := range order {
		slow = append(slow, text+": "+joinTypes(groups[text]))
	}
	var fast []string
	for _, key := range r.types {
		if len(r.slow[key]) < len(r.cases[key]) {
			fast = append(fast, key)
		}
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", r.name, joinTypes(fast), strings.Join(slow, "; "), r.reasons())
}

// reasons lists why something is interpreted; the types without a form stand together.
func (r *judged) reasons() string {
	const before, behind = "elements of type ", " have no form in vector registers"
	var types, out []string
	for _, why := range slices.Sorted(maps.Keys(r.why)) {
		if t, ok := strings.CutSuffix(why, behind); ok {
			types = append(types, strings.TrimPrefix(t, before))
			continue
		}
		out = append(out, why)
	}
	if len(types) > 0 {
		out = append(out, before+strings.Join(types, ", ")+behind)
	}
	return strings.Join(out, "; ")
}

// joinTypes lists types; the results of conversions from the same type stand together.
func joinTypes(keys []string) string {
	var out []string
	last := ""
	for _, k := range keys {
		from, to, converts := strings.Cut(k, " to ")
		if converts && from == last && strings.Contains(out[len(out)-1], " to ") {
			out[len(out)-1] += " " + to
			continue
		}
		last = from
		out = append(out, k)
	}
	return strings.Join(out, ", ")
}
