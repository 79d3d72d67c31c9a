package lower

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/describe"
)

// typeOf is an element type as package goval computes with it.
func typeOf(e describe.Elem) goval.Type { return goval.Type{Type: e.Type} }

// fold computes an operator on known values as variables of type t would.
func (em *emitter) fold(pos token.Pos, op token.Token, a, b value, t types.Type) value {
	d := em.numberDesc(t)
	x, xOK := a.(constant.Value)
	if d != nil && (!xOK || x.Kind() != constant.Bool && x.Kind() != constant.String) {
		r, err := typeOf(d.Elem).Binary(op, a, b)
		return goval.Checked(&em.Reporter, pos, r, err)
	}
	y, yOK := b.(constant.Value)
	em.Must(xOK && yOK, pos, "a kernel cannot use the operator %s here", op)
	if x.Kind() == constant.String {
		em.Spend(limit.Memory, int64(len(constant.StringVal(x))+len(constant.StringVal(y))))
	}
	return constant.BinaryOp(x, op, y)
}

// shiftCount is a known shift count, which must not be negative. What is larger than 64 shifts out all bits, as 64 does.
func (em *emitter) shiftCount(pos token.Pos, v value) uint {
	n, err := goval.ShiftCount(v)
	return goval.Checked(&em.Reporter, pos, n, err)
}

// compareFold compares known values as variables of type t.
func (em *emitter) compareFold(pos token.Pos, op token.Token, a, b value, t types.Type) bool {
	d := em.numberDesc(t)
	if d == nil {
		return goval.Compare(op, a, b)
	}
	r, err := typeOf(d.Elem).Compare(op, a, b)
	return goval.Checked(&em.Reporter, pos, r, err)
}

// extremeFold is min or max of known values as variables of type t.
func (em *emitter) extremeFold(pos token.Pos, v, w value, t types.Type, name string) value {
	var in goval.Type // of texts
	if d := em.numberDesc(t); d != nil {
		in = typeOf(d.Elem)
	}
	r, err := in.Extreme(name, v, w)
	return goval.Checked(&em.Reporter, pos, r, err)
}
