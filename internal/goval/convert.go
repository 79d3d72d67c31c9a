package goval

import (
	"go/constant"
	"go/token"
	"math"
)

// Convert is the conversion of a variable from one type to another: integers wrap, floats are rounded, and a float becomes the
// nearest integer after its fraction is dropped, NaN 0. Truth values stay what they are.
func Convert(v Value, from, to Type) Value {
	k, finite := v.(constant.Value)
	switch {
	case finite && k.Kind() == constant.Bool:
		return v
	case from.IsFloat() && to.IsFloat():
		if finite {
			return to.RoundExact(k)
		}
		return to.Round(Float(v))
	case from.IsFloat():
		return to.Saturate(Float(v))
	case to.IsFloat():
		return to.RoundExact(k)
	}
	return to.Wrap(constant.ToInt(k))
}

// Saturate is a float as an integer: without its fraction, the nearest one that the type has. NaN is 0.
func (t Type) Saturate(f float64) constant.Value {
	if math.IsNaN(f) {
		return constant.MakeInt64(0)
	}
	least, greatest := t.limits()
	switch f = math.Trunc(f); {
	case f <= Float(least):
		return least
	case f >= Float(greatest):
		return greatest
	}
	return constant.ToInt(constant.MakeFloat64(f))
}

// Complement is ^v of a variable of the type.
func (t Type) Complement(v constant.Value) constant.Value {
	size := uint(0)
	if !t.IsSigned() {
		size = t.bits()
	}
	return constant.UnaryOp(token.XOR, v, size)
}
