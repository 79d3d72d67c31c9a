package goval

import (
	"go/ast"
	"go/token"
	"go/types"
)

// IsPointer reports whether a type is a pointer.
func IsPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// Behind is the type that a pointer points at, else the type itself.
func Behind(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// IsUntyped reports whether a type is that of an untyped constant or of nil.
func IsUntyped(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

// TypeArgs are the type arguments of a named type, or of the one that a pointer points at.
func TypeArgs(t types.Type) (args []types.Type) {
	if n, ok := types.Unalias(Behind(t)).(*types.Named); ok {
		for i := range n.TypeArgs().Len() {
			args = append(args, n.TypeArgs().At(i))
		}
	}
	return args
}

// FieldOf is the field that an element of a struct's literal sets, the i-th one, and the value.
func FieldOf(st *types.Struct, i int, elem ast.Expr) (field int, x ast.Expr) {
	kv, ok := elem.(*ast.KeyValueExpr)
	if !ok {
		return i, elem
	}
	for field = range st.NumFields() {
		if st.Field(field).Name() == kv.Key.(*ast.Ident).Name {
			break
		}
	}
	return field, kv.Value
}

// SwitchedOn is x of `switch x.(type)`; bound says that a variable is bound to it.
func SwitchedOn(s *ast.TypeSwitchStmt) (x ast.Expr, bound bool) {
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		return a.Rhs[0].(*ast.TypeAssertExpr).X, true
	case *ast.ExprStmt:
		return ast.Unparen(a.X).(*ast.TypeAssertExpr).X, false
	}
	panic("BUG: goval: not a type switch")
}

// Operator is the operator of an assignment such as +=.
func Operator(assign token.Token) token.Token { return assign - token.ADD_ASSIGN + token.ADD }
