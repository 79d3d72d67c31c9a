package emit

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/goval"
)

// Val gives the type as package goval computes with it.
func (e *Elem) Val() goval.Type { return goval.Type{Type: e.DType, TiesAway: e.DType == dtype.TF32} }

// fold computes on static numbers as variables of the type would: integers wrap around, and floats
// are rounded after each operation.
func (em *Emitter) fold(op token.Token, a, b Value, e *Elem) Value {
	if _, ok := Compares[op]; ok {
		r, err := e.Val().Compare(op, a, b)
		return constant.MakeBool(goval.Checked(&em.Reporter, em.Pos, r, err))
	}
	r, err := e.Val().Binary(op, a, b)
	return goval.Checked(&em.Reporter, em.Pos, r, err)
}

// Bits encodes a static number as an element of type e.
func (em *Emitter) Bits(v Value, e *Elem) uint64 {
	switch x := v.(type) {
	case nonFinite:
		em.Must(e.Float, em.Pos, "%v is not an integer", float64(x))
		return e.DType.FloatBits(float64(x))
	case constant.Value:
		switch {
		case x.Kind() == constant.Bool:
			return map[bool]uint64{true: 1}[constant.BoolVal(x)]
		case e.Float:
			return e.DType.FloatBits(goval.Float(e.Val().RoundExact(x)))
		}
		k := constant.ToInt(x)
		em.Must(k.Kind() == constant.Int, em.Pos, "%s is not an integer", x)
		if n, ok := constant.Int64Val(k); ok {
			return uint64(n)
		}
		// Unsigned numbers of 64 bits need not fit an int64.
		n, _ := constant.Uint64Val(k)
		return n
	case Poison:
		panic(Bailout{})
	}
	em.Fail(em.Pos, "%s is not a number", em.Describe(v))
	return 0
}
