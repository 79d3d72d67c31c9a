package bytecode_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/testing/reftest"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// The names here of what the tests share with those of package reftest.
var (
	equalModules    = reftest.Equal
	firstDifference = reftest.FirstDifference
	printed         = reftest.Printed
	checkParsed     = reftest.CheckParsed
	filled          = reftest.Filled
)

// refFile is a file that cuTile Python wrote, and what NVIDIA's tileirdisasm prints for it.
type refFile struct {
	name string // kernel.version
	data []byte
	text string
}

// refFiles gives the committed reference files.
func refFiles(t testing.TB) []refFile {
	t.Helper()
	var out []refFile
	for _, f := range reftest.Committed(t, "../testdata") {
		out = append(out, refFile{f.Name(), f.Data, f.Text})
	}
	return out
}

// TestReferenceFiles compares bytes and texts of the committed slice; TestExport of package reftest those of all files.
func TestReferenceFiles(t *testing.T) {
	for _, f := range reftest.Committed(t, "../testdata") {
		t.Run(f.Name(), func(t *testing.T) { reftest.Check(t, f) })
	}
}

// TestVersionsOfOneFile writes each file in every version that can hold it: the text and the content stay the same.
func TestVersionsOfOneFile(t *testing.T) {
	written := map[tileir.Version]int{}
	for _, f := range refFiles(t) {
		m, _, err := bytecode.Read(f.data)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range tileir.Versions() {
			verr := m.Verify(v)
			out, err := bytecode.Write(m, v, bytecode.Options{})
			if verr == nil && err != nil {
				t.Errorf("%s in %v: Verify finds nothing, but Write says %v", f.name, v, err)
			}
			if err != nil {
				continue
			}
			again, got, err := bytecode.Read(out)
			if err != nil || got != v {
				t.Errorf("%s in %v: read back: version %v, %v", f.name, v, got, err)
				continue
			}
			if err := equalModules(m, again); err != nil {
				t.Errorf("%s in %v: %v", f.name, v, err)
			}
			written[v]++
		}
	}
	for _, v := range tileir.Versions() {
		if written[v] < 50 {
			t.Errorf("only %d files could be written in %v", written[v], v)
		}
	}
}

// TestStrip writes without the debug section: no places are left, all else is.
func TestStrip(t *testing.T) {
	for _, f := range refFiles(t) {
		m, v, err := bytecode.Read(f.data)
		if err != nil {
			t.Fatal(err)
		}
		out, err := bytecode.Write(m, v, bytecode.Options{Strip: true})
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := bytecode.Read(out)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		if got := text.Sprint(again); got != f.text {
			t.Errorf("%s: %s", f.name, firstDifference(got, f.text))
		}
		for _, o := range again.Entries[0].Body.Ops {
			if !o.Loc.IsZero() {
				t.Fatalf("%s: a place is left: %v", f.name, o.Loc)
			}
		}
	}
}
