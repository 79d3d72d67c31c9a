package completeness_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// wrap gives a declaration of a package another name, so that a file of testdata can put a wrapper in its place.
type wrap struct {
	dir      string
	from, to string
	times    int // how often the text stands in the package; 0 for once
}

// wraps are the places where the parts turn to one operation.
var wraps = []wrap{
	{"tileir", "b.begin(Op", "b.beginFaulty(Op", len(inBodies())}, // once in each generated method
	{"tileir", "func (b *Builder) Entry(", "func (b *Builder) entryUnchanged(", 0},
	{"tileir", "func (b *Builder) Global(", "func (b *Builder) globalUnchanged(", 0},
	{"tileir", "func (b *Builder) Build(", "func (b *Builder) buildUnchanged(", 0},
	{"tileir", "func (c *checker) checkOp(", "func (c *checker) checkOpUnchanged(", 0},
	{"tileir", "func (c *checker) checkEntry(", "func (c *checker) checkEntryUnchanged(", 0},
	{"tileir", "func (c *checker) global(", "func (c *checker) globalUnchanged(", 0},
	{"tileir", "func (c *checker) names(", "func (c *checker) namesUnchanged(", 0},

	{textDir, "func (p *printer) op(", "func (p *printer) opUnchanged(", 0},
	{textDir, "func (p *printer) entry(", "func (p *printer) entryUnchanged(", 0},
	{textDir, "func (p *printer) global(", "func (p *printer) globalUnchanged(", 0},
	{textDir, "func (p *printer) module(", "func (p *printer) moduleUnchanged(", 0},
	{textDir, "func (r *parser) op(", "func (r *parser) opUnchanged(", 0},
	{textDir, "func (r *parser) entry(", "func (r *parser) entryUnchanged(", 0},
	{textDir, "func (r *parser) global(", "func (r *parser) globalUnchanged(", 0},
	{textDir, "func (r *parser) items(", "func (r *parser) itemsUnchanged(", 0},

	{bytecodeDir, "func Write(", "func writeUnchanged(", 0},
	{bytecodeDir, "func (w *writer) op(", "func (w *writer) opUnchanged(", 0},
	{bytecodeDir, "func (w *writer) writeBody(", "func (w *writer) writeBodyUnchanged(", 0},
	{bytecodeDir, "func (w *writer) globals(", "func (w *writer) globalsUnchanged(", 0},
	{bytecodeDir, "func (r *reader) header(", "func (r *reader) headerUnchanged(", 0},
	{bytecodeDir, "func (r *reader) function(", "func (r *reader) functionUnchanged(", 0},
	{bytecodeDir, "func (r *reader) globals(", "func (r *reader) globalsUnchanged(", 0},
	{bytecodeDir, "func (f *funcReader) op(", "func (f *funcReader) opUnchanged(", 0},

	{cpuDir, "func (d *Device) Compile(", "func (d *Device) compileUnchanged(", 0},
	{cpuDir, "func compileEntry(", "func compileEntryUnchanged(", 0},
	{cpuDir, "func (c *compiler) makeGlobals(", "func (c *compiler) makeGlobalsUnchanged(", 0},
	{cpuDir, "func (c *compiler) supported(", "func (c *compiler) supportedUnchanged(", 0},
	{cpuDir, "func shapeOf(", "func shapeUnchanged(", 0},

	{laneDir, "func Emit(", "func emitUnchanged(", 0}, // in machine code
	{flowDir, "func (b *builder) rule(", "func (b *builder) ruleUnchanged(", 0},
}

// inBodies are the operations that functions have in their bodies: the builder has a generated method for each.
func inBodies() []*tileir.Info {
	return slices.DeleteFunc(slices.Clone(tileir.Infos()), func(in *tileir.Info) bool { return !in.InBody })
}

// overlay writes changed copies of the packages' files into a folder, adds the wrappers, and gives the path of the file
// that the go command's -overlay wants. The tree itself stays as it is.
func overlay(t *testing.T, folder string) string {
	t.Helper()
	root, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for _, dir := range []string{"tileir", textDir, bytecodeDir, cpuDir, laneDir, flowDir} {
		at := filepath.Join(root, filepath.FromSlash(dir))
		files, err := filepath.Glob(filepath.Join(at, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		content := map[string]string{}
		for _, name := range files {
			if !strings.HasSuffix(name, "_test.go") {
				content[name] = string(read(t, name))
			}
		}
		for _, name := range rename(t, dir, content) {
			copied := filepath.Join(folder, filepath.Base(at)+"_"+filepath.Base(name))
			write(t, copied, content[name])
			replace[name] = copied
		}
		added := filepath.Join(root, "internal", "testing", "completeness", "testdata", filepath.Base(at)+".go")
		replace[filepath.Join(at, "mutants.go")] = added
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(folder, "overlay.json")
	write(t, name, string(text))
	return name
}

// rename applies the wraps of a package to the content of its files, and gives the names of those that change.
func rename(t *testing.T, dir string, content map[string]string) []string {
	t.Helper()
	var changed []string
	for _, w := range wraps {
		if w.dir != dir {
			continue
		}
		n := 0
		for name, text := range content {
			if k := strings.Count(text, w.from); k > 0 {
				n += k
				content[name] = strings.ReplaceAll(text, w.from, w.to)
				changed = append(changed, name)
			}
		}
		if n != max(w.times, 1) {
			t.Errorf("%q stands in package %s %d times, want %d: wraps in overlay_test.go must follow the code", w.from, dir, n, max(w.times, 1))
		}
	}
	return changed
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
