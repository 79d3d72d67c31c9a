package eval

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/goval/constexpr"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// elements tells package constexpr to which types constants are rounded.
type elements struct{ *emit.Emitter }

// Number implements [constexpr.Language].
func (elements) Number(t types.Type) (dtype.Type, bool) {
	if e := emit.ElemOf(t); e != nil {
		return e.DType, true
	}
	return 0, false
}

// In implements [constexpr.Language].
func (e elements) In(pos token.Pos, v constant.Value, t types.Type) constant.Value {
	return e.InType(pos, v, emit.ElemOf(t))
}

// constant computes a constant expression. tv is what the type checker knows of it; the checker
// does not know the types of package cute, so the value is rounded again.
func (ev *evaluator) constant(fr *frame, e ast.Expr, tv types.TypeAndValue) emit.Value {
	if _, ok := e.(*ast.BasicLit); ok {
		return tv.Value
	}
	return ev.consts.Eval(constexpr.Scope{Pkg: fr.pkg, Env: fr.env}, e, tv).Value
}
