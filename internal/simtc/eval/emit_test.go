package eval_test

import (
	"flag"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/front/capture"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/simt/opt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/simtc/emit"
	"github.com/cutile-go/cutile/internal/simtc/eval"
	_ "github.com/cutile-go/cutile/internal/simtc/eval/testdata/emit"
	"github.com/cutile-go/cutile/internal/testing/worked"
)

var update = flag.Bool("update", false, "write the texts in testdata/emit anew")

const emitPath = "github.com/cutile-go/cutile/internal/simtc/eval/testdata/emit"

// shown is what the text of a construct has beyond the rest: layouts of tensors that are not vectors of any length, the host
// function, PTX for a target.
var shown = map[string]struct {
	layouts []string // of the tensors, in order; the last one of those behind it, too
	host    bool
	target  string
}{
	"LayoutStatic":   {layouts: []string{"(4,8):(8,1)"}},
	"LayoutDynamic":  {layouts: []string{"(?,?):(?,?)"}},
	"LayoutDivided":  {layouts: []string{"(64,64):(64,1)"}},
	"Copies":         {layouts: []string{"(32,4):(4,1)"}},
	"CopyUnder":      {layouts: []string{"(32,2):(2,1)"}},
	"CopyAsync":      {layouts: []string{"(32,4):(4,1)"}},
	"Vectors":        {layouts: []string{"(32,4):(4,1)"}},
	"RegisterMemory": {layouts: []string{"(3):(1)"}},
	"Barriers":       {layouts: []string{"(32):(1)"}},
	"MatrixProduct":  {layouts: []string{"(16,16):(16,1)", "(8,16):(16,1)", "(16,8):(8,1)"}, target: "sm_80"},
	"Host":           {host: true},
	"Words":          {target: "sm_80"},
	"PrintAssert":    {target: "sm_80"},
}

// TestEmit shows a construct at a time what the evaluator writes down. Each file of testdata/emit but source.go has one host
// function, and a text beside it.
func TestEmit(t *testing.T) {
	p, err := source.Load(emitPath)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("testdata/emit/*.go")
	want := []string{"testdata/emit/source.go"}
	for name, d := range p.Decls {
		if fn := d.Func(); fn == nil || !fn.Name.IsExported() {
			continue
		}
		file := "testdata/emit/" + filepath.Base(source.Fset.Position(d.Func().Pos()).Filename)
		want = append(want, file)
		t.Run(name, func(t *testing.T) {
			golden(t, strings.TrimSuffix(file, ".go")+".txt", instructions(t, name, d))
		})
	}
	if slices.Sort(want); !slices.Equal(files, want) {
		t.Errorf("one exported function in each file: got files %q, functions in %q", files, want)
	}
	texts, _ := filepath.Glob("testdata/emit/*.txt")
	for _, text := range texts {
		if !slices.Contains(files, strings.TrimSuffix(text, ".txt")+".go") {
			t.Errorf("%s belongs to no construct", text)
		}
	}
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

// instructions is the text of a construct.
func instructions(t *testing.T, name string, d *source.Decl) string {
	ref := capture.Ref{Root: world.Symbol{Path: emitPath, Name: name}, Decl: d}
	w, err := eval.Language.Load([]world.Symbol{ref.Root})
	if err != nil {
		t.Fatal(err)
	}
	w.Lock()
	defer w.Unlock()
	f, err := ref.Bind(w)
	if err != nil {
		t.Fatal(err)
	}
	args, about := arguments(name, f.Sig.Params())
	out, err := eval.Host(&eval.Input{World: w, Host: f, Name: name, Symbol: name, Args: args, Options: emit.Options{Asserts: true}})
	if err != nil {
		t.Fatal(err)
	}
	kernels, host, _ := strings.Cut(out.Module.Text(true), "  func.func ")
	text := about + placed(t, kernels)
	if shown[name].host {
		text += placed(t, "  func.func "+host)
	}
	if target := shown[name].target; target != "" {
		if err := opt.Module(t.Context(), out.Module); err != nil {
			t.Fatal(err)
		}
		for _, k := range out.Module.Kernels { // assertions hold the path of their file
			for i := range k.Body {
				k.Body[i].Pos.Filename = filepath.Base(k.Body[i].Pos.Filename)
			}
		}
		code, err := ptx.Write(out.Module, target)
		if err != nil {
			t.Fatal(err)
		}
		text += "\n-- PTX for " + target + ", after the passes --\n" + string(code)
	}
	return text
}

// arguments makes an argument for each parameter, and a text about them: a tensor is an aligned vector, unless shown has its
// layout; a number is dynamic.
func arguments(name string, params *types.Tuple) (args []eval.Arg, about string) {
	layouts := append([]string(nil), shown[name].layouts...)
	if layouts == nil {
		layouts = []string{"(?):(1)"}
	}
	about = "-- instructions"
	for i := range params.Len() {
		if _, ok := params.At(i).Type().Underlying().(*types.Basic); ok {
			args = append(args, eval.Dyn{})
			continue
		}
		args = append(args, eval.TensorArg{Layout: dynLayout(layouts[0]), Align: 16})
		about += ", " + params.At(i).Name() + " " + layouts[0]
		if len(layouts) > 1 {
			layouts = layouts[1:]
		}
	}
	return args, about + " --\n"
}

var location = regexp.MustCompile(` loc\("([^"]*)":(\d+):\d+\)\n`)

// placed takes the places out of a text. A comment before an instruction shows the line of the source that it comes from, where
// that is another line than the one before.
func placed(t *testing.T, text string) string {
	var out strings.Builder
	last := ""
	for line := range strings.Lines(text) {
		if m := location.FindStringSubmatch(line); m != nil {
			line = strings.TrimSuffix(line, m[0]) + "\n"
			if at := place(t, filepath.Base(m[1]), m[2]); at != last {
				fmt.Fprintf(&out, "%*s// %s\n", len(line)-len(strings.TrimLeft(line, " ")), "", at)
				last = at
			}
		}
		out.WriteString(line)
	}
	return out.String()
}

// place is a file, a line and what stands there.
func place(t *testing.T, file, line string) string {
	text, err := os.ReadFile(filepath.Join("testdata/emit", file))
	if err != nil {
		t.Fatal(err)
	}
	var n int
	fmt.Sscan(line, &n)
	return fmt.Sprintf("%s:%d: %s", file, n, strings.TrimSpace(strings.Split(string(text), "\n")[n-1]))
}

// TestWorked holds the worked example in the comment of this package against the construct that it shows.
func TestWorked(t *testing.T) { worked.Check(t, ".", "../../..") }
