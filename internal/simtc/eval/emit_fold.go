package eval

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/goval"
)

// val is the type as package goval computes with it.
func (e *Elem) val() goval.Type { return goval.Type{Type: e.DType, TiesAway: e.DType == dtype.TF32} }

// fold computes on static numbers as variables of the type would: integers wrap, floats are rounded.
func (em *emitter) fold(op token.Token, a, b value, e *Elem) value {
	if _, ok := compares[op]; ok {
		r, err := e.val().Compare(op, a, b)
		return constant.MakeBool(goval.Checked(&em.Reporter, em.pos, r, err))
	}
	r, err := e.val().Binary(op, a, b)
	return goval.Checked(&em.Reporter, em.pos, r, err)
}

// bits encodes a static number as an element.
func (em *emitter) bits(v value, e *Elem) uint64 {
	switch x := v.(type) {
	case nonFinite:
		em.Must(e.Float, em.pos, "%v is not an integer", float64(x))
		return e.DType.FloatBits(float64(x))
	case constant.Value:
		switch {
		case x.Kind() == constant.Bool:
			return map[bool]uint64{true: 1}[constant.BoolVal(x)]
		case e.Float:
			return e.DType.FloatBits(goval.Float(e.val().RoundExact(x)))
		}
		k := constant.ToInt(x)
		em.Must(k.Kind() == constant.Int, em.pos, "%s is not an integer", x)
		if n, ok := constant.Int64Val(k); ok {
			return uint64(n)
		}
		n, _ := constant.Uint64Val(k)
		return n
	case poison:
		panic(bailout{})
	}
	em.Fail(em.pos, "%s is not a number", em.describe(v))
	return 0
}
