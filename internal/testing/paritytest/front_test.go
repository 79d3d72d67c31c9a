package paritytest_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tile/op"
)

// TestOriginalSourceIsRegistered: what the compiler reads is the file as it was written, byte for byte.
func TestOriginalSourceIsRegistered(t *testing.T) {
	src := langsrc.Lookup(ownPath)
	if src == nil {
		t.Fatal("this package is not registered")
	}
	if own, err := filepath.Abs("."); err != nil || src.Dir != own {
		t.Errorf("registered with folder %s, want %s (%v)", src.Dir, own, err)
	}
	for _, name := range []string{"kernels_test.go", "front_test.go"} {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := fs.ReadFile(src.FS[0], name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v, %d bytes of %d", name, err, len(got), len(want))
		}
	}
}

// TestCaptureReadsNoSyntax: capture and registry know nothing of Go's syntax, so that a feature of the language needs
// no change there.
func TestCaptureReadsNoSyntax(t *testing.T) {
	files, err := filepath.Glob("../../langsrc/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range append(files, "../../../module.go") {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			if path := strings.Trim(imp.Path.Value, `"`); strings.HasPrefix(path, "go/") || strings.Contains(path, "internal/front/world") ||
				strings.Contains(path, "internal/front/source") {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}

// TestOperationsPanicOnTheHost: an operation that is called as plain Go says how kernels run.
func TestOperationsPanicOnTheHost(t *testing.T) {
	for name, call := range map[string]func(){
		"tile.Exp":    func() { tile.Exp(tile.F32(1)) },
		"op.AddF":     func() { op.AddF(tile.F32(1), 2, op.NearestEven, false) },
		"In.Load":     func() { var x tile.In[vec[d4]]; x.Load(0) },
		"tile.Extent": func() { tile.Extent[d4]() },
		"Sum0":        func() { vec[d4](1).Sum0() },
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.Contains(s, "cutile.Launch") {
					t.Errorf("%s: panic %q", name, s)
				}
			}()
			call()
		}()
	}
	files, err := filepath.Glob("../../../tile/op/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	n := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name == "init" {
				continue
			}
			n++
			if fn.Name.Name == "InKernel" { // the one question that has an answer on the host
				continue
			}
			e, ok := fn.Body.List[0].(*ast.ExprStmt)
			if !ok || len(fn.Body.List) != 1 {
				t.Errorf("op.%s has a body", fn.Name.Name)
				continue
			}
			if c, ok := e.X.(*ast.CallExpr); !ok || c.Fun.(*ast.Ident).Name != "panic" {
				t.Errorf("op.%s does not panic", fn.Name.Name)
			}
		}
	}
	if n < 80 {
		t.Errorf("only %d declarations in tile/op", n)
	}
}

// TestViewsHaveNoPublicConstructor: no exported function of package tile makes a view from anything but a view, those
// aside that make memory of their own.
func TestViewsHaveNoPublicConstructor(t *testing.T) {
	files, err := filepath.Glob("../../../tile/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	ownMemory := []string{"Scratch", "Global", "Table"}
	makers := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !hasView(fn.Type.Results) || hasView(fn.Recv) || hasView(fn.Type.Params) {
				continue
			}
			makers++
			if fn.Name.IsExported() && !slices.Contains(ownMemory, fn.Name.Name) {
				t.Errorf("tile.%s makes a view", fn.Name.Name)
			}
		}
	}
	if want := 4 + len(ownMemory); makers != want {
		t.Errorf("%d constructors of views, want %d", makers, want)
	}
}

// hasView reports whether a list of parameters or results has a view in it.
func hasView(list *ast.FieldList) bool {
	if list == nil {
		return false
	}
	return slices.ContainsFunc(list.List, func(f *ast.Field) bool {
		x, ok := f.Type.(*ast.IndexExpr)
		if !ok {
			return false
		}
		id, ok := x.X.(*ast.Ident)
		return ok && slices.Contains([]string{"In", "Out", "InOut", "Ptr"}, id.Name)
	})
}

// TestCheckersAgree compiles what the Go compiler refuses: the kernel compiler's checker must refuse it at the same lines.
func TestCheckersAgree(t *testing.T) {
	const file = "../processtest/testdata/wrong/wrong.go"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("parity.test/wrong%d", run.Add(1))
	langsrc.Register(&langsrc.Source{Path: path, Dir: "wrong", FS: []fs.FS{fstest.MapFS{"wrong.go": {Data: text}}}})
	marked := regexp.MustCompile(`// want \d+ "`)
	seen := 0
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Name.Name == "launches" {
			continue
		}
		from, to := int(fn.Pos())-1, int(fn.End())-1
		if end := bytes.IndexByte(text[to:], '\n'); end > 0 {
			to += end
		}
		at := marked.FindIndex(text[from:to])
		if at == nil {
			continue
		}
		seen++
		line := 1 + bytes.Count(text[:from+at[0]], []byte("\n"))
		args := strings.Split(strings.Repeat("D16 ", fn.Type.TypeParams.NumFields()), " ")
		args = args[:len(args)-1]
		for i := range args {
			args[i] = "tile." + []string{"D16", "D32", "D64"}[i]
		}
		if err := compileNamed(t, path, fn.Name.Name, args...); err == nil {
			t.Errorf("%s compiles", fn.Name.Name)
		} else if !atLine(err, line) {
			t.Errorf("%s: want line %d, got\n%v", fn.Name.Name, line, err)
		}
	}
	if seen < 9 {
		t.Errorf("only %d functions tried", seen)
	}
}

func fileText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func fileImports(t *testing.T, name string) (paths []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, imp := range f.Imports {
		paths = append(paths, strings.Trim(imp.Path.Value, `"`))
	}
	return paths
}

func compileNamed(t *testing.T, path, name string, args ...string) error {
	t.Helper()
	k, err := compile.ResolveNamed(path, name, args...)
	if err != nil {
		return err
	}
	_, err = k.Compile(t.Context(), facts(k))
	return err
}

// atLine reports whether a mistake lies on a line of wrong.go.
func atLine(err error, line int) bool {
	for _, e := range diagnostics(err) {
		if e.Pos.Line == line && filepath.Base(e.Pos.Filename) == "wrong.go" {
			return true
		}
	}
	return false
}

func diagnostics(err error) []*diag.Error {
	switch e := err.(type) {
	case diag.List:
		return e
	case *diag.Error:
		return []*diag.Error{e}
	}
	return nil
}

// TestOtherSystemsBuild: registry, compiler and CPU engine build for systems that the tests do not run on. The gate
// has built for js/wasm before, and looks at types for the others (internal/testing/crosscheck); scripts/sweep.sh targets builds for more.
func TestOtherSystemsBuild(t *testing.T) {
	testenv.Slow(t)
	for _, system := range []string{"darwin/arm64", "windows/amd64", "js/wasm"} {
		t.Run(system, func(t *testing.T) {
			if system != "js/wasm" {
				testenv.Builds(t)
			}
			goos, goarch, _ := strings.Cut(system, "/")
			cmd := exec.Command("go", "build", "github.com/cutile-go/cutile")
			cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
