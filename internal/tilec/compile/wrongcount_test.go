package compile_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCountOfWrongPrograms holds how many wrong programs there are in all, each with its place and text.
func TestCountOfWrongPrograms(t *testing.T) {
	total := 0
	for _, c := range []struct {
		pattern string
		least   int
	}{
		{"wrong_*_test.go", 330},
		{"../../testing/processtest/testdata/wrong/*.go", 55},
		{"../../../vet/testdata/src/*/*.go", 18},
	} {
		files, err := filepath.Glob(c.pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(c.pattern, err)
		}
		n := 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			n += strings.Count(string(text), "// want ")
		}
		if n < c.least {
			t.Errorf("%s: %d mistakes, want at least %d", c.pattern, n, c.least)
		}
		total += n
	}
	launches := cases(t, "../../../launch_test.go", "TestLaunchMistakes")
	if launches < 38 {
		t.Errorf("%d wrong launches, want at least 38", launches)
	}
	t.Logf("%d wrong programs", total+launches)
}

// cases counts the rows of a test's table.
func cases(t *testing.T, file, test string) (n int) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != test {
			continue
		}
		ast.Inspect(fn, func(node ast.Node) bool {
			a, ok := node.(*ast.AssignStmt)
			if ok && a.Lhs[0].(*ast.Ident).Name == "cases" {
				n = len(a.Rhs[0].(*ast.CompositeLit).Elts)
			}
			return n == 0
		})
	}
	return n
}
