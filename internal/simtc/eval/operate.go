package eval

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
)

// binaryExpr evaluates x op y.
func (ev *evaluator) binaryExpr(fr *frame, e *ast.BinaryExpr) value {
	switch e.Op {
	case token.LAND, token.LOR:
		return ev.logical(e.OpPos, e.Op, ev.eval(fr, e.X), func() value { return ev.eval(fr, e.Y) })
	case token.SHL, token.SHR:
		t := ev.typeOf(fr, e)
		return ev.operate(e.OpPos, e.Op, ev.operandOf(fr, e.X, t), ev.eval(fr, e.Y), t)
	}
	t := ev.typeOf(fr, e.X)
	if _, compared := compares[e.Op]; !compared {
		t = ev.typeOf(fr, e)
	} else if u := ev.typeOf(fr, e.Y); goval.IsUntyped(t) || types.IsInterface(u) && !types.IsInterface(t) {
		t = u
	}
	return ev.operate(e.OpPos, e.Op, ev.operandOf(fr, e.X, t), ev.operandOf(fr, e.Y, t), t)
}

// unary evaluates +x, -x, !x, ^x and &x.
func (ev *evaluator) unary(fr *frame, e *ast.UnaryExpr) value {
	if e.Op == token.AND {
		return ev.address(fr, e.X)
	}
	ev.Must(e.Op != token.ARROW, e.Pos(), "a channel cannot be used in compiled code")
	t := ev.typeOf(fr, e)
	x := ev.operandOf(fr, e.X, t)
	if poisoned(x) {
		panic(bailout{})
	}
	ev.at(e.Pos())
	el, _ := numbers(t)
	one := func(v value) value { return ev.unaryOne(e.Op, v, el) }
	if v, ok := x.(*vec); ok {
		return v.each(el, one)
	}
	return one(x)
}

// address is &x: of a variable, or of a new one with the value written.
func (ev *evaluator) address(fr *frame, e ast.Expr) value {
	if c, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		t := ev.typeOf(fr, c)
		return &pointer{cell: ev.newCell("", t, ev.composite(fr, c, t))}
	}
	return ev.place(fr, e)
}
