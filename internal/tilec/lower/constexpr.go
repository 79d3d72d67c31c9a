package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/goval/constexpr"
	"github.com/cutile-go/cutile/internal/tilec/describe"
)

// elements are what constants are rounded to, for [constexpr].
type elements struct{ *lowerer }

func (e elements) Number(t types.Type) (dtype.Type, bool) {
	d := e.numberDesc(t)
	if d == nil || d.Pointer {
		return 0, false
	}
	return d.Elem.Type, true
}

func (e elements) In(pos token.Pos, v constant.Value, t types.Type) constant.Value {
	return e.inType(pos, v, t)
}

// step computes a constant expression, of which tv is what the checker knows.
func (l *lowerer) step(fr *frame, e ast.Expr, tv types.TypeAndValue) constant.Value {
	return l.consts.Eval(constexpr.Scope{Pkg: fr.pkg, Env: fr.env}, e, tv).Value
}

// inType is a number in a type, which must hold it.
func (l *lowerer) inType(pos token.Pos, v constant.Value, t types.Type) constant.Value {
	d := l.numberDesc(t)
	if d == nil || d.Pointer {
		return v
	}
	return l.rounded(pos, v, d.Elem).(constant.Value)
}

// numberDesc is the desc of a type whose values are tiles: nil for others, and for none.
func (l *lowerer) numberDesc(t types.Type) *describe.Desc {
	if t == nil {
		return nil
	}
	return l.tileDesc(t)
}
