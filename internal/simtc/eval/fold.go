package eval

import (
	"go/constant"
	"go/token"
	"math"
)

// fold computes on static numbers as variables of the type would: integers wrap, floats are rounded.
func (ev *evaluator) fold(op token.Token, a, b value, e *Elem) value {
	if _, ok := compares[op]; ok {
		return constant.MakeBool(compareConst(op, a, b))
	}
	x, xOK := a.(constant.Value)
	y, yOK := b.(constant.Value)
	if !xOK || !yOK || e.Float {
		return ev.foldFloat(op, a, b, e)
	}
	if x.Kind() == constant.Bool {
		return constant.BinaryOp(x, map[token.Token]token.Token{token.AND: token.LAND, token.OR: token.LOR}[op], y)
	}
	x, y = constant.ToInt(x), constant.ToInt(y)
	switch op {
	case token.SHL, token.SHR:
		n, ok := constant.Uint64Val(y)
		ev.must(ok, ev.pos, "the shift count %s is negative", y)
		return wrap(constant.Shift(x, op, uint(min(n, 128))), e)
	case token.QUO, token.REM:
		ev.must(constant.Sign(y) != 0, ev.pos, "division by zero")
		if op == token.QUO {
			return wrap(constant.BinaryOp(x, token.QUO_ASSIGN, y), e)
		}
	}
	return wrap(constant.BinaryOp(x, op, y), e)
}

// foldFloat computes on floats. A difference of zeros is a negation: see negate.
func (ev *evaluator) foldFloat(op token.Token, a, b value, e *Elem) value {
	x, y := float(a), float(b)
	var r float64
	switch op {
	case token.ADD:
		r = x + y
	case token.SUB:
		r = x - y
	case token.MUL:
		r = x * y
	case token.QUO:
		r = x / y
	default:
		ev.fail(ev.pos, "the operator %s does not take %s", op, e.Name)
	}
	return ev.rounded(r, e)
}

// roundedConst is a constant as an element holds it.
func (ev *evaluator) roundedConst(c constant.Value, e *Elem) value {
	if e == f64Elem {
		f, _ := constant.Float64Val(constant.ToFloat(c))
		return ev.rounded(f, e)
	}
	return ev.rounded(exactOdd(c), e)
}

// rounded is a float as an element holds it.
func (ev *evaluator) rounded(f float64, e *Elem) value {
	if e.Name == "tf32" {
		f = tiesAway(f)
	}
	return known(e.DType.FloatFromBits(e.DType.FloatBits(f)))
}

// known is a float that an element has.
func known(f float64) value {
	if math.IsInf(f, 0) || math.IsNaN(f) || f == 0 && math.Signbit(f) {
		return nonFinite(f)
	}
	return constant.MakeFloat64(f)
}

// tiesAway is a float as cvt.rna.tf32.f32 makes it of one that is rounded to odd: what lies between two numbers goes away
// from zero. PTX has no other rounding for every target.
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

func compareConst(op token.Token, a, b value) bool {
	x, xOK := a.(constant.Value)
	y, yOK := b.(constant.Value)
	if xOK && yOK {
		return constant.Compare(x, op, y)
	}
	f, g := float(a), float(b)
	switch op {
	case token.EQL:
		return f == g
	case token.NEQ:
		return f != g
	case token.LSS:
		return f < g
	case token.LEQ:
		return f <= g
	case token.GTR:
		return f > g
	}
	return f >= g
}

// wrap reduces an integer to the bits of its type, as arithmetic on variables does.
func wrap(v constant.Value, e *Elem) constant.Value {
	one := constant.MakeInt64(1)
	size := constant.Shift(one, token.SHL, uint(e.Bits))
	u := constant.BinaryOp(v, token.AND, constant.BinaryOp(size, token.SUB, one))
	if e.Signed && constant.Compare(u, token.GEQ, constant.Shift(one, token.SHL, uint(e.Bits-1))) {
		return constant.BinaryOp(u, token.SUB, size)
	}
	return u
}

// bits encodes a static number as an element.
func (ev *evaluator) bits(v value, e *Elem) uint64 {
	switch x := v.(type) {
	case nonFinite:
		ev.must(e.Float, ev.pos, "%v is not an integer", float64(x))
		return e.DType.FloatBits(float64(x))
	case constant.Value:
		switch {
		case x.Kind() == constant.Bool:
			return map[bool]uint64{true: 1}[constant.BoolVal(x)]
		case e.Float:
			return e.DType.FloatBits(float(ev.roundedConst(x, e)))
		}
		k := constant.ToInt(x)
		ev.must(k.Kind() == constant.Int, ev.pos, "%s is not an integer", x)
		if n, ok := constant.Int64Val(k); ok {
			return uint64(n)
		}
		n, _ := constant.Uint64Val(k)
		return n
	case poison:
		panic(bailout{})
	}
	ev.fail(ev.pos, "%s is not a number", ev.describe(v))
	return 0
}

// exactOdd gives a constant as a float64 that rounds to any narrower type as the constant itself does: what a float64
// cannot hold exactly is marked in its last bit.
func exactOdd(x constant.Value) float64 {
	f, exact := constant.Float64Val(constant.ToFloat(x))
	if exact || f == 0 || math.IsInf(f, 0) {
		return f
	}
	b := math.Float64bits(f)
	if b&1 == 0 {
		if below := constant.Compare(constant.MakeFloat64(f), token.LSS, constant.ToFloat(x)); below == (f > 0) {
			b++
		} else {
			b--
		}
	}
	return math.Float64frombits(b)
}

// foldExtreme is Go's min or max of static numbers: of NaN and another NaN, and -0 is less than 0.
func (ev *evaluator) foldExtreme(name string, x, y value, e *Elem) value {
	switch {
	case e.Float && name == "min":
		return ev.rounded(min(float(x), float(y)), e)
	case e.Float:
		return ev.rounded(max(float(x), float(y)), e)
	case compareConst(token.LSS, x, y) == (name == "min"):
		return x
	}
	return y
}
