package lower_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// control is what the lowering may name: structured control flow.
var control = map[string]bool{"if": true, "for": true, "loop": true, "yield": true, "continue": true, "break": true, "return": true}

// TestNoOperationNames refuses the name or number of an operation in the lowering: what operations there are is for the
// language's declarations to say.
func TestNoOperationNames(t *testing.T) {
	var files []string
	for _, folder := range []string{".", "../words", "../emit"} {
		found, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(found) < 10 {
			t.Fatal(folder, found, err)
		}
		files = append(files, found...)
	}
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				s, err := strconv.Unquote(n.Value)
				if n.Kind == token.STRING && err == nil && tileir.Lookup(s) != nil && !control[s] {
					t.Errorf("%s: names operation %q", fset.Position(n.Pos()), s)
				}
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				if ok && x.Name == "tileir" && strings.HasPrefix(n.Sel.Name, "Op") && len(n.Sel.Name) > 2 {
					t.Errorf("%s: names operation tileir.%s", fset.Position(n.Pos()), n.Sel.Name)
				}
			}
			return true
		})
	}
}
