package goval

import (
	"errors"
	"fmt"
	"go/constant"
	"go/token"
)

const equal = token.EQL

// Binary computes an operator on variables of the type, a shift's count aside, which may be of any integer type.
func (t Type) Binary(op token.Token, a, b Value) (Value, error) {
	if t.IsFloat() {
		return t.floats(op, a, b)
	}
	x, xOK := a.(constant.Value)
	y, yOK := b.(constant.Value)
	if !xOK || !yOK {
		return nil, fmt.Errorf("the constant %v is not an integer", Float(a))
	}
	if x.Kind() == constant.Bool {
		return constant.BinaryOp(x, logical[op], y), nil
	}
	x, err := t.integer(x)
	if err != nil {
		return nil, err
	}
	if op == token.SHL || op == token.SHR {
		n, err := ShiftCount(y)
		if err != nil {
			return nil, err
		}
		return t.Wrap(constant.Shift(x, op, n)), nil
	}
	if y, err = t.integer(y); err != nil {
		return nil, err
	}
	if op == token.QUO || op == token.REM {
		if constant.Sign(y) == 0 {
			return nil, errors.New("division by zero")
		}
		if op == token.QUO {
			op = token.QUO_ASSIGN // of integers
		}
	}
	return t.Wrap(constant.BinaryOp(x, op, y)), nil
}

// logical is the operators on truth values, as package constant names them.
var logical = map[token.Token]token.Token{
	token.AND: token.LAND, token.OR: token.LOR, token.LAND: token.LAND, token.LOR: token.LOR,
}

func (t Type) integer(x constant.Value) (constant.Value, error) {
	k, err := t.Hold(x)
	if err != nil {
		return nil, err
	}
	return k.(constant.Value), nil
}

// maxShift is a count that moves every bit out of every integer.
const maxShift = 64

// ShiftCount is the count of a shift, which must not be negative. It is 64 for all that move out every bit.
func ShiftCount(v Value) (uint, error) {
	x, ok := v.(constant.Value)
	if ok {
		x = constant.ToInt(x)
		ok = x.Kind() == constant.Int
	}
	if !ok {
		return 0, fmt.Errorf("the shift count %v is not an integer", v)
	}
	if constant.Sign(x) < 0 {
		return 0, fmt.Errorf("negative shift count %s", x)
	}
	if n, ok := constant.Uint64Val(x); ok {
		return uint(min(n, maxShift)), nil
	}
	return maxShift, nil
}

func (t Type) floats(op token.Token, a, b Value) (Value, error) {
	x, err := t.float(a)
	if err != nil {
		return nil, err
	}
	y, err := t.float(b)
	if err != nil {
		return nil, err
	}
	// float64 is wide enough: its results, rounded once more, are those of each narrower type.
	switch op {
	case token.ADD:
		return t.Round(x + y), nil
	case token.SUB:
		return t.Round(x - y), nil
	case token.MUL:
		return t.Round(x * y), nil
	case token.QUO:
		return t.Round(x / y), nil
	}
	return nil, fmt.Errorf("the operator %s does not take %s", op, t)
}

// float is a known number as an element of a float type.
func (t Type) float(v Value) (float64, error) {
	if _, ok := v.(constant.Value); ok {
		var err error
		if v, err = t.Hold(v); err != nil {
			return 0, err
		}
	}
	return Float(v), nil
}

// Compare compares variables of the type.
func (t Type) Compare(op token.Token, a, b Value) (bool, error) {
	if t.IsFloat() {
		x, err := t.float(a)
		if err != nil {
			return false, err
		}
		y, err := t.float(b)
		return compareFloats(op, x, y), err
	}
	return Compare(op, a, b), nil
}

// Compare compares exact numbers, truth values or texts.
func Compare(op token.Token, a, b Value) bool {
	x, xOK := a.(constant.Value)
	y, yOK := b.(constant.Value)
	if xOK && yOK {
		return constant.Compare(x, op, y)
	}
	return compareFloats(op, Float(a), Float(b))
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

// Extreme is Go's built-in function min or max of variables of the type: NaN of NaN and anything, and -0 is less than 0.
func (t Type) Extreme(name string, a, b Value) (Value, error) {
	if !t.IsFloat() {
		if Compare(token.LSS, b, a) == (name == "min") {
			return b, nil
		}
		return a, nil
	}
	x, err := t.float(a)
	if err != nil {
		return nil, err
	}
	y, err := t.float(b)
	if err != nil {
		return nil, err
	}
	if name == "min" {
		return t.Round(min(x, y)), nil
	}
	return t.Round(max(x, y)), nil
}

// Negate is -v of a variable of the type. It is not 0 - v, which has another sign for 0.
func (t Type) Negate(v Value) (Value, error) {
	if t.IsFloat() {
		x, err := t.float(v)
		return t.Round(-x), err
	}
	return t.Binary(token.SUB, constant.MakeInt64(0), v)
}
