package lower

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// Variables whose values are known compute as they would at run time: integers wrap, and floats are rounded after each
// operation. float64 is wide enough for that: its results, rounded once more, are those of each narrower type.

// fold computes an operator on known values as variables of type t would.
func (l *lowerer) fold(pos token.Pos, op token.Token, a, b value, t types.Type) value {
	d := l.numberDesc(t)
	if d != nil && d.Elem.IR.IsFloat() {
		return l.foldFloat(pos, op, a, b, d.Elem)
	}
	x, xOK := a.(constant.Value)
	y, yOK := b.(constant.Value)
	l.must(xOK && yOK, pos, "a kernel cannot use the operator %s here", op)
	if d == nil || !d.Elem.IR.IsInt() || x.Kind() == constant.Bool {
		if x.Kind() == constant.String {
			l.spend(limit.Memory, int64(len(constant.StringVal(x))+len(constant.StringVal(y))))
		}
		return constant.BinaryOp(x, op, y)
	}
	x = l.inType(pos, x, t)
	if op != token.SHL && op != token.SHR {
		y = l.inType(pos, y, t)
	}
	switch op {
	case token.SHL, token.SHR:
		return l.wrap(constant.Shift(x, op, l.shiftCount(pos, y)), d.Elem)
	case token.QUO:
		l.must(constant.Sign(y) != 0, pos, "division by zero")
		op = token.QUO_ASSIGN // of integers
	case token.REM:
		l.must(constant.Sign(y) != 0, pos, "division by zero")
	}
	return l.wrap(constant.BinaryOp(x, op, y), d.Elem)
}

// maxShift is a count that moves every bit out of every integer.
const maxShift = 64

// shiftCount is a known shift count, which must not be negative. What is larger shifts out all bits, too.
func (l *lowerer) shiftCount(pos token.Pos, v value) uint {
	k, ok := v.(constant.Value)
	l.must(ok, pos, "the shift count %v is not an integer", v)
	k = constant.ToInt(k)
	l.must(constant.Sign(k) >= 0, pos, "negative shift count %s", k)
	if n, ok := constant.Uint64Val(k); ok {
		return uint(min(n, maxShift))
	}
	return maxShift
}

func (l *lowerer) foldFloat(pos token.Pos, op token.Token, a, b value, e describe.Elem) value {
	x, y := l.floatIn(pos, a, e), l.floatIn(pos, b, e)
	switch op {
	case token.ADD:
		return roundFloat(x+y, e)
	case token.SUB:
		return roundFloat(x-y, e)
	case token.MUL:
		return roundFloat(x*y, e)
	case token.QUO:
		return roundFloat(x/y, e)
	}
	l.fail(pos, "a kernel cannot use the operator %s here", op)
	return nil
}

// floatIn is a known value as an element of a float type. A constant that the type does not hold is an error.
func (l *lowerer) floatIn(pos token.Pos, v value, e describe.Elem) float64 {
	if k, ok := v.(constant.Value); ok {
		v = l.rounded(pos, k, e)
	}
	return float(v)
}

// roundFloat is a result as a variable of a float type holds it.
func roundFloat(f float64, e describe.Elem) value { return fromBits(e.Type.FloatBits(f), e) }

func float(v value) float64 {
	switch x := v.(type) {
	case nonFinite:
		return float64(x)
	case constant.Value:
		f, _ := constant.Float64Val(constant.ToFloat(x))
		return f
	}
	return math.NaN()
}

// compareFold compares known values as variables of type t.
func (l *lowerer) compareFold(pos token.Pos, op token.Token, a, b value, t types.Type) bool {
	if d := l.numberDesc(t); d != nil && d.Elem.IR.IsFloat() {
		return compareFloats(op, l.floatIn(pos, a, d.Elem), l.floatIn(pos, b, d.Elem))
	}
	x, xOK := a.(constant.Value)
	y, yOK := b.(constant.Value)
	if xOK && yOK {
		return constant.Compare(x, op, y)
	}
	return compareFloats(op, float(a), float(b))
}

func compareFloats(op token.Token, x, y float64) bool {
	switch op {
	case token.EQL:
		return x == y
	case token.NEQ:
		return x != y
	case token.LSS:
		return x < y
	case token.LEQ:
		return x <= y
	case token.GTR:
		return x > y
	}
	return x >= y
}

// extremeFold is min or max of known values as variables of type t.
func (l *lowerer) extremeFold(pos token.Pos, v, w value, t types.Type, name string) value {
	op := token.LSS
	if name == "max" {
		op = token.GTR
	}
	if d := l.numberDesc(t); d != nil && d.Elem.IR.IsFloat() {
		x, y := l.floatIn(pos, v, d.Elem), l.floatIn(pos, w, d.Elem)
		if op == token.LSS {
			return floatValue(min(x, y))
		}
		return floatValue(max(x, y))
	}
	if l.compareFold(pos, op, w, v, t) {
		return w
	}
	return v
}

// converted is the conversion of a known value from one element type to another, as at run time: integers wrap, floats
// are rounded, and floats that no integer of the type is become the nearest one, NaN zero.
func (l *lowerer) converted(v value, from, to describe.Elem) value {
	if k, ok := v.(constant.Value); ok && k.Kind() == constant.Bool {
		return v
	}
	switch {
	case from.IR.IsFloat() && to.IR.IsFloat():
		return roundFloat(float(v), to)
	case from.IR.IsFloat():
		return saturated(float(v), to)
	case to.IR.IsFloat():
		return l.floatOf(v.(constant.Value), to)
	}
	return l.wrap(constant.ToInt(v.(constant.Value)), to)
}

// saturated is the integer that is nearest to f truncated: zero for NaN.
func saturated(f float64, e describe.Elem) value {
	if math.IsNaN(f) {
		return number(0)
	}
	least, greatest := extremeOf(e, -1).(constant.Value), extremeOf(e, 1).(constant.Value)
	if e.IR == tileir.I1 {
		least, greatest = constant.MakeInt64(0), constant.MakeInt64(1)
	}
	if f <= float(least) {
		return least
	}
	if f >= float(greatest) {
		return greatest
	}
	return constant.ToInt(constant.MakeFloat64(math.Trunc(f)))
}

// floatOf is an integer as a float, rounded once.
func (l *lowerer) floatOf(k constant.Value, e describe.Elem) value {
	return floatValue(e.Type.FloatFromBits(e.Type.FloatBits(narrowed(k, e))))
}
