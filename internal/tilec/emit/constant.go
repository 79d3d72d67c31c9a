package emit

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// Constant makes a tile whose elements are all v. An integer is also a lower bound of itself, which
// lets passes count in fewer bits.
func (em *Emitter) Constant(pos token.Pos, v Value, t types.Type) *Tile {
	x := em.Operate(pos, "const", []types.Type{t, t}, v).(*Tile)
	if k, ok := v.(constant.Value); ok && k.Kind() == constant.Int {
		if n, exact := constant.Int64Val(k); exact {
			x.Min = &n
		}
	}
	return x
}

// rounded checks that an element type can hold a constant, and rounds the constant to it once.
func (em *Emitter) rounded(pos token.Pos, v constant.Value, e describe.Elem) Value {
	r, err := TypeOf(e).Hold(v)
	return goval.Checked(&em.Reporter, pos, r, err)
}

// Bits encodes a constant as an element. A constant that the type cannot hold is a mistake at pos.
func (em *Emitter) Bits(pos token.Pos, v Value, e describe.Elem) (bits uint64, ok bool) {
	switch x := v.(type) {
	case NonFinite, constant.Value:
		k, err := TypeOf(e).Hold(x)
		return em.encode(goval.Checked(&em.Reporter, pos, k, err), e)
	case *Held:
		return em.Bits(pos, x.V, e)
	case Poison:
		panic(Bailout{})
	}
	em.Unknown(pos, "each element", OfNumber)
	return 0, false
}

// encode gives the bits of a value that an element type can hold. ok is false for a text.
func (em *Emitter) encode(v Value, e describe.Elem) (bits uint64, ok bool) {
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
	// A negative number keeps the bits of its type.
	return uint64(n) & (^uint64(0) >> (64 - e.IR.Bits())), true
}

// InType gives a number in a type, which must be able to hold it.
func (em *Emitter) InType(pos token.Pos, v constant.Value, t types.Type) constant.Value {
	d := em.NumberDesc(t)
	if d == nil || d.Pointer {
		return v
	}
	return em.rounded(pos, v, d.Elem).(constant.Value)
}

// NumberDesc gives the description of a type whose values are tiles, and nil for other types and
// for no type.
func (em *Emitter) NumberDesc(t types.Type) *describe.Desc {
	if t == nil {
		return nil
	}
	return em.TileDesc(t)
}
