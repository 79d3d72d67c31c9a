package lower

import (
	"go/ast"
	"go/types"

	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// valueFor evaluates an expression as the value of a variable of type to.
func (l *lowerer) valueFor(fr *frame, e ast.Expr, to types.Type) emit.Value {
	v := l.eval(fr, e)
	if emit.IsInterface(to) {
		// A value in an interface keeps its type, which decides its methods.
		v = l.Held(v, l.typeOf(fr, e), to)
	}
	return l.Coerce(e.Pos(), v, to)
}

// heldList is evalList for variables, whose types the function to gives.
func (l *lowerer) heldList(fr *frame, es []ast.Expr, want int, to func(i int) types.Type) []emit.Value {
	vs := l.evalList(fr, es, want)
	for i, v := range vs {
		t := to(i)
		if !emit.IsInterface(t) {
			continue
		}
		if len(es) == len(vs) {
			vs[i] = l.Held(v, l.typeOf(fr, es[i]), t)
		} else if all, ok := l.typeOf(fr, es[0]).(*types.Tuple); ok {
			vs[i] = l.Held(v, l.World.Subst(all.At(i).Type(), fr.env), t)
		}
	}
	return vs
}
