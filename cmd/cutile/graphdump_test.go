package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/graph"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/toolbox/graphdump"
)

// graphsDir is a package of this module with functions that build graphs.
const graphsDir = "./cmd/cutile/testdata/graphs"

// userModule makes a module that imports cutile, with the given files, and returns its folder.
func userModule(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	_, require, _ := strings.Cut(string(mod), "require")
	dir := t.TempDir()
	all := map[string]string{
		"go.mod": "module example.com/user\n\ngo 1.26.0\n\nrequire github.com/cutile-go/cutile v0.0.0\n\nreplace github.com/cutile-go/cutile => " + root + "\n\nrequire" + require,
		"go.sum": string(sum),
	}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// contents gives the files below a folder.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		b.WriteString(path + "\n" + string(text) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const imports = `import (
	"errors"
	"fmt"
	"os"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

var _, _, _, _ = errors.New, fmt.Println, os.Exit, dtype.F32

`

// userFiles are packages of a user: an internal one, a command, and one with every way to fail.
var userFiles = map[string]string{
	"internal/nn/model.go": "package nn\n\n" + imports + `func model(g *graph.Graph) (doubled *graph.Value, more []*graph.Value, err error) {
	fmt.Println("model is called")
	x := g.Parameter("x", dtype.F32, 4)
	return graph.Add(x, x), []*graph.Value{graph.Neg(x)}, nil
}

var inVariable = func(g *graph.Graph) []*graph.Value { return []*graph.Value{g.Parameter("x", dtype.F32, 4)} }
`,
	"internal/nn/model_test.go": "package nn\n\nimport \"github.com/cutile-go/cutile/graph\"\n\nfunc tested(g *graph.Graph) *graph.Value { return nil }\n",
	"cmd/tool/main.go": "package main\n\n" + imports + `type size interface{ int | uint8 }

var extent int

func init() { extent = 3 }

// g has the name of everybody's parameter.
func g[T size](gr *graph.Graph) *graph.Value { return graph.Neg(gr.Parameter(fmt.Sprintf("%T", T(0)), dtype.F32, extent)) }

func main() { os.WriteFile("main-has-run", nil, 0o644) }
`,
	"wrong/wrong.go": "package wrong\n\n" + imports + `func mistaken(g *graph.Graph) *graph.Value {
	x := g.Parameter("x", dtype.F32, 3)
	y := graph.Add(x, g.Parameter("y", dtype.F32, 4))
	return graph.MatMul(y, graph.Reshape(x, 7))
}

func fails(g *graph.Graph) (*graph.Value, error) { return nil, errors.New("no weights") }
func panics(g *graph.Graph) *graph.Value         { panic("out of luck") }
func exits(g *graph.Graph) *graph.Value          { os.Exit(0); return nil }
func empty(g *graph.Graph) []*graph.Value        { return nil }
func none(g *graph.Graph) *graph.Value           { return nil }
func sized(g *graph.Graph, n int) *graph.Value   { return nil }
func plain(n int) int                            { return n }
func early(g *graph.Graph) (error, *graph.Value) { return nil, nil }

type net struct{}

func (net) method(g *graph.Graph) *graph.Value { return nil }
`,
	"broken/broken.go": "package broken\n\n" + imports + "func Model(g *graph.Graph) *graph.Value { return missing(g) }\n",
	"plain/plain.go":   "package plain\n\nfunc Add(a, b int) int { return a + b }\n",
	"onbroken/model.go": "package onbroken\n\nimport (\n\t\"example.com/user/broken\"\n\t\"github.com/cutile-go/cutile/graph\"\n)\n\n" +
		"func model(g *graph.Graph) *graph.Value { return broken.Model(g) }\n",
	"empty/README": "nothing\n",
}

// TestDumpGraph shows functions of other modules, and leaves these as they are.
func TestDumpGraph(t *testing.T) {
	testenv.Elsewhere(t)
	golden(t, "dump-graph.txt", must(t, "dump", "-graph", graphsDir, "layer"))
	dir := userModule(t, userFiles)
	before := contents(t, dir)
	code, out, errs := cutile("dump", "-graph", filepath.Join(dir, "internal", "nn"), "model", "-stage", "fused")
	if code != exitOK || errs != "model is called\n" || !strings.Contains(out, "%1 = add(%0, %0) float32[4]                              model.go:") || strings.Count(out, "kernel ") != 2 {
		t.Errorf("exit code %d, %s, %s", code, errs, out)
	}
	if out := must(t, "dump", "-graph", filepath.Join(dir, "internal", "nn"), "inVariable", "-stage", "graph,fused"); !strings.Contains(out, "results that are copied: %0\n") {
		t.Errorf("a function in a variable gives %s", out)
	}
	if out := must(t, "dump", "-graph", "-stage", "graph", filepath.Join(dir, "cmd", "tool"), "g[uint8]"); !strings.Contains(out, "%0 = parameter() uint8 float32[3] ") || strings.Contains(out, "====") {
		t.Errorf("a function of package main gives %s", out)
	}
	if contents(t, dir) != before {
		t.Error("the module has changed")
	}
	if _, err := os.Stat("main-has-run"); err == nil {
		t.Error("main has run")
	}
}

// TestDumpGraphFiles writes the stages to files, and compares them with what is printed.
func TestDumpGraphFiles(t *testing.T) {
	testenv.Elsewhere(t)
	if stages := graph.Stages(); !slices.EqualFunc(stages, graphdump.Stages(), func(a graph.Stage, b string) bool { return string(a) == b }) {
		t.Errorf("package graph has the stages %v, and the command %v", stages, graphdump.Stages())
	}
	dir := filepath.Join(t.TempDir(), "new")
	files := strings.Fields(must(t, "dump", "-graph", graphsDir, "layer", "-o", dir))
	var all strings.Builder
	for i, ext := range []string{".graph.txt", ".fused.txt", ".cost.txt", ".tileir.txt"} {
		if want := filepath.Join(dir, "graphs.layer"+ext); len(files) != 4 || files[i] != want {
			t.Fatalf("got files %q, want %s", files, want)
		}
		text, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			all.WriteByte('\n')
		}
		all.WriteString("==== " + graphdump.Stages()[i] + " ====\n\n" + string(text))
	}
	golden(t, "dump-graph.txt", all.String())
}

// TestDumpGraphErrors: what is wrong, where, and what to do.
func TestDumpGraphErrors(t *testing.T) {
	testenv.Elsewhere(t)
	dir := userModule(t, userFiles)
	expected := ", expected a func(g *graph.Graph) whose results are *graph.Value or []*graph.Value, and perhaps an error last: write a function of that type that calls it"
	refuses(t, dir, []graphRefusal{
		{"none", "model", "none: no such file"},
		{"go.mod", "model", "go.mod is not a folder: name the folder of a Go package"},
		{"empty", "model", "there is no Go package in " + filepath.Join(dir, "empty") + ":\n  no Go files in "},
		{"onbroken", "model", "go build in " + filepath.Join(dir, "onbroken") + ", of a program that calls model: exit status 1\n# example.com/user/broken\n../broken/broken.go:14:50: undefined: missing"},
		{"plain", "model", "package example.com/user/plain has no function model, and none that builds a graph: write a func(g *graph.Graph) "},
		{"internal/nn", "modle", "package example.com/user/internal/nn has no function modle; those that build graphs are model\n"},
		{"internal/nn", "tested", "has no function tested: " + filepath.Join(dir, "internal", "nn", "model_test.go") + " declares it, but is a test or left out by its build constraints; move it to another file"},
		{"wrong", "sized", "wrong.go:25:6: sized is func(g *graph.Graph, n int) *graph.Value" + expected},
		{"wrong", "plain", "wrong.go:26:6: plain is func(n int) int" + expected},
		{"wrong", "early", "early is func(g *graph.Graph) (error, *graph.Value)" + expected},
		{"wrong", "net", "net is wrong.net" + expected},
		{"wrong", "method", "has no function method; those that build graphs are empty, exits, fails, mistaken, none, panics\n"},
		{"cmd/tool", "g", "main.go:21:6: g takes type arguments: name it with them, such as 'g[float32]'"},
		{"cmd/tool", "g[string]", "string does not satisfy size"},
		{"cmd/tool", "g[fmt.State]", "undefined: fmt (a type argument is a type of Go itself or of package main)"},
		{"broken", "Model", "package example.com/user/broken does not compile:\n  " + filepath.Join(dir, "broken", "broken.go") + ":14:50: undefined: missing"},
		{"wrong", "mistaken", "cutile dump: wrong.go:16: graph: add: the shapes of [float32[3] float32[4]] do not fit: axes, aligned at the last one, must have the same extent, or 1\nwrong.go:17: graph: reshape"},
		{"wrong", "panics", "wrong.go:21"},
	})
	code, _, errs := cutile("dump", graphsDir, "layer")
	if want := "graphs.go:10:1: layer builds a graph, and is no kernel: add -graph"; code != exitFailed || !strings.Contains(errs, want) {
		t.Errorf("without -graph: exit code %d, %q, want %q", code, errs, want)
	}
}

// TestDumpGraphEnds has functions that end in other ways than they should.
func TestDumpGraphEnds(t *testing.T) {
	testenv.Slow(t)
	refuses(t, userModule(t, userFiles), []graphRefusal{
		{"wrong", "fails", "cutile dump: fails returns an error: no weights\n"},
		{"wrong", "empty", "empty returns no values, so that there is nothing to compute"},
		{"wrong", "none", "cutile dump: graph: result 1 is nil\n"},
		{"wrong", "exits", "the program ended before exits had returned: look for os.Exit in it, and in the functions init of package example.com/user/wrong"},
	})
}

// graphRefusal is a function that cannot be shown, with a piece of what the command says.
type graphRefusal struct{ folder, function, want string }

func refuses(t *testing.T, dir string, list []graphRefusal) {
	t.Helper()
	for _, c := range list {
		code, out, errs := cutile("dump", "-graph", filepath.Join(dir, filepath.FromSlash(c.folder)), c.function)
		if code != exitFailed || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s of %s: exit code %d, %q, %q, want %q", c.function, c.folder, code, out, errs, c.want)
		}
		// The program prints where it panics, and the command what to make of it.
		if want := "\ncutile dump: the program failed in panics or in a function init before it: exit status 2; above is what it printed\n"; c.function == "panics" && !strings.HasSuffix(errs, want) {
			t.Errorf("a panic ends with %q, want %q", errs, want)
		}
	}
}
