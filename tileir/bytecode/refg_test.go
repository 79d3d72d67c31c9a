package bytecode_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// disassembleDebug runs tileirdisasm -g on a file's bytes.
func disassembleDebug(t testing.TB, tool string, data []byte, ours string) string {
	t.Helper()
	if tool == "" {
		return ours
	}
	path := filepath.Join(t.TempDir(), "x.tileirbc")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, "-g", path).Output()
	if err != nil {
		t.Fatalf("tileirdisasm -g: %v", err)
	}
	return string(out)
}

// TestDebugTextOfPlaces compares with the tool for what reference files do not have: several entries, blocks, names
// that need quotes, calls within calls, places without file, and modules without any place.
func TestDebugTextOfPlaces(t *testing.T) {
	tool := testenv.ToolIfAny(t, "tileirdisasm")
	for name, m := range map[string]*tileir.Module{"calls": placed(), "blocks": blocks(), "globals": globals(tileir.V13_4), "none": fors(tileir.V13_4)} {
		data, err := bytecode.Write(m, tileir.Newest, bytecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ours := printed(t, m, true)
		if want := disassembleDebug(t, tool, data, ours); ours != want {
			t.Errorf("%s: %s", name, firstDifference(ours, want))
		}
		again, _, err := bytecode.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		if got := printed(t, again, true); got != ours {
			t.Errorf("%s, read again: %s", name, firstDifference(got, ours))
		}
	}
}

// blocks has places in blocks within blocks, in two entries.
func blocks() *tileir.Module {
	m, second := placed(), placed()
	e := second.Entries[0]
	e.Name, e.Private = "second", true
	file := &tileir.SourceFile{Name: "a \"b\\.go", Dir: "dir\xff"}
	fn := &tileir.Scope{File: file, Unit: &tileir.SourceFile{Name: "unit", Dir: "d"}, Name: "T h", Linkage: "second", Line: 3, ScopeLine: 4}
	outer := &tileir.Scope{Parent: fn, File: file, Line: 7, Col: 8}
	inner := &tileir.Scope{Parent: outer, File: file, Line: 9, Col: 8}
	e.Loc = tileir.Loc{File: "x.go", Line: 1, Col: 1, Scope: fn}
	e.Body.Ops[1].Loc = tileir.Loc{File: "x.go\n", Line: 1, Col: 1, Scope: inner}
	e.Body.Ops[2].Loc = tileir.Loc{Line: 5, Col: 1, Scope: inner, Caller: &tileir.Loc{File: "x.go", Line: 1, Col: 1, Scope: outer,
		Caller: &tileir.Loc{File: "x.go", Line: 2, Col: 1, Scope: outer}}}
	m.Entries = append(m.Entries, e)
	return m
}
