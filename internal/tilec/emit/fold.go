package emit

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/describe"
)

// TypeOf gives an element type as package goval computes with it.
func TypeOf(e describe.Elem) goval.Type { return goval.Type{Type: e.Type} }

// fold computes an operator on known values as variables of type t would: integers wrap around, and
// floats are rounded.
func (em *Emitter) fold(pos token.Pos, op token.Token, a, b Value, t types.Type) Value {
	d := em.NumberDesc(t)
	x, xOK := a.(constant.Value)
	if d != nil && (!xOK || x.Kind() != constant.Bool && x.Kind() != constant.String) {
		r, err := TypeOf(d.Elem).Binary(op, a, b)
		return goval.Checked(&em.Reporter, pos, r, err)
	}
	y, yOK := b.(constant.Value)
	// Only texts and truth values are left, and Go's checker knows their operators.
	em.Must(xOK && yOK, pos, "a kernel cannot use the operator %s here", op)
	// A loop could double a text in each turn, so the bytes are counted.
	if x.Kind() == constant.String {
		em.Spend(limit.Memory, int64(len(constant.StringVal(x))+len(constant.StringVal(y))))
	}
	return constant.BinaryOp(x, op, y)
}

// shiftCount gives a known shift count, which must not be negative. Every count above 64 shifts out
// all bits, as 64 does.
func (em *Emitter) shiftCount(pos token.Pos, v Value) uint {
	n, err := goval.ShiftCount(v)
	return goval.Checked(&em.Reporter, pos, n, err)
}

// compareFold compares known values as variables of type t would be compared.
func (em *Emitter) compareFold(pos token.Pos, op token.Token, a, b Value, t types.Type) bool {
	d := em.NumberDesc(t)
	if d == nil {
		return goval.Compare(op, a, b)
	}
	r, err := TypeOf(d.Elem).Compare(op, a, b)
	return goval.Checked(&em.Reporter, pos, r, err)
}

// ExtremeFold gives the min or max of known values of type t.
func (em *Emitter) ExtremeFold(pos token.Pos, v, w Value, t types.Type, name string) Value {
	var in goval.Type // the zero type compares texts
	if d := em.NumberDesc(t); d != nil {
		in = TypeOf(d.Elem)
	}
	r, err := in.Extreme(name, v, w)
	return goval.Checked(&em.Reporter, pos, r, err)
}
