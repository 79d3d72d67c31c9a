package goval

import (
	"fmt"
	"go/constant"
	"go/token"
	"math"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/elem"
)

// Type is the type of a variable, by its elements.
type Type struct {
	dtype.Type
	// TiesAway rounds a tie between two numbers away from zero. It is for tf32 at the SIMT level, as PTX has no other
	// conversion to it for every target.
	TiesAway bool
}

// bits is how many bits count.
func (t Type) bits() uint { return uint(elem.Table[t.Type].Bits) }

// Limits gives the least and the greatest value: infinities of floats, 0 and 1 of truth values.
func (t Type) Limits() (least, greatest Value) {
	if t.IsFloat() {
		return NonFinite(math.Inf(-1)), NonFinite(math.Inf(1))
	}
	return t.limits()
}

// limits gives the least and the greatest integer; truth values count as 0 and 1.
func (t Type) limits() (least, greatest constant.Value) {
	one, n := constant.MakeInt64(1), t.bits()
	if !t.IsSigned() {
		return constant.MakeInt64(0), constant.BinaryOp(constant.Shift(one, token.SHL, n), token.SUB, one)
	}
	half := constant.Shift(one, token.SHL, n-1)
	return constant.UnaryOp(token.SUB, half, 0), constant.BinaryOp(half, token.SUB, one)
}

// Wrap reduces an integer to the bits of the type, as arithmetic on variables does. Other values stay as they are.
func (t Type) Wrap(v constant.Value) constant.Value {
	if v.Kind() != constant.Int || !t.IsInt() {
		return v
	}
	n := t.bits()
	if i, ok := constant.Int64Val(v); ok && t.fits(i, n) {
		return v
	}
	size := constant.Shift(constant.MakeInt64(1), token.SHL, n)
	u := constant.BinaryOp(v, token.AND, constant.BinaryOp(size, token.SUB, constant.MakeInt64(1)))
	if _, greatest := t.limits(); constant.Compare(u, token.GTR, greatest) {
		return constant.BinaryOp(u, token.SUB, size)
	}
	return u
}

func (t Type) fits(i int64, bits uint) bool {
	if t.IsSigned() {
		return i>>(bits-1) == 0 || i>>(bits-1) == -1
	}
	return i >= 0 && (bits == 64 || i>>bits == 0)
}

// Hold is a constant as a variable of the type holds it: rounded once, or an error where the type has no number for it. Truth
// values and texts stay as they are.
func (t Type) Hold(v Value) (Value, error) {
	switch x := v.(type) {
	case NonFinite:
		if !t.IsFloat() {
			return nil, fmt.Errorf("the constant %v is not an integer", float64(x))
		}
		if !t.Holds(float64(x)) {
			return nil, fmt.Errorf("the constant %v does not fit in %s", float64(x), t)
		}
		return t.Round(float64(x)), nil
	case constant.Value:
		switch {
		case x.Kind() == constant.Bool || x.Kind() == constant.String:
			return x, nil
		case t.IsFloat():
			return t.holdFloat(x)
		}
		return t.holdInt(x)
	}
	return nil, fmt.Errorf("BUG: goval: a %T is no number", v)
}

func (t Type) holdInt(x constant.Value) (Value, error) {
	k := constant.ToInt(x)
	if k.Kind() != constant.Int {
		return nil, fmt.Errorf("the constant %s is not an integer, as elements of %s are", x, t)
	}
	if t.Type != dtype.Bool && !constant.Compare(t.Wrap(k), equal, k) {
		return nil, fmt.Errorf("the constant %s does not fit in %s", x, t)
	}
	return k, nil
}

func (t Type) holdFloat(x constant.Value) (Value, error) {
	f := t.near(x)
	if !t.Holds(f) {
		return nil, fmt.Errorf("the constant %s does not fit in %s", x, t)
	}
	if r, ok := t.Round(f).(constant.Value); ok {
		return r, nil
	}
	return constant.MakeInt64(0), nil // constants have no negative zero
}

// Round is a float as a variable of the type holds it. What is too large becomes an infinity, or the largest number of a type
// that has none.
func (t Type) Round(f float64) Value {
	if t.TiesAway {
		f = tiesAway(f)
	}
	return FromFloat(t.FloatFromBits(t.FloatBits(f)))
}

// RoundExact is an exact number as a variable of a float type holds it, rounded once, as [Type.Round] does.
func (t Type) RoundExact(x constant.Value) Value { return t.Round(t.near(x)) }

// near is a constant as a float64 that rounds to the same number of the type as the constant itself: what a float64 cannot
// hold exactly is marked in its last bit, which is rounding to odd.
func (t Type) near(x constant.Value) float64 {
	f, exact := constant.Float64Val(constant.ToFloat(x))
	if exact || f == 0 || t.Type == dtype.F64 {
		return f
	}
	b := math.Float64bits(f)
	switch {
	case b&1 == 1:
	case math.IsInf(f, 0):
		b--
	case constant.Compare(constant.MakeFloat64(f), token.LSS, constant.ToFloat(x)) == (f > 0):
		b++
	default:
		b--
	}
	return math.Float64frombits(b)
}

// tiesAway is a float, which may have been rounded to odd, so that rounding it to tf32 sends ties away from zero.
func tiesAway(f float64) float64 {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return f
	}
	n := float32(f)
	bits := math.Float32bits(n)
	if math.Abs(float64(n)) > math.Abs(f) {
		bits-- // towards zero
	}
	if float64(math.Float32frombits(bits)) != f {
		bits |= 1
	}
	const half = 1 << 12 // of the last of 10 bits
	return float64(math.Float32frombits((bits + half) &^ (2*half - 1)))
}
