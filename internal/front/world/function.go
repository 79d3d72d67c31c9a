package world

import (
	"go/ast"
	"go/types"
)

// Function is a Go function with its type arguments bound: a kernel, or the value of a function parameter.
type Function struct {
	Name string
	Pkg  *Pkg
	Env  *Env
	Decl *Func        // nil for a literal
	Lit  *ast.FuncLit // nil for a declared function
	Sig  *types.Signature
}
