package lower

import (
	"go/ast"
	"go/types"
)

// valueFor evaluates an expression for a variable of type to.
func (l *lowerer) valueFor(fr *frame, e ast.Expr, to types.Type) value {
	v := l.eval(fr, e)
	if isInterface(to) {
		v = l.held(v, l.typeOf(fr, e), to)
	}
	return l.coerce(e.Pos(), v, to)
}

// heldList is evalList for variables, whose types to gives.
func (l *lowerer) heldList(fr *frame, es []ast.Expr, want int, to func(i int) types.Type) []value {
	vs := l.evalList(fr, es, want)
	for i, v := range vs {
		t := to(i)
		if !isInterface(t) {
			continue
		}
		if len(es) == len(vs) {
			vs[i] = l.held(v, l.typeOf(fr, es[i]), t)
		} else if all, ok := l.typeOf(fr, es[0]).(*types.Tuple); ok {
			vs[i] = l.held(v, l.w.Subst(all.At(i).Type(), fr.env), t)
		}
	}
	return vs
}
