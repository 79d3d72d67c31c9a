package bytecode_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// placed makes a module whose places are as a compiler gives them: files and lines, inlined calls, no scopes.
func placed() *Module {
	m := kernel(func(b *builder) {
		x := b.value(f32v)
		o := b.op("negf", one(x), nil, f32v)
		o.Loc = Loc{File: "/src/k.go", Line: 12, Col: 3}
		in := b.op("absf", one(o.Results[0]), nil, f32v)
		in.Loc = Loc{File: "/src/lib.go", Line: 7, Col: 9, Caller: &Loc{File: "/src/mid.go", Line: 5, Col: 2, Caller: &o.Loc}}
		b.opWith("if", one(b.value(Tile(I1))), nil, []*Block{region(nil, func(b *builder, _ []*Value) {
			b.op("sin", one(x), nil, f32v).Loc = Loc{File: "/src/k.go", Line: 14, Col: 5}
			b.op("yield", nil, nil)
		}), nil})
	})
	m.Entries[0].Loc = Loc{File: "/src/k.go", Line: 10, Col: 1}
	return m
}

// TestPlaces writes places and reads them back; the tool must take them too.
func TestPlaces(t *testing.T) {
	tool := testenv.ToolIfAny(t, "tileirdisasm")
	for _, entryLoc := range []Loc{{File: "/src/k.go", Line: 10, Col: 1}, {}} {
		m := placed()
		m.Entries[0].Loc = entryLoc
		if err := m.Verify(Newest); err != nil {
			t.Fatal(err)
		}
		data, err := bytecode.Write(m, Newest, bytecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := bytecode.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Verify(Newest); err != nil {
			t.Error(err)
		}
		e := again.Entries[0]
		for i, o := range m.Entries[0].Body.Ops {
			checkPlace(t, e.Body.Ops[i], o.Loc)
		}
		inner := func(m *Module) *Op { return m.Entries[0].Body.Ops[4].Regions[0].Ops[0] }
		checkPlace(t, inner(again), inner(m).Loc)
		path := filepath.Join(t.TempDir(), "k.tileirbc")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		out := []byte(printed(t, again, true))
		if tool != "" {
			if out, err = exec.Command(tool, "-g", path).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		for _, want := range []string{`"/src/k.go":12:3`, `"/src/lib.go":7:9`, `"/src/mid.go":5:2`, `"/src/k.go":14:5`} {
			if !strings.Contains(string(out), want) {
				t.Errorf("the text with places does not know %s:\n%s", want, out)
			}
		}
	}
}

// checkPlace compares a place that was read, without scopes, with the one that was written.
func checkPlace(t *testing.T, o *Op, want Loc) {
	t.Helper()
	got := &o.Loc
	for w := &want; w != nil || got != nil; w, got = w.Caller, got.Caller {
		if w == nil || got == nil || got.File != w.File || got.Line != w.Line || got.Col != w.Col {
			t.Errorf("%v: place %+v, expected %+v", o, o.Loc, want)
			return
		}
	}
	if !want.IsZero() {
		if s := o.Loc.Scope; s == nil || s.Linkage != "k" || s.File == nil || s.File.Name != "k.go" || s.File.Dir != "/src" {
			t.Errorf("%v: scope %+v", o, s)
		}
	}
}

// TestWrongScope gives an operation a place in another function.
func TestWrongScope(t *testing.T) {
	m := placed()
	m.Entries[0].Body.Ops[1].Loc.Scope = &Scope{Name: "f", Linkage: "f", File: &SourceFile{Name: "f.go"}}
	want := `entry k: operation 1 (negf) at /src/k.go:12:3: the position lies in a function with linkage name "f", but the entry is "k"`
	if err := m.Verify(Newest); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, expected %s", err, want)
	}
}

// TestPlaceInBlock has an entry without a place whose first operation lies in a block: the entry takes the function, since
// the tool refuses entries in blocks. Lines and columns of 0 are left out at the end of a scope.
func TestPlaceInBlock(t *testing.T) {
	tool := testenv.ToolIfAny(t, "tileirdisasm")
	file := &SourceFile{Name: "k.go"}
	for _, line := range []int{0, 3} {
		f := &Scope{File: file, Unit: file, Name: "k", Linkage: "k", Line: 3, ScopeLine: line}
		m := kernel(func(b *builder) { b.value(i32s) })
		m.Entries[0].Body.Ops[0].Loc = Loc{File: "k.go", Line: 5, Col: 2, Scope: &Scope{Parent: f, File: file, Line: 4, Col: line}}
		if err := m.Verify(Newest); err != nil {
			t.Error(err)
		}
		data, err := bytecode.Write(m, Newest, bytecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := disassembleDebug(t, tool, data, printed(t, m, true))
		if got := printed(t, m, true); got != want {
			t.Error(firstDifference(got, want))
		}
		again, _, err := bytecode.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		if got := printed(t, again, true); got != want {
			t.Error("read again: ", firstDifference(got, want))
		}
		if s := again.Entries[0].Loc.Scope; s == nil || s.Parent != nil || s.Line != 3 {
			t.Errorf("the entry lies in %+v, expected the function of line 3", s)
		}
		parsed, err := text.Parse(want, text.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if second, err := bytecode.Write(parsed, Newest, bytecode.Options{}); err != nil || !bytes.Equal(second, data) {
			t.Errorf("parsed and written again it has other bytes (%v)", err)
		}
	}
}

// TestEmptyModule prints modules of nothing, which the disassembler gives an empty line.
func TestEmptyModule(t *testing.T) {
	tool := testenv.ToolIfAny(t, "tileirdisasm")
	for _, m := range []*Module{{}, {Producer: "nobody"}} {
		data, err := bytecode.Write(m, Newest, bytecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := disassembled(t, tool, data, text.Sprint(m))
		if got := text.Sprint(m); err != nil || got != want {
			t.Errorf("%q, tileirdisasm prints %q (%v)", got, want, err)
		}
		if got, want := printed(t, m, true), disassembleDebug(t, tool, data, printed(t, m, true)); got != want {
			t.Errorf("%q, tileirdisasm -g prints %q", got, want)
		}
	}
}
