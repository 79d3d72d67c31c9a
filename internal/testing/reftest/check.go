package reftest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// NotIdentical has the kernels that do not come back byte for byte, and why. All else about them must hold.
var NotIdentical = map[string]string{
	"rd_f64": "the file has a number of more than 64 bits, of which every reader drops the sign",
}

// Check reads a file and verifies it. Its texts must be tileirdisasm's, reading them must give the module again, and
// writing the module must give the file's bytes.
func Check(t *testing.T, f *File) {
	t.Helper()
	m, v, err := bytecode.Read(f.Data)
	if err != nil {
		t.Fatal(err)
	}
	if v != f.In {
		t.Errorf("version %v", v)
	}
	if err := m.Verify(v); err != nil {
		t.Error(err)
	}
	if got := Printed(t, m, false); got != f.Text {
		t.Errorf("text differs:\n%s", FirstDifference(got, f.Text))
	}
	if got := Printed(t, m, true); got != f.Debug {
		t.Errorf("text with places differs:\n%s", FirstDifference(got, f.Debug))
	}
	checkWritten(t, f, m)
	CheckParsed(t, m, v) // last, since it changes m
}

// checkWritten writes a module that was read.
func checkWritten(t *testing.T, f *File, m *tileir.Module) {
	t.Helper()
	out, err := bytecode.Write(m, f.In, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	same := bytes.Equal(out, f.Data)
	if why, known := NotIdentical[f.Kernel]; same == known {
		t.Errorf("written back: identical %v, expected %v; known exception: %q", same, !known, why)
	}
	again, _, err := bytecode.Read(out)
	if err != nil {
		t.Fatalf("read what was written: %v", err)
	}
	if err := Equal(m, again); err != nil {
		t.Errorf("read what was written: %v", err)
	}
	second, err := bytecode.Write(again, f.In, bytecode.Options{})
	if err != nil || !bytes.Equal(second, out) {
		t.Errorf("writing what was written gives other bytes (%v)", err)
	}
}

// Printed is the text form with or without debug information.
func Printed(t testing.TB, m *tileir.Module, debug bool) string {
	t.Helper()
	var b strings.Builder
	if err := irtext.Print(&b, m, irtext.PrintOptions{Debug: debug}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// FirstDifference shows the first lines that differ.
func FirstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) {
			return "got more: " + g[i]
		}
		if g[i] != w[i] {
			return "got  " + g[i] + "\nwant " + w[i]
		}
	}
	return "got less: want " + w[len(g)]
}
