package compile_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/worked"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	_ "github.com/cutile-go/cutile/internal/tilec/compile/testdata/emit"
	"github.com/cutile-go/cutile/internal/tilec/lower"
	"github.com/cutile-go/cutile/tileir"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

var update = flag.Bool("update", false, "write the texts in testdata/emit anew")

const emitPath = "github.com/cutile-go/cutile/internal/tilec/compile/testdata/emit"

// given is what launches promise to the kernels of testdata/emit: nothing but to these.
var given = map[string]func(*testing.T, *compile.Kernel) compile.Facts{
	"Facts": func(_ *testing.T, k *compile.Kernel) compile.Facts { return facts(k) },
	"Proof": func(t *testing.T, k *compile.Kernel) compile.Facts {
		f := promiseless(k)
		c, err := k.Compile(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		f.Proof = c.Prove([3]uint32{8, 1, 1}, []uint64{0, 64, 1, 0, 64, 1}) // address, extent and stride of x and z
		return f
	},
}

func promiseless(k *compile.Kernel) compile.Facts {
	return compile.Facts{Args: make([]compile.ArgFacts, len(k.Params()))}
}

// TestEmit shows a construct at a time what the compiler emits. Each file of testdata/emit but source.go has one kernel, and
// a text beside it.
func TestEmit(t *testing.T) {
	constructs := emitted(t)
	for file, kernel := range constructs {
		t.Run(kernel, func(t *testing.T) {
			k, err := compile.ResolveNamed(emitPath, kernel)
			if err != nil {
				t.Fatal(err)
			}
			f := promiseless(k)
			if with := given[kernel]; with != nil {
				f = with(t, k)
			}
			golden(t, strings.TrimSuffix(file, ".go")+".txt", stages(t, k, f))
		})
	}
	texts, _ := filepath.Glob("testdata/emit/*.txt")
	for _, text := range texts {
		if constructs[strings.TrimSuffix(text, ".txt")+".go"] == "" {
			t.Errorf("%s belongs to no kernel", text)
		}
	}
}

// emitted finds the kernel of each file: its only exported function.
func emitted(t *testing.T) map[string]string {
	files, err := filepath.Glob("testdata/emit/*.go")
	if err != nil || len(files) < 2 {
		t.Fatalf("files %q, %v", files, err)
	}
	kernels := map[string]string{}
	for _, file := range files {
		if filepath.Base(file) == "source.go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() {
				names = append(names, fn.Name.Name)
			}
		}
		if len(names) != 1 || f.Comments[0].Pos() > f.Package {
			t.Errorf("%s: exported functions %q; want one, and a comment above the package clause", file, names)
			continue
		}
		kernels[file] = names[0]
	}
	return kernels
}

// golden compares a text with a file, or writes it.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: go test -run TestEmit -update writes it", err)
	}
	if text != string(want) {
		t.Errorf("%s differs: go test -run TestEmit -update writes it anew. Got\n%s", file, text)
	}
}

// stages is the text of a kernel before and after the passes.
func stages(t *testing.T, k *compile.Kernel, f compile.Facts) string {
	var before string
	err := k.Inspect(f, func(in *lower.Input) error {
		out, err := lower.Kernel(in)
		if err == nil {
			before = placed(t, out.Entry, out.Globals)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.Compile(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	after := placed(t, c.Module.Entries[0], c.Module.Globals)
	if after == before {
		after = "the same\n"
	}
	return "-- lowered --\n" + before + "\n-- after the passes --\n" + after
}

// placed is the text of a module. A comment before an operation shows the line of the source that it comes from, where that is
// another line than the one before.
func placed(t *testing.T, e *tileir.Entry, globals []*tileir.Global) string {
	var out strings.Builder
	ops, last := slices.Collect(e.All()), ""
	for line := range strings.Lines(irtext.Sprint(&tileir.Module{Globals: globals, Entries: []*tileir.Entry{e}})) {
		text := strings.TrimLeft(line, " ")
		if text != line && strings.IndexAny(text, "})(") != 0 { // an operation, not the end of a region
			for len(ops) > 1 && ops[0].Info.Mnemonic != mnemonic(text) {
				ops = ops[1:] // an empty terminator, which has no text
			}
			if at := place(t, ops[0].Loc); at != last {
				fmt.Fprintf(&out, "%s// %s\n", line[:len(line)-len(text)], at)
				last = at
			}
			ops = ops[1:]
		}
		out.WriteString(line)
	}
	return out.String()
}

// place is a file, a line and what stands there.
func place(t *testing.T, l tileir.Loc) string {
	file := filepath.Base(l.File)
	text, err := os.ReadFile(filepath.Join("testdata/emit", file))
	lines := strings.Split(string(text), "\n")
	if err != nil || l.Line < 1 || l.Line > len(lines) {
		t.Fatalf("an operation is of line %d of %s: %v", l.Line, l.File, err)
	}
	return fmt.Sprintf("%s:%d: %s", file, l.Line, strings.TrimSpace(lines[l.Line-1]))
}

// mnemonic is the name of the operation that a line begins with.
func mnemonic(text string) string {
	if strings.HasPrefix(text, "%") {
		_, text, _ = strings.Cut(text, " = ")
	}
	name, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return name
}

// TestWorked holds the worked example in the comment of package lower against the construct that it shows.
func TestWorked(t *testing.T) { worked.Check(t, "../lower", "../../..") }
