package source_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/langsrc"
)

// register makes a package of files under a path of the test's own.
func register(path, dir string, files map[string]string) {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	langsrc.Register(&langsrc.Source{Path: path, Dir: dir, FS: []fs.FS{m}})
}

const mixed = `package mixed

import "fmt"

const (
	One = iota
	Two
)

var a, b = 1, 2

type (
	// Pair is one of a group.
	Pair[A, B any] struct { a A; b B }
	Single int
)

// Alone has a group's comment.
type Alone int

func (p *Pair[A, B]) Swap() { fmt.Println() }
func (s Single) Swap() {}
func (s (Single)) Other() {}
func init() {}
func _() {}
func Plain() {}
`

// TestIndex: which declarations a package has, by name and by receiver; constants of a group stay together.
func TestIndex(t *testing.T) {
	register("index/mixed", "/src/mixed", map[string]string{"a.go": mixed, "b.txt": "no Go", "c.go": "//go:build never\n\npackage mixed\n\nfunc Never() {}\n",
		"d_windows.go": "package mixed\n\nfunc Windows() {}\n", "d_linux.go": "package mixed\n\nfunc System() {}\n", "d_darwin.go": "package mixed\n\nfunc System() {}\n",
		"a_test.go": "package mixed\n\nfunc InTest() {}\n", "x_test.go": "package mixed_test\n\nfunc Outside() {}\n", "sub/e.go": "package sub\n"})
	p, err := source.Load("index/mixed")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range p.Decls {
		if name != "System" && name != "Windows" { // one of them, by the system that the test runs on
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if want := []string{"Alone", "InTest", "One", "Pair", "Plain", "Single", "Two", "a", "b"}; !slices.Equal(names, want) || p.Name != "mixed" || p.Lang {
		t.Errorf("%s: %q, want %q", p.Name, names, want)
	}
	for recv, want := range map[string][]string{"Pair": {"Swap"}, "Single": {"Other", "Swap"}, "Alone": nil} {
		if got := slices.Sorted(maps.Keys(p.Methods[recv])); !slices.Equal(got, want) {
			t.Errorf("methods of %s: %q, want %q", recv, got, want)
		}
	}
	if p.Decls["One"] != p.Decls["Two"] || p.Decls["a"] != p.Decls["b"] || p.Decls["Pair"] == p.Decls["Single"] {
		t.Error("groups of constants and variables stay whole, types do not")
	}
	if source.Compare(p.Decls["One"], p.Decls["Alone"]) >= 0 || source.Compare(p.Decls["Plain"], p.Decls["Alone"]) <= 0 || source.Compare(p.Decls["a"], p.Decls["b"]) != 0 ||
		source.Compare(p.Decls["Plain"], p.Decls["InTest"]) != -source.Compare(p.Decls["InTest"], p.Decls["Plain"]) {
		t.Error("the order of declarations is not that of the file")
	}
	if again, err := source.Load("index/mixed"); err != nil || again != p {
		t.Errorf("loaded twice: %v", err)
	}
	for line, want := range map[int]string{0: "", 1: "package mixed", 10: "var a, b = 1, 2", 1000: ""} {
		if got := source.Line(token.Position{Filename: "/src/mixed/a.go", Line: line}); got != want {
			t.Errorf("line %d is %q, want %q", line, got, want)
		}
	}
	if got := source.Line(token.Position{Filename: "/src/mixed/none.go", Line: 1}); got != "" {
		t.Errorf("a line of no file is %q", got)
	}
	pos := source.Fset.Position(p.Decls["Alone"].Node.Pos())
	if pos.Filename != "/src/mixed/a.go" || pos.Line != 19 || source.IsLanguage(p.Decls["Alone"].Node.Pos()) || !source.IsLanguage(token.NoPos) {
		t.Errorf("Alone is at %v", pos)
	}
	if p.Decls["Plain"].Func() == nil || p.Decls["Alone"].Func() != nil {
		t.Error("Func")
	}
}

// TestExternalTest: of a package of tests from outside only its own files count.
func TestExternalTest(t *testing.T) {
	register("index/outside_test", "/src/outside", map[string]string{"a.go": "package outside\n\nfunc Inside() {}\n", "a_test.go": "package outside_test\n\nfunc Outside() {}\n"})
	p, err := source.Load("index/outside_test")
	if err != nil || p.Decls["Inside"] != nil || p.Decls["Outside"] == nil || p.Name != "outside_test" {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestAdded: files that a second registration adds are seen, and those that are there already count once.
func TestAdded(t *testing.T) {
	register("index/added", "/src/added", map[string]string{"a.go": "package added\n\nfunc A() {}\n"})
	first, err := source.Load("index/added")
	if err != nil {
		t.Fatal(err)
	}
	register("index/added", "/src/added", map[string]string{"a.go": "package added\n\nfunc Other() {}\n", "b.go": "package added\n\nfunc B() {}\n"})
	second, err := source.Load("index/added")
	if err != nil || second == first || second.Decls["A"] == nil || second.Decls["B"] == nil || second.Decls["Other"] != nil {
		t.Errorf("%+v, %v", second, err)
	}
}

// broken has files that can be opened, but not be read.
type broken struct{ fstest.MapFS }

func (b broken) ReadFile(string) ([]byte, error) { return nil, fs.ErrPermission }

// TestLoadRefuses: what is wrong with a registered package.
func TestLoadRefuses(t *testing.T) {
	register("wrong/empty", "/e", map[string]string{"readme.txt": ""})
	register("wrong/syntax", "/s", map[string]string{"a.go": "package a\n\nfunc {\n"})
	langsrc.Register(&langsrc.Source{Path: "wrong/unread", FS: []fs.FS{os.DirFS(filepath.Join(t.TempDir(), "nothing"))}})
	langsrc.Register(&langsrc.Source{Path: "wrong/closed", FS: []fs.FS{broken{fstest.MapFS{"a.go": {Data: []byte("package a")}}}}})
	for path, want := range map[string]string{
		"wrong/empty":  "package wrong/empty registered a file system without its Go files: embed them with //go:embed *.go",
		"wrong/syntax": "/s/a.go:3:6: expected 'IDENT', found '{'",
		"wrong/unread": "package wrong/unread: ",
		"wrong/closed": "package wrong/closed: permission denied",
	} {
		if p, err := source.Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %q", path, p, err, want)
		}
	}
	if p, err := source.Load("wrong/unknown"); p != nil || err != nil {
		t.Errorf("a path that nobody registered: %v, %v", p, err)
	}
}

// TestImports: the names that a file has for packages.
func TestImports(t *testing.T) {
	register("import/registered-path", "/r", map[string]string{"a.go": "package other\n"})
	langsrc.Alias("import/alias", "import/registered-path")
	f, err := parser.ParseFile(token.NewFileSet(), "a.go", `package a
import (
	"fmt"
	"a/b/v2"
	"v2"
	"c/vet"
	"gopkg.in/yaml.v3"
	"d/go-flags"
	named "e/f"
	_ "g/h"
	. "i/j"
	. "k"
	"import/registered-path"
	"import/alias"
)`, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	byName, dot := source.Imports(f)
	want := map[string]string{"fmt": "fmt", "b": "a/b/v2", "v2": "v2", "vet": "c/vet", "yaml": "gopkg.in/yaml.v3", "flags": "d/go-flags", "named": "e/f",
		"_": "g/h", "other": "import/registered-path", "alias": "import/alias"}
	if !maps.Equal(byName, want) || !slices.Equal(dot, []string{"i/j", "k"}) {
		t.Errorf("%v, %q", byName, dot)
	}
	if source.Target("import/alias") != "import/registered-path" {
		t.Error("Target")
	}
	if p, err := source.Load("import/alias"); err != nil || p.Path != "import/registered-path" {
		t.Errorf("%v, %v", p, err)
	}
}

// TestTypeName: the name of a receiver's type.
func TestTypeName(t *testing.T) {
	for text, want := range map[string]string{"T": "T", "*T": "T", "(T)": "T", "*(T)": "T", "T[A]": "T", "*T[A, B]": "T", "p.T": "T", "*p.T[A]": "T", "[]T": "", "func()": ""} {
		e, err := parser.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := source.TypeName(e); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := source.TypeName(&ast.Ellipsis{}); got != "" {
		t.Error(got)
	}
}

// TestMissing: why a name is not there.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"kernel.go": "package lost\n\nfunc Kernel() {}\n",
		"other.go":  "package lost\n\ntype Type int\n\nconst A, B = 1, 2\n\nvar V int\n\nfunc (Type) Method() {}\n\nfunc Func() {}\n",
		"wrong.go":  "package lost\n\nfunc Wrong( {\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lost := "missing" + filepath.ToSlash(dir) // another one each time that the test runs
	register(lost, filepath.ToSlash(dir), map[string]string{"kernel.go": "package lost\n\nfunc Kernel() {}\n", "a.go": "package lost\n"})
	p, err := source.Load(lost)
	if err != nil {
		t.Fatal(err)
	}
	there := "it is declared in other.go, which package " + lost + " does not embed: add the file to its go:embed line"
	only := "package " + lost + " embeds only a.go, kernel.go"
	for name, want := range map[string]string{"Type": there, "A": there, "B": there, "V": there, "Func": there, "Method": only, "Wrong": only, "Kernel": only, "None": only} {
		if got := p.Missing(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, src := range langsrc.All() {
		if src.Lang {
			if p, err := source.Load(src.Path); err != nil || p.Missing("None") != "" {
				t.Errorf("%s: %v", src.Path, err)
			}
		}
	}
}
