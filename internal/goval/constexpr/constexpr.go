// Package constexpr computes constant expressions of Go whose types have narrower elements than the types beneath them.
//
// Go's type checker computes constants in the type beneath a declared one: as a float64 where the elements of a tile are of
// 16 bits. So they are computed once more here, for both levels: each typed step is rounded to its type, or refused where the
// type does not hold it, as Go does with its own types (Go specification, Constant expressions).
package constexpr

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/front/world"
)

// Language says what the types of a language hold.
type Language interface {
	// Number is the element type of a type of numbers or truth values: false for other types.
	Number(t types.Type) (dtype.Type, bool)
	// In is a number as the elements of t hold it, rounded once; truth values and texts stay what they are. Where the
	// elements do not hold a number, it fails and does not return.
	In(pos token.Pos, v constant.Value, t types.Type) constant.Value
	// Fail reports a mistake at pos and does not return.
	Fail(pos token.Pos, format string, args ...any)
}

// Value is a constant: its value, and its type, which is nil if it is untyped and so exact.
type Value struct {
	constant.Value
	Type types.Type
}

// Scope is where an expression stands: a package, and what is bound to the type parameters around it.
type Scope struct {
	Pkg *world.Pkg
	Env *world.Env

	iota constant.Value // of a line of constants that shares its expression with others: nil elsewhere
}

// Evaluator computes the constants of a program. It remembers declared ones.
type Evaluator struct {
	world    *world.World
	lang     Language
	declared map[*types.Const]Value
}

// New makes an evaluator.
func New(w *world.World, lang Language) *Evaluator {
	return &Evaluator{w, lang, map[*types.Const]Value{}}
}

// Eval computes a constant expression, of which tv is what the type checker knows.
func (ev *Evaluator) Eval(in Scope, e ast.Expr, tv types.TypeAndValue) Value {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return ev.eval(in, e.X)
	case *ast.BasicLit:
		// What the checker knows is rounded to the type that the number is used with.
		return Value{constant.MakeFromLiteral(e.Value, e.Kind, 0), nil}
	case *ast.Ident:
		return ev.named(in, e, tv)
	case *ast.SelectorExpr:
		return ev.named(in, e.Sel, tv)
	case *ast.UnaryExpr:
		return ev.unary(in, e, tv)
	case *ast.BinaryExpr:
		return ev.binary(in, e, tv)
	case *ast.CallExpr:
		if f := in.Pkg.Info.Types[e.Fun]; f.IsType() && len(e.Args) == 1 {
			t := ev.world.Subst(f.Type, in.Env)
			if !ev.isNumber(t) {
				return Value{ev.told(in, e, tv), t}
			}
			return ev.in(e.Pos(), ev.eval(in, e.Args[0]).Value, t)
		}
	}
	return Value{ev.told(in, e, tv), ev.world.Subst(tv.Type, in.Env)}
}

func (ev *Evaluator) eval(in Scope, e ast.Expr) Value { return ev.Eval(in, e, in.Pkg.Info.Types[e]) }

func (ev *Evaluator) number(t types.Type) (dtype.Type, bool) {
	if t == nil {
		return 0, false
	}
	return ev.lang.Number(t)
}

func (ev *Evaluator) isNumber(t types.Type) bool {
	_, ok := ev.number(t)
	return ok
}

// in is a constant in a type, which must hold it.
func (ev *Evaluator) in(pos token.Pos, v constant.Value, t types.Type) Value {
	if !ev.isNumber(t) {
		return Value{v, t}
	}
	return Value{ev.lang.In(pos, v, t), t}
}

func (ev *Evaluator) unary(in Scope, e *ast.UnaryExpr, tv types.TypeAndValue) Value {
	x := ev.eval(in, e.X)
	if e.Op == token.NOT {
		return Value{constant.UnaryOp(e.Op, x.Value, 0), x.Type}
	}
	elem, ok := ev.number(x.Type)
	switch {
	case x.Type == nil:
		return Value{constant.UnaryOp(e.Op, x.Value, 0), nil}
	case !ok:
		return Value{ev.told(in, e, tv), x.Type}
	}
	size := uint(0)
	if e.Op == token.XOR && !elem.IsSigned() {
		size = uint(8 * elem.Size())
	}
	return ev.in(e.Pos(), constant.UnaryOp(e.Op, x.Value, size), x.Type)
}

func (ev *Evaluator) binary(in Scope, e *ast.BinaryExpr, tv types.TypeAndValue) Value {
	x, y := ev.eval(in, e.X), ev.eval(in, e.Y)
	t := x.Type
	switch {
	case e.Op == token.SHL || e.Op == token.SHR:
		n, ok := constant.Uint64Val(constant.ToInt(y.Value))
		if !ok || !ev.isNumber(t) && t != nil {
			return Value{ev.told(in, e, tv), t}
		}
		return ev.in(e.OpPos, constant.Shift(constant.ToInt(x.Value), e.Op, uint(n)), t)
	case e.Op == token.LAND || e.Op == token.LOR:
		return Value{constant.BinaryOp(x.Value, e.Op, y.Value), t}
	case t == nil:
		t = y.Type
	}
	elem, ok := ev.number(t)
	switch {
	case t == nil:
		return Value{exact(x.Value, e.Op, y.Value), nil}
	case !ok:
		return Value{ev.told(in, e, tv), t}
	}
	x, y = ev.in(e.X.Pos(), x.Value, t), ev.in(e.Y.Pos(), y.Value, t)
	op := e.Op
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return Value{constant.MakeBool(constant.Compare(x.Value, op, y.Value)), nil}
	case token.QUO, token.REM:
		if constant.Sign(y.Value) == 0 {
			ev.lang.Fail(e.OpPos, "division by zero")
		}
		if op == token.QUO && elem.IsInt() {
			op = token.QUO_ASSIGN
		}
	}
	return ev.in(e.OpPos, constant.BinaryOp(x.Value, op, y.Value), t)
}
