package bytecode_test

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// refEnv names a folder with the full set of reference files; without it the committed slice is used alone.
const refEnv = "CUTILE_TILEIR_REF"

// refFile is a file that cuTile Python wrote, and what NVIDIA's tileirdisasm prints for it.
type refFile struct {
	name string // kernel.version
	data []byte
	text string
}

// refFiles unpacks the committed reference files.
func refFiles(t testing.TB) []refFile {
	t.Helper()
	z, err := zip.OpenReader(filepath.Join("..", "testdata", "ref.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	content := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		content[f.Name] = b
	}
	var out []refFile
	for _, f := range z.File {
		if name, ok := strings.CutSuffix(f.Name, ".tileirbc"); ok {
			out = append(out, refFile{name, content[f.Name], string(content[name+".txt"])})
		}
	}
	if len(out) < 100 {
		t.Fatalf("only %d reference files", len(out))
	}
	return out
}

// notIdentical has the kernels that do not come back byte for byte, and why. All else about them must hold.
var notIdentical = map[string]string{
	"at_wide":    "the file lists a place that nothing refers to",
	"dropout":    "the file lists a place that nothing refers to",
	"me_foreign": "the file lists a place that nothing refers to",
	"me_list":    "the file lists a type before its first use",
	"rd_f64":     "the file has a number of more than 64 bits, of which every reader drops the sign",
}

func TestReferenceFiles(t *testing.T) {
	for _, f := range refFiles(t) {
		t.Run(f.name, func(t *testing.T) { checkReference(t, f) })
	}
}

func TestAllReferenceFiles(t *testing.T) {
	dir := os.Getenv(refEnv)
	if dir == "" {
		t.Skip(refEnv + " does not name the full set of reference files; TestReferenceFiles runs a slice of it")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.tileirbc"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s=%s has no .tileirbc files (%v)", refEnv, dir, err)
	}
	identical := 0
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(strings.TrimSuffix(path, ".tileirbc") + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".tileirbc")
		t.Run(name, func(t *testing.T) {
			if checkReference(t, refFile{name, data, string(text)}) {
				identical++
			}
		})
	}
	t.Logf("%d of %d files come back byte for byte", identical, len(files))
}

// checkReference reads a file, verifies it, compares its text, and writes it back. It reports whether the bytes are
// the same.
func checkReference(t *testing.T, f refFile) bool {
	m, v, err := bytecode.Read(f.data)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(f.name, v.String()) {
		t.Errorf("version %v", v)
	}
	if err := m.Verify(v); err != nil {
		t.Error(err)
	}
	if got := m.String(); got != f.text {
		t.Errorf("text differs:\n%s", firstDifference(got, f.text))
	}
	out, err := bytecode.Write(m, v, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	kernel, _, _ := strings.Cut(f.name, ".")
	same := bytes.Equal(out, f.data)
	if _, known := notIdentical[kernel]; same == known {
		t.Errorf("written back: identical %v, expected %v", same, !known)
	}
	again, _, err := bytecode.Read(out)
	if err != nil {
		t.Fatalf("read what was written: %v", err)
	}
	if err := equalModules(m, again); err != nil {
		t.Errorf("read what was written: %v", err)
	}
	second, err := bytecode.Write(again, v, bytecode.Options{})
	if err != nil || !bytes.Equal(second, out) {
		t.Errorf("writing what was written gives other bytes (%v)", err)
	}
	return same
}

// firstDifference shows the first lines that differ.
func firstDifference(got, want string) string {
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
		if got := again.String(); got != f.text {
			t.Errorf("%s: %s", f.name, firstDifference(got, f.text))
		}
		for _, o := range again.Entries[0].Body.Ops {
			if !o.Loc.IsZero() {
				t.Fatalf("%s: a place is left: %v", f.name, o.Loc)
			}
		}
	}
}
