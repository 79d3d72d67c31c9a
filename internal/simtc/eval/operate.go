package eval

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// binaryExpr evaluates x op y. The operands of a comparison have another type than its result, and
// a shift count has its own type.
func (ev *evaluator) binaryExpr(fr *frame, e *ast.BinaryExpr) emit.Value {
	switch e.Op {
	case token.LAND, token.LOR:
		return ev.Logical(e.OpPos, e.Op, ev.eval(fr, e.X), func() emit.Value { return ev.eval(fr, e.Y) })
	// The count is not converted to the type of the other operand.
	case token.SHL, token.SHR:
		t := ev.typeOf(fr, e)
		return ev.Operate(e.OpPos, e.Op, ev.operandOf(fr, e.X, t), ev.eval(fr, e.Y), t)
	}
	t := ev.typeOf(fr, e.X)
	if _, compared := emit.Compares[e.Op]; !compared {
		t = ev.typeOf(fr, e)
	} else if u := ev.typeOf(fr, e.Y); goval.IsUntyped(t) || types.IsInterface(u) && !types.IsInterface(t) {
		// An untyped constant, and a value compared with an interface, take the other operand's
		// type.
		t = u
	}
	return ev.Operate(e.OpPos, e.Op, ev.operandOf(fr, e.X, t), ev.operandOf(fr, e.Y, t), t)
}

// unary evaluates +x, -x, !x, ^x and &x.
func (ev *evaluator) unary(fr *frame, e *ast.UnaryExpr) emit.Value {
	if e.Op == token.AND {
		return ev.address(fr, e.X)
	}
	ev.Must(e.Op != token.ARROW, e.Pos(), "a channel cannot be used in compiled code")
	t := ev.typeOf(fr, e)
	x := ev.operandOf(fr, e.X, t)
	if emit.Poisoned(x) {
		panic(emit.Bailout{})
	}
	ev.At(e.Pos())
	el, _ := emit.Numbers(t)
	one := func(v emit.Value) emit.Value { return ev.UnaryOne(e.Op, v, el) }
	if v, ok := x.(*emit.Vec); ok {
		return v.Each(el, one)
	}
	return one(x)
}

// address is &x: a pointer to a variable, or to a new variable with the value of a composite
// literal.
func (ev *evaluator) address(fr *frame, e ast.Expr) emit.Value {
	if c, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		t := ev.typeOf(fr, c)
		return &emit.Pointer{Cell: ev.NewCell("", t, ev.composite(fr, c, t))}
	}
	return ev.place(fr, e)
}
