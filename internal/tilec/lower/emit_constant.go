package lower

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// constant makes a tile whose elements are all v.
func (em *emitter) constant(pos token.Pos, v value, t types.Type) *tile {
	x := em.operate(pos, "const", []types.Type{t}, v).(*tile)
	if k, ok := v.(constant.Value); ok && k.Kind() == constant.Int {
		if n, exact := constant.Int64Val(k); exact {
			x.min = &n
		}
	}
	return x
}

// rounded checks that an element type holds a constant, and rounds it once.
func (em *emitter) rounded(pos token.Pos, v constant.Value, e describe.Elem) value {
	r, err := typeOf(e).Hold(v)
	return goval.Checked(&em.Reporter, pos, r, err)
}

// bits encodes a constant as an element; what does not fit is an error at pos.
func (em *emitter) bits(pos token.Pos, v value, e describe.Elem) (bits uint64, ok bool) {
	switch x := v.(type) {
	case nonFinite, constant.Value:
		k, err := typeOf(e).Hold(x)
		return em.encode(goval.Checked(&em.Reporter, pos, k, err), e)
	case *held:
		return em.bits(pos, x.v, e)
	case poison:
		panic(bailout{})
	}
	em.unknown(pos, "each element", ofNumber)
	return 0, false
}

// encode gives the bits of a value that an element type holds; false for a text.
func (em *emitter) encode(v value, e describe.Elem) (bits uint64, ok bool) {
	k, finite := v.(constant.Value)
	switch {
	case e.IR.IsFloat() && (!finite || k.Kind() != constant.Bool && k.Kind() != constant.String):
		return e.Type.FloatBits(goval.Float(v)), true
	case k.Kind() == constant.Bool:
		if constant.BoolVal(k) {
			return 1, true
		}
		return 0, true
	case k.Kind() == constant.String:
		return 0, false
	case e.IR == tileir.I1:
		return uint64(constant.Sign(k) & 1), true
	}
	n, exact := constant.Int64Val(k)
	if !exact {
		u, _ := constant.Uint64Val(k)
		return u, true
	}
	return uint64(n) & (^uint64(0) >> (64 - e.IR.Bits())), true
}

// inType is a number in a type, which must hold it.
func (em *emitter) inType(pos token.Pos, v constant.Value, t types.Type) constant.Value {
	d := em.numberDesc(t)
	if d == nil || d.Pointer {
		return v
	}
	return em.rounded(pos, v, d.Elem).(constant.Value)
}

// numberDesc is the desc of a type whose values are tiles: nil for others, and for none.
func (em *emitter) numberDesc(t types.Type) *describe.Desc {
	if t == nil {
		return nil
	}
	return em.tileDesc(t)
}
