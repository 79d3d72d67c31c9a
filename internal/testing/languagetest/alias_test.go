package languagetest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// What views and tensors hold in slices is shared by all copies of them: a function of the language writes only into
// slices that it has made.
func TestSlicesOfOthers(t *testing.T) {
	files, err := filepath.Glob("../../../tile/*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset, writes := token.NewFileSet(), 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				writes += checkWrites(t, fset, fn.Body)
			}
		}
	}
	if writes < 5 {
		t.Errorf("%d writes found: the search is broken", writes)
	}
}

// checkWrites reports assignments to elements of what the body has not made before, and counts the assignments.
func checkWrites(t *testing.T, fset *token.FileSet, body *ast.BlockStmt) (n int) {
	made := map[string]bool{}
	ast.Inspect(body, func(node ast.Node) bool {
		a, ok := node.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, lhs := range a.Lhs {
			if x, ok := lhs.(*ast.IndexExpr); ok {
				n++
				if !made[text(x.X)] {
					t.Errorf("%s: %s may belong to another value: copy it first", fset.Position(x.Pos()), text(x.X))
				}
			} else if len(a.Rhs) == len(a.Lhs) {
				made[text(lhs)] = isMade(a.Rhs[i])
			}
		}
		return true
	})
	return n
}

// isMade reports whether an expression is a slice of its own: a call of make, of append to nil, or a literal.
func isMade(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		switch text(e.Fun) {
		case "make":
			return true
		case "append":
			to, ok := e.Args[0].(*ast.CallExpr)
			return ok && len(to.Args) == 1 && text(to.Args[0]) == "nil"
		}
	}
	return false
}

// text is a name with its fields.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return text(e.X) + "." + e.Sel.Name
	}
	return ""
}
