package lower

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/cutile-go/cutile/internal/check"
	"github.com/cutile-go/cutile/tileir"
)

// constant makes a tile whose elements are all v.
func (l *lowerer) constant(pos token.Pos, v value, t types.Type) *tile {
	x := l.operate(pos, "const", []types.Type{t}, v).(*tile)
	if k, ok := v.(constant.Value); ok && k.Kind() == constant.Int {
		if n, exact := constant.Int64Val(k); exact {
			x.min = &n
		}
	}
	return x
}

// fold computes an operator on constants as a variable of type t would.
func (l *lowerer) fold(pos token.Pos, op token.Token, a, b value, t types.Type) value {
	x, xOK := a.(constant.Value)
	y, yOK := b.(constant.Value)
	if !xOK || !yOK {
		return foldFloat(l, pos, op, a, b)
	}
	var d *check.Desc
	if t != nil {
		d = l.tileDesc(t)
	}
	isInt := d != nil && d.Elem.IR.IsInt() && x.Kind() != constant.Bool
	if isInt {
		x, y = constant.ToInt(x), constant.ToInt(y)
	}
	switch op {
	case token.SHL, token.SHR:
		n, ok := constant.Uint64Val(constant.ToInt(y))
		if !(ok && n < 1<<12) {
			l.fail(pos, "the shift count %s is out of range", y)
		}
		return l.wrapIf(isInt, constant.Shift(constant.ToInt(x), op, uint(n)), d)
	case token.QUO, token.REM:
		if isInt {
			l.must(constant.Sign(y) != 0, pos, "division by zero")
			if op == token.QUO {
				return l.wrap(constant.BinaryOp(x, token.QUO_ASSIGN, y), d.Elem)
			}
			return constant.BinaryOp(x, op, y)
		}
		if constant.Sign(y) == 0 {
			return foldFloat(l, pos, op, a, b)
		}
	}
	return l.wrapIf(isInt, constant.BinaryOp(x, op, y), d)
}

func (l *lowerer) wrapIf(isInt bool, v constant.Value, d *check.Desc) constant.Value {
	if isInt {
		return l.wrap(v, d.Elem)
	}
	return v
}

// foldFloat computes with infinities, NaN and division by zero.
func foldFloat(l *lowerer, pos token.Pos, op token.Token, a, b value) value {
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
		l.fail(pos, "a kernel cannot use the operator %s here", op)
	}
	if math.IsInf(r, 0) || math.IsNaN(r) || r == 0 && math.Signbit(r) {
		return nonFinite(r)
	}
	return constant.MakeFloat64(r)
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
func (l *lowerer) wrap(v constant.Value, e check.Elem) constant.Value {
	if v.Kind() != constant.Int || !e.IR.IsInt() || e.IR == tileir.I1 {
		return v
	}
	bits := uint(e.IR.Bits())
	if n, ok := constant.Int64Val(v); ok && fitsIn(n, bits, e.Signed()) {
		return v
	}
	mask := constant.BinaryOp(constant.Shift(constant.MakeInt64(1), token.SHL, bits), token.SUB, constant.MakeInt64(1))
	u := constant.BinaryOp(v, token.AND, mask)
	if e.Signed() && constant.Compare(u, token.GTR, constant.Shift(mask, token.SHR, 1)) {
		return constant.BinaryOp(u, token.SUB, constant.Shift(constant.MakeInt64(1), token.SHL, bits))
	}
	return u
}

func fitsIn(n int64, bits uint, signed bool) bool {
	if !signed {
		return n >= 0 && (bits == 64 || n>>bits == 0)
	}
	return n>>(bits-1) == 0 || n>>(bits-1) == -1
}

// truncated converts a constant that a variable holds, as a conversion at run time does.
func (l *lowerer) truncated(pos token.Pos, v constant.Value, e check.Elem) value {
	if v.Kind() == constant.Bool {
		return v
	}
	if e.IR.IsInt() {
		if k := constant.ToInt(v); k.Kind() == constant.Int {
			return l.wrap(k, e)
		}
		f, _ := constant.Float64Val(v)
		return l.wrap(constant.ToInt(constant.MakeFloat64(math.Trunc(f))), e)
	}
	return l.rounded(pos, v, e)
}

// rounded checks that an element type holds a constant, and rounds it once.
func (l *lowerer) rounded(pos token.Pos, v constant.Value, e check.Elem) value {
	bits, err := l.bits(pos, v, e)
	if !err {
		return v
	}
	if !e.IR.IsFloat() {
		return v
	}
	return fromBits(bits, e)
}

func fromBits(bits uint64, e check.Elem) value {
	f := e.Type.FloatFromBits(bits)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nonFinite(f)
	}
	return constant.MakeFloat64(f)
}

// bits encodes a constant as an element; what does not fit is an error at pos.
func (l *lowerer) bits(pos token.Pos, v value, e check.Elem) (bits uint64, ok bool) {
	switch x := v.(type) {
	case nonFinite:
		if !e.IR.IsFloat() {
			l.fail(pos, "the constant %v is not an integer", float64(x))
		}
		if !e.Type.Holds(float64(x)) {
			l.fail(pos, "the constant %v does not fit in %s", float64(x), e.Type)
		}
		return e.Type.FloatBits(float64(x)), true
	case constant.Value:
		switch {
		case x.Kind() == constant.Bool:
			if constant.BoolVal(x) {
				return 1, true
			}
			return 0, true
		case x.Kind() == constant.String:
			return 0, false
		case e.IR.IsFloat():
			return l.encodeFloat(pos, x, e), true
		}
		return l.encodeInt(pos, x, e), true
	case poison:
		panic(bailout{})
	}
	l.unknown(pos, "each element")
	return 0, false
}

func (l *lowerer) encodeInt(pos token.Pos, x constant.Value, e check.Elem) uint64 {
	k := constant.ToInt(x)
	if !(k.Kind() == constant.Int) {
		l.fail(pos, "the constant %s is not an integer, as elements of %s are", x, e.Type)
	}
	if e.IR == tileir.I1 {
		return uint64(constant.Sign(k) & 1)
	}
	if n, ok := constant.Int64Val(k); ok && fitsIn(n, uint(e.IR.Bits()), e.Signed()) {
		return uint64(n) & (^uint64(0) >> (64 - e.IR.Bits()))
	}
	if !(constant.Compare(l.wrap(k, e), token.EQL, k)) {
		l.fail(pos, "the constant %s does not fit in %s", x, e.Type)
	}
	if n, ok := constant.Int64Val(k); ok {
		return uint64(n) & (^uint64(0) >> (64 - e.IR.Bits()))
	}
	n, _ := constant.Uint64Val(k)
	return n
}

// encodeFloat rounds once: what a float64 cannot hold exactly is marked in its last bit before it is narrowed.
func (l *lowerer) encodeFloat(pos token.Pos, x constant.Value, e check.Elem) uint64 {
	f, exact := constant.Float64Val(constant.ToFloat(x))
	if !exact && e.IR != tileir.F64 && f != 0 {
		b := math.Float64bits(f)
		if b&1 == 0 { // round to odd: the next odd neighbour on the side of the true value
			if below := constant.Compare(constant.MakeFloat64(f), token.LSS, constant.ToFloat(x)); below == (f > 0) {
				b++
			} else {
				b--
			}
		}
		f = math.Float64frombits(b)
	}
	if !e.Type.Holds(f) {
		l.fail(pos, "the constant %s does not fit in %s", x, e.Type)
	}
	return e.Type.FloatBits(f)
}
