package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/goval/constexpr"
	"github.com/cutile-go/cutile/internal/tilec/emit"
)

// elements are what constants are rounded to, for [constexpr].
type elements struct{ *emit.Emitter }

// Number implements [constexpr.Language].
func (e elements) Number(t types.Type) (dtype.Type, bool) {
	d := e.NumberDesc(t)
	if d == nil || d.Pointer {
		return 0, false
	}
	return d.Elem.Type, true
}

// In implements [constexpr.Language].
func (e elements) In(pos token.Pos, v constant.Value, t types.Type) constant.Value {
	return e.InType(pos, v, t)
}

// step computes a constant expression, of which tv is what the checker knows.
func (l *lowerer) step(fr *frame, e ast.Expr, tv types.TypeAndValue) constant.Value {
	return l.consts.Eval(constexpr.Scope{Pkg: fr.pkg, Env: fr.env}, e, tv).Value
}
