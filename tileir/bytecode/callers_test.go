package bytecode_test

import (
	"bytes"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// TestUnknownCalls has calls of which one side is unknown: the file keeps them, and the text is the disassembler's.
func TestUnknownCalls(t *testing.T) {
	tool := testenv.ToolIfAny(t, "tileirdisasm")
	m := placed()
	file := &SourceFile{Name: "f.go"}
	other := &Scope{Name: "f", Linkage: "f", File: file, Unit: file, Line: 3, ScopeLine: 3}
	ops := m.Entries[0].Body.Ops
	ops[0].Loc = Loc{File: "f.go", Line: 4, Col: 1, Scope: other, Caller: &Loc{}}
	ops[1].Loc = Loc{Caller: &Loc{File: "/src/k.go", Line: 12, Col: 3}}
	ops[2].Loc = Loc{File: "f.go", Line: 5, Col: 1, Scope: other, Caller: &Loc{Caller: &Loc{File: "/src/k.go", Line: 13, Col: 3}}}
	ops[3].Loc = Loc{Caller: &Loc{}}
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
	text := disassembleDebug(t, tool, data, printed(t, m, true))
	if got := printed(t, m, true); got != text {
		t.Error(firstDifference(got, text))
	}
	parsed, err := irtext.Parse(text, irtext.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*Module{"read": again, "parsed": parsed} {
		if got := printed(t, m, true); got != text {
			t.Errorf("%s: %s", name, firstDifference(got, text))
		}
		second, err := bytecode.Write(m, Newest, bytecode.Options{})
		if err != nil || !bytes.Equal(second, data) {
			t.Errorf("%s: other bytes (%v)", name, err)
		}
	}
}
