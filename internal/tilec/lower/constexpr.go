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

// elements tells package constexpr to which types constants are rounded.
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

// step computes a constant expression. tv is what the type checker knows of it; the checker does
// not know the element types of tiles, so the value is rounded to them here.
func (l *lowerer) step(fr *frame, e ast.Expr, tv types.TypeAndValue) constant.Value {
	return l.consts.Eval(constexpr.Scope{Pkg: fr.pkg, Env: fr.env}, e, tv).Value
}
