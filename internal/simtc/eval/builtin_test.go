package eval_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// atHost are functions of Go whose programs are elsewhere: those of package unsafe, and those that host_test.go prints with.
var atHost = map[string]bool{"print": true, "println": true, "panic": true}

// TestBuiltins: for each of Go's own functions there is a program of the tests that calls it, so that none is compiled, or
// refused, untested.
func TestBuiltins(t *testing.T) {
	called := map[string]bool{}
	files, err := filepath.Glob("*_kernels_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if !strings.HasPrefix(name, "go_") && !strings.HasPrefix(name, "wrong_") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if id, ok := call.Fun.(*ast.Ident); ok {
					called[id.Name] = true
				}
			}
			return true
		})
	}
	for _, name := range types.Universe.Names() {
		if _, ok := types.Universe.Lookup(name).(*types.Builtin); ok && !called[name] && !atHost[name] {
			t.Errorf("no program of the tests calls %s", name)
		}
	}
}
