package bytecode_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// layout is a file taken apart, without the reader: sections by name, and tables as their entries.
type layout struct {
	sections map[string][]byte
	tables   map[string][][]byte
}

func layoutOf(t *testing.T, m *Module, v Version) layout {
	t.Helper()
	data, err := bytecode.Write(m, v, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := bytecode.Sections(data)
	if err != nil {
		t.Fatal(err)
	}
	l := layout{sections: map[string][]byte{}, tables: map[string][][]byte{}}
	for _, s := range parts {
		l.sections[s.Name] = data[s.Payload:s.End]
	}
	for name, width := range map[string]int{"String": 4, "Type": 4, "Constant": 8} {
		l.tables[name] = tableEntries(l.sections[name], width)
		delete(l.sections, name)
	}
	if d := l.sections["Debug"]; d != nil {
		rows, n := binary.Uvarint(d)
		at := (n+3)&^3 + 4*int(rows)
		ids, n := binary.Uvarint(d[at:])
		at = (at+n+7)&^7 + 8*int(ids)
		l.sections["Debug"], l.tables["Debug"] = d[:at], tableEntries(d[at:], 4)
	}
	return l
}

// tableEntries takes a table apart: its number of entries, padding to the width, offsets, data.
func tableEntries(b []byte, width int) [][]byte {
	n, at := binary.Uvarint(b)
	at = (at + width - 1) &^ (width - 1)
	start := func(i uint64) int {
		if i == n {
			return len(b) - at - int(n)*width
		}
		return int(binary.LittleEndian.Uint32(b[at+int(i)*width:]))
	}
	var out [][]byte
	for i := range n {
		from := at + int(n)*width
		out = append(out, b[from+start(i):from+start(i+1)])
	}
	return out
}

// changes lists what differs between two files: sections, and entries of tables; more and fewer entries have a sign.
func (a layout) changes(b layout) []string {
	var out []string
	for name := range a.sections {
		if !bytes.Equal(a.sections[name], b.sections[name]) {
			out = append(out, name)
		}
	}
	for name, x := range a.tables {
		y := b.tables[name]
		for i := range min(len(x), len(y)) {
			if !bytes.Equal(x[i], y[i]) {
				out = append(out, name+" entry")
			}
		}
		for range len(y) - len(x) {
			out = append(out, name+" +")
		}
		for range len(x) - len(y) {
			out = append(out, name+" -")
		}
	}
	slices.Sort(out)
	return out
}

// TestChangedConstant gives each constant that stands for itself another value, of the same length and of another: one
// entry of the table differs, and nothing else in the file.
func TestChangedConstant(t *testing.T) {
	tested := 0
	for _, f := range refFiles(t) {
		m, v, err := bytecode.Read(f.data)
		if err != nil {
			t.Fatal(err)
		}
		uses, before := map[string]int{}, layoutOf(t, m, v)
		for o := range m.All() {
			if c, ok := o.Attr("value").(*Constant); ok {
				uses[string(c.Data)]++
			}
		}
		for o := range m.All() {
			c, ok := o.Attr("value").(*Constant)
			if !ok || uses[string(c.Data)] > 1 {
				continue
			}
			old := c.Data
			for _, data := range [][]byte{bytes.Repeat([]byte{0xa5}, len(old)), bytes.Repeat([]byte{0x5a}, len(old)+3)} {
				c.Data = data
				if got := before.changes(layoutOf(t, m, v)); !slices.Equal(got, []string{"Constant entry"}) {
					t.Errorf("%s: %v changes %v", f.name, o, got)
				}
			}
			c.Data = old
			tested++
		}
	}
	if tested < 100 {
		t.Errorf("only %d constants stand for themselves", tested)
	}
}

// TestChangedPlace does so for the places of operations: one entry of the debug table differs.
func TestChangedPlace(t *testing.T) {
	tested := 0
	for _, f := range refFiles(t) {
		m, v, err := bytecode.Read(f.data)
		if err != nil {
			t.Fatal(err)
		}
		uses, before := map[Loc]int{m.Entries[0].Loc: 2}, layoutOf(t, m, v)
		for o := range m.All() {
			uses[o.Loc]++
		}
		for o := range m.All() {
			listed := slices.ContainsFunc(m.Listed, func(l Listed) bool { return l.Item == o.Loc })
			if uses[o.Loc] > 1 || o.Loc.IsZero() || o.Loc.Caller != nil || listed {
				continue
			}
			old := o.Loc
			o.Loc.Line += 3000
			got := before.changes(layoutOf(t, m, v))
			if callers := !slices.Equal(got, []string{"Debug entry"}); callers && !isCaller(m, old) {
				t.Errorf("%s: the place of %v changes %v", f.name, o, got)
			}
			o.Loc = old
			tested++
		}
	}
	if tested < 100 {
		t.Errorf("only %d operations have a place of their own", tested)
	}
}

// isCaller reports whether something was inlined at a place.
func isCaller(m *Module, at Loc) bool {
	for o := range m.All() {
		for l := o.Loc.Caller; l != nil; l = l.Caller {
			if *l == at {
				return true
			}
		}
	}
	return false
}

// stable is a module with two constants, a text, views and places, for single changes.
func stable() *Module {
	m := kernel(func(b *builder) {
		b.value(f32v).Def.Loc = Loc{File: "k.go", Line: 3, Col: 1}
		x := b.value(Tile(I32, 8))
		x.Def.Attrs[0] = IntConstant(Tile(I32, 8), 7)
		b.op("print_tko", [][]*Value{{x}, nil}, named{"str": String("first")}, Token)
		b.op("print_tko", [][]*Value{{x}, nil}, named{"str": String("second")}, Token)
		b.value(part)
		b.value(Tile(F64, 4)).Def.Attrs[0] = FloatConstant(Tile(F64, 4), 2.5)
	})
	m.Entries[0].Loc = Loc{File: "k.go", Line: 1, Col: 1}
	return m
}

// TestSingleChanges makes one change after the other: only what depends on it changes, and what is added at the end
// comes after the entries that are there.
func TestSingleChanges(t *testing.T) {
	body := func(m *Module) *[]*Op { return &m.Entries[0].Body.Ops }
	add := func(m *Module, build func(b *builder)) {
		b := &builder{block: &Block{Ops: (*body(m))[:len(*body(m))-1]}}
		build(b)
		b.op("return", nil, nil)
		m.Entries[0].Body.Ops = b.block.Ops
	}
	for _, c := range []struct {
		name   string
		change func(m *Module)
		want   string
	}{
		{"constant", func(m *Module) { (*body(m))[1].Attrs[0].(*Constant).Data[0] = 9 }, "Constant entry"},
		{"text", func(m *Module) { (*body(m))[2].Attrs[0] = String("first of all") }, "String entry"},
		{"name", func(m *Module) { m.Entries[0].Name = "other" }, "String entry"},
		{"type", func(m *Module) {
			i := slices.IndexFunc(*body(m), func(o *Op) bool { return o.Info.Opcode == OpMakePartitionView })
			(*body(m))[i].Results[0].Type = padded
		}, "Type entry"},
		{"place", func(m *Module) { (*body(m))[0].Loc.Line = 5 }, "Debug entry"},
		{"an added constant", func(m *Module) {
			add(m, func(b *builder) { b.value(Tile(I32, 8)).Def.Attrs[0] = IntConstant(Tile(I32, 8), -1) })
		}, "Constant +,Debug,Func"},
		{"an added text", func(m *Module) {
			add(m, func(b *builder) { b.op("print_tko", [][]*Value{{}, nil}, named{"str": String("new")}, Token) })
		}, "Debug,Func,String +"},
		{"an added type", func(m *Module) {
			add(m, func(b *builder) { b.op("iota", nil, nil, Tile(I32, 64)) })
		}, "Debug,Func,Type +"},
		{"an added place", func(m *Module) {
			add(m, func(b *builder) { b.op("iota", nil, nil, Tile(I32, 8)).Loc = Loc{File: "k.go", Line: 99, Col: 1} })
		}, "Debug,Debug +,Func"},
		{"a listed text", func(m *Module) { m.Listed = []Listed{{Item: String("last")}} }, "String +"},
	} {
		m := stable()
		before := layoutOf(t, m, Newest)
		c.change(m)
		after := layoutOf(t, m, Newest)
		if got := strings.Join(before.changes(after), ","); got != c.want {
			t.Errorf("%s: changes %s, expected %s", c.name, got, c.want)
		}
		if f, g := before.sections["Func"], after.sections["Func"]; strings.HasPrefix(c.name, "an added") {
			// What was there keeps its bytes: only the length of the body and what follows differ.
			if n := len(f) - 3; !bytes.Equal(f[12:n], g[12:n]) {
				t.Errorf("%s: earlier operations change:\n% x\n% x", c.name, f, g)
			}
		}
	}
}
