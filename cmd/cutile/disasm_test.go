package main

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// reference unpacks the files that cuTile Python wrote, with what NVIDIA's tileirdisasm prints for them.
func reference(t *testing.T) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader(filepath.Join("tileir", "testdata", "ref.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestDisasm(t *testing.T) {
	n := 0
	files := reference(t)
	for name, data := range files {
		base, ok := strings.CutSuffix(name, ".tileirbc")
		if !ok {
			continue
		}
		n++
		code, out, errs := cutileWith(data, "disasm", "-")
		if code != exitOK || errs != "" {
			t.Errorf("%s: exit code %d, %s", name, code, errs)
		} else if want := string(files[base+".txt"]); out != want {
			t.Errorf("%s: %s", name, firstDifference(out, want))
		}
	}
	if n < 100 {
		t.Errorf("only %d reference files", n)
	}
}

// TestDisasmPlaces reads a file by its name, with places.
func TestDisasmPlaces(t *testing.T) {
	files := reference(t)
	file := filepath.Join(t.TempDir(), "kernel.tileirbc")
	if err := os.WriteFile(file, files["cf_for.13.4.tileirbc"], 0o644); err != nil {
		t.Fatal(err)
	}
	golden(t, "disasm.txt", must(t, "disasm", file))
	golden(t, "disasm-g.txt", must(t, "disasm", "-g", file))
	out := must(t, "disasm", "-places", file)
	golden(t, "disasm-places.txt", out)
	if strings.Count(out, ".py:") < 10 {
		t.Errorf("places are missing:\n%s", out)
	}
}

func TestDisasmErrors(t *testing.T) {
	data := reference(t)["cf_for.13.4.tileirbc"]
	for _, c := range []struct {
		input []byte
		args  []string
		want  string
	}{
		{nil, []string{"-"}, "cutile disasm: standard input: bytecode: at byte 0 (0x0): "},
		{[]byte("#!/bin/sh\nexit\n"), []string{"-"}, "not Tile IR bytecode"},
		{data[:len(data)/2], []string{"-"}, "standard input: bytecode: at byte "},
		{nil, []string{"none.tileirbc"}, "none.tileirbc: no such file"},
		{nil, []string{"cmd"}, "cutile disasm: read cmd: is a directory"},
	} {
		code, out, errs := cutileWith(c.input, append([]string{"disasm"}, c.args...)...)
		if code != exitFailed || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit code %d, %q, %q, want %q", c.args, code, out, errs, c.want)
		}
	}
}
