package goval_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/goval"
)

const program = `package p

type pair[A, B any] struct{ x, y int }

var keyed = pair[int8, bool]{y: 7, x: 8}

var listed = &pair[int8, bool]{7, 8}

func f(a any) {
	switch a.(type) {
	}
	switch b := a.(type) {
	case int:
		_ = b
	}
}
`

// TestSyntax: the helpers on a checked program.
func TestSyntax(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", program, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{}).Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	keyed, listed := pkg.Scope().Lookup("keyed").Type(), pkg.Scope().Lookup("listed").Type()
	for _, typ := range []types.Type{keyed, listed} {
		if args := goval.TypeArgs(typ); len(args) != 2 || args[0] != types.Typ[types.Int8] || args[1] != types.Typ[types.Bool] {
			t.Errorf("%v: type arguments %v", typ, args)
		}
		if goval.IsPointer(typ) != (typ == listed) || !types.Identical(goval.Behind(typ), keyed) {
			t.Errorf("%v: behind it is %v", typ, goval.Behind(typ))
		}
	}
	st := keyed.Underlying().(*types.Struct)
	var fields []string
	var bound []bool
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			for i, el := range n.Elts {
				field, x := goval.FieldOf(st, i, el)
				fields = append(fields, st.Field(field).Name()+x.(*ast.BasicLit).Value)
			}
		case *ast.TypeSwitchStmt:
			x, b := goval.SwitchedOn(n)
			if id, ok := x.(*ast.Ident); !ok || id.Name != "a" {
				t.Errorf("switch on %v", x)
			}
			bound = append(bound, b)
		}
		return true
	})
	if got := strings.Join(fields, " "); got != "y7 x8 x7 y8" {
		t.Errorf("fields %s", got)
	}
	if len(bound) != 2 || bound[0] || !bound[1] {
		t.Errorf("bound %v", bound)
	}
	if !goval.IsUntyped(types.Typ[types.UntypedNil]) || goval.IsUntyped(types.Typ[types.Int]) {
		t.Error("untyped types")
	}
	for assign := token.ADD_ASSIGN; assign <= token.AND_NOT_ASSIGN; assign++ {
		if got := goval.Operator(assign).String() + "="; got != assign.String() {
			t.Errorf("%s is of %s", assign, got)
		}
	}
}
