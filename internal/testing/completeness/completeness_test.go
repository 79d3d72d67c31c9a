package completeness_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

var update = flag.Bool("update", false, "write docs/completeness.md, after all mutants")

const (
	top        = "../../.."
	reportFile = top + "/docs/completeness.md"
)

// TestCompleteness finds a test for every cell, and compares the report.
func TestCompleteness(t *testing.T) {
	all := cells(t)
	if n := len(tileir.Infos()); len(all) != 8*n {
		t.Errorf("%d operations and %d cells, want 8 for each", n, len(all))
	}
	declared := map[string]map[string]*ast.FuncDecl{}
	for _, c := range all {
		if c.test == "" {
			t.Errorf("%v: no test", c)
			continue
		}
		dir := c.dir
		if declared[dir] == nil {
			declared[dir] = testsOf(t, dir)
		}
		name, sub, _ := strings.Cut(c.test, "/")
		f := declared[dir][name]
		if f == nil {
			t.Errorf("%v: there is no %s in %s", c, name, dir)
		} else if sub != "" && !hasSubtests(f) {
			t.Errorf("%v: %s in %s has no subtests, so there is no %s", c, name, dir, c.test)
		}
	}
	for op := range noResult {
		if tileir.Lookup(op) == nil {
			t.Errorf("noResult: %s is no operation", op)
		}
	}
	if *update {
		return // TestMutants writes the report
	}
	text, err := os.ReadFile(reportFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != report(t) {
		t.Errorf("docs/completeness.md is out of date: run go test ./internal/testing/completeness -update")
	}
}

// testsOf gives the tests that are declared in a folder.
func testsOf(t *testing.T, dir string) map[string]*ast.FuncDecl {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(top, filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*ast.FuncDecl{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") && len(fn.Type.Params.List) == 1 {
				found[fn.Name.Name] = fn
			}
		}
	}
	return found
}

// hasSubtests reports whether a test calls Run. Which subtests there are only a run tells: see TestMutants.
func hasSubtests(f *ast.FuncDecl) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Run" {
			found = true
		}
		return !found
	})
	return found
}
