package bytecode_test

import (
	"archive/zip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// debugTexts unpacks what NVIDIA's tileirdisasm -g prints for the committed reference files.
func debugTexts(t testing.TB) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(filepath.Join("..", "testdata", "refg.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(f.Name, ".g.txt")] = string(b)
	}
	return out
}

// printed is the text form with or without debug information.
func printed(t testing.TB, m *tileir.Module, debug bool) string {
	t.Helper()
	var b strings.Builder
	if err := tileir.Print(&b, m, tileir.PrintOptions{Debug: debug}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// disassembleDebug runs tileirdisasm -g on a file's bytes.
func disassembleDebug(t testing.TB, tool string, data []byte) string {
	t.Helper()
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

func TestDebugText(t *testing.T) {
	texts := debugTexts(t)
	for _, f := range refFiles(t) {
		t.Run(f.name, func(t *testing.T) {
			m, _, err := bytecode.Read(f.data)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := printed(t, m, true), texts[f.name]; got != want {
				t.Error(firstDifference(got, want))
			}
		})
	}
}

// TestAllDebugTexts compares with the tool over the full set of reference files.
func TestAllDebugTexts(t *testing.T) {
	dir := os.Getenv(refEnv)
	if dir == "" {
		t.Skip(refEnv + " does not name the full set of reference files; TestDebugText runs a slice of it")
	}
	tool := testenv.Tool(t, "tileirdisasm")
	files, err := filepath.Glob(filepath.Join(dir, "*.tileirbc"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s=%s has no .tileirbc files (%v)", refEnv, dir, err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := bytecode.Read(data)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if got, want := printed(t, m, true), disassembleDebug(t, tool, data); got != want {
			t.Errorf("%s: %s", path, firstDifference(got, want))
		}
	}
}

// TestDebugTextOfPlaces compares with the tool for what reference files do not have: several entries, blocks, names
// that need quotes, calls within calls, places without file, and modules without any place.
func TestDebugTextOfPlaces(t *testing.T) {
	tool := testenv.Tool(t, "tileirdisasm")
	for name, m := range map[string]*tileir.Module{"calls": placed(), "blocks": blocks(), "globals": globals(tileir.V13_4), "none": fors(tileir.V13_4)} {
		data, err := bytecode.Write(m, tileir.Newest, bytecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := disassembleDebug(t, tool, data)
		if got := printed(t, m, true); got != want {
			t.Errorf("%s: %s", name, firstDifference(got, want))
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
