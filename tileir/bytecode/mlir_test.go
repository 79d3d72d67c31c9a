package bytecode_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// TestMLIRDisassembled: the texts in MLIR's form, written as bytecode, are to NVIDIA's disassembler what they are to us,
// with debug information and without.
func TestMLIRDisassembled(t *testing.T) {
	tool := testenv.ToolIfAny(t, "tileirdisasm")
	files, err := filepath.Glob("../text/testdata/mlir/good/*.mlir")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no texts")
	}
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := irtext.Parse(string(text), irtext.ParseOptions{})
		if err != nil {
			if !strings.HasSuffix(file, "tests.mlir") {
				t.Error(err)
			}
			continue
		}
		data, err := bytecode.Write(m, Newest, bytecode.Options{})
		if err != nil {
			if !strings.HasSuffix(file, "textplaces.mlir") || !strings.Contains(err.Error(), "which only text can hold") {
				t.Errorf("%s: %v", file, err)
			}
			continue
		}
		n++
		want, err := os.ReadFile(strings.TrimSuffix(file, ".mlir") + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := disassembled(t, tool, data, irtext.Sprint(m)); err != nil || got != string(want) {
			t.Errorf("%s: %v: %s", file, err, firstDifference(got, string(want)))
		}
		var debug strings.Builder
		if err := irtext.Print(&debug, m, irtext.PrintOptions{Debug: true}); err != nil {
			t.Error(err)
		} else if got := disassembleDebug(t, tool, data, debug.String()); got != debug.String() {
			t.Errorf("%s: %s", file, firstDifference(got, debug.String()))
		}
	}
	if n < 5 {
		t.Errorf("only %d texts are compared", n)
	}
}

// TestTextOnlyPlaces: places that have names or stand for several cannot be written, and so it is said.
func TestTextOnlyPlaces(t *testing.T) {
	for place, want := range map[string]string{
		`loc("x"("f":1:2))`:                      `a position is named "x", which only text can hold`,
		`loc(fused["f":1:2, "g":3:4])`:           "a position is fused from 2, which only text can hold",
		`loc(callsite("x"("f":1:2) at "f":3:4))`: `a position is named "x", which only text can hold`,
	} {
		m, err := irtext.Parse("entry @k() { return "+place+" }", irtext.ParseOptions{})
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := bytecode.Write(m, Newest, bytecode.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", place, err)
		}
		if _, err := bytecode.Write(m, Newest, bytecode.Options{Strip: true}); err != nil {
			t.Errorf("%s: without debug information: %v", place, err)
		}
	}
}
