// Package examples_test checks requirements for all examples. The tests of each example are in its folder.
package examples_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// programs lists the folders with a main.go.
func programs(t *testing.T) []string {
	t.Helper()
	mains, err := filepath.Glob(filepath.Join("*", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if len(mains) < 6 {
		t.Fatalf("only %d examples: %v", len(mains), mains)
	}
	dirs := make([]string, len(mains))
	for i, m := range mains {
		dirs[i] = filepath.Dir(m)
	}
	return dirs
}

// TestComplete checks that every example says how to run it, that its test runs it, and that package exampletest
// assembles its kernels and checks that none is missing. The tests of commands in the module apps only run them.
func TestComplete(t *testing.T) {
	for _, dir := range programs(t) {
		readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
		if err != nil {
			t.Error(err)
			continue
		}
		if cmd := "go run ./examples/" + dir; !strings.Contains(string(readme), cmd) {
			t.Errorf("%s/README.md does not say %q", dir, cmd)
		}
		called := calls(t, dir)
		if ofApps(t, dir) {
			if called = calls(t, filepath.Join("apps", dir)); !called["run"] {
				t.Errorf("no test of apps/%s calls run", dir)
			}
			continue
		}
		source, err := os.ReadFile(filepath.Join(dir, "main.go"))
		if own := strings.Contains(string(source), "cutile.Module("); err != nil || own && !called["exampletest.Kernels"] {
			t.Errorf("no test of %s calls exampletest.Kernels for its kernels; %v", dir, err)
		}
		if !called["exampletest.Output"] && !called["run"] {
			t.Errorf("no test of %s calls run or exampletest.Output", dir)
		}
	}
}

// ofApps reports whether the command only starts the one of its name in the module apps.
func ofApps(t *testing.T, dir string) bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "main.go"), nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	return len(f.Imports) == 1 && strings.HasSuffix(f.Imports[0].Path.Value, `/internal/app"`)
}

// calls returns the functions that the tests of a folder call.
func calls(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				called[types.ExprString(call.Fun)] = true
			}
			return true
		})
	}
	return called
}
