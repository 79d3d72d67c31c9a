package lower

import (
	"go/ast"
	"go/types"

	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// place gives the place that an addressable expression stands for.
func (l *lowerer) place(fr *frame, e ast.Expr) *emit.Place {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		o := fr.pkg.Info.Uses[e]
		// A variable of the function hides one of the kernel's state.
		c := fr.find(o)
		if c == nil {
			c = l.state.of(o)
		}
		l.Must(c != nil, e.Pos(), "%s is a host variable: a kernel cannot write it", e.Name)
		return &emit.Place{Cell: c}
	case *ast.SelectorExpr:
		if sel := fr.pkg.Info.Selections[e]; sel != nil && sel.Kind() == types.FieldVal {
			return l.FieldPlace(e.Pos(), l.base(fr, e.X), l.typeOf(fr, e.X), sel.Index())
		}
	case *ast.IndexExpr:
		return l.element(fr, e)
	case *ast.StarExpr:
		return l.Deref(e.Pos(), l.eval(fr, e.X))
	case *ast.CompositeLit: // a selector or method takes its address
		// A selector or a method takes the address of the literal.
		return l.Fresh(l.typeOf(fr, e), l.eval(fr, e))
	}
	l.Fail(e.Pos(), "a kernel cannot assign to this")
	return nil
}

// base gives the place of the variable that e is a field or element of: e itself, or what e points
// to.
func (l *lowerer) base(fr *frame, e ast.Expr) *emit.Place {
	// Go follows the pointer by itself.
	if _, ok := l.typeOf(fr, e).Underlying().(*types.Pointer); ok {
		return l.Deref(e.Pos(), l.eval(fr, e))
	}
	return l.place(fr, e)
}

// address is &x. Shared tells that a pointer may lead to the variable, which then outlives its
// block.
func (l *lowerer) address(fr *frame, e *ast.UnaryExpr) emit.Value {
	if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
		return l.Fresh(l.typeOf(fr, lit), l.eval(fr, lit))
	}
	p := l.place(fr, e.X)
	p.Cell.Shared = true
	return p
}
