package lower

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/cutile-go/cutile/internal/tilec/describe"
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

// wrap reduces an integer to the bits of its type, as arithmetic on variables does.
func (l *lowerer) wrap(v constant.Value, e describe.Elem) constant.Value {
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

// rounded checks that an element type holds a constant, and rounds it once.
func (l *lowerer) rounded(pos token.Pos, v constant.Value, e describe.Elem) value {
	bits, ok := l.bits(pos, v, e)
	if !ok || !e.IR.IsFloat() {
		return v
	}
	if r := fromBits(bits, e); r != nonFinite(0) {
		return r
	}
	return constant.MakeInt64(0) // constants have no negative zero
}

func fromBits(bits uint64, e describe.Elem) value { return floatValue(e.Type.FloatFromBits(bits)) }

// bits encodes a constant as an element; what does not fit is an error at pos.
func (l *lowerer) bits(pos token.Pos, v value, e describe.Elem) (bits uint64, ok bool) {
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
	case *held:
		return l.bits(pos, x.v, e)
	case poison:
		panic(bailout{})
	}
	l.unknown(pos, "each element", ofNumber)
	return 0, false
}

func (l *lowerer) encodeInt(pos token.Pos, x constant.Value, e describe.Elem) uint64 {
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

// encodeFloat rounds once.
func (l *lowerer) encodeFloat(pos token.Pos, x constant.Value, e describe.Elem) uint64 {
	f := narrowed(x, e)
	if !e.Type.Holds(f) {
		l.fail(pos, "the constant %s does not fit in %s", x, e.Type)
	}
	return e.Type.FloatBits(f)
}

// narrowed is a number as a float64 that rounds to the same element as the number itself: what a float64 cannot hold
// exactly is marked in its last bit.
func narrowed(x constant.Value, e describe.Elem) float64 {
	f, exact := constant.Float64Val(constant.ToFloat(x))
	if exact || e.IR == tileir.F64 || f == 0 {
		return f
	}
	b := math.Float64bits(f)
	if b&1 == 0 { // round to odd: the next odd neighbour on the side of the true value
		if below := constant.Compare(constant.MakeFloat64(f), token.LSS, constant.ToFloat(x)); below == (f > 0) {
			b++
		} else {
			b--
		}
	}
	return math.Float64frombits(b)
}
