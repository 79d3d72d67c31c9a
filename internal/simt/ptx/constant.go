package ptx

import (
	"math"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// constant is a number: an integer, or a float in the bits of its width.
type constant struct {
	bits     uint64
	float    int  // 32 or 64 bits; 0 for an integer
	unsigned bool // an integer that is never negative
}

// as gives the bits of a number in a type, and whether it may have it. The bits of a float may stand for an integer without
// a sign of the same width.
func (c constant) as(typ string) (uint64, bool) {
	floating := typ == "f32" || typ == "f64" || typ == "f16"
	switch {
	case c.float == 0:
		return c.bits, !floating
	case typ == "f64" && c.float == 32:
		return math.Float64bits(float64(math.Float32frombits(uint32(c.bits)))), true
	case typ == "f32" && c.float == 64:
		return uint64(math.Float32bits(float32(math.Float64frombits(c.bits)))), true
	case typ == "f32" || typ == "f64":
		return c.bits, true
	}
	return c.bits, strings.HasPrefix(typ, "b") && simt.TypeBits(typ) == c.float
}

// startsConstant reports whether a number begins with a token.
func startsConstant(text string) bool {
	return text == "-" || text == "~" || text == "(" || text == "WARP_SZ" || text != "" && (isDigit(text[0]) || text[0] == '.' && len(text) > 1 && isDigit(text[1]))
}

// precedence of the operators of constant expressions.
var precedence = map[string]int{"<<": 1, ">>": 1, "+": 2, "-": 2, "*": 3, "/": 3, "%": 3}

// constant takes a constant expression.
func (r *reader) constant() constant { return r.binary(1, 0) }

// maxDepth is how deep parentheses and signs of an expression, scopes and calls may be nested.
const maxDepth = 64

func (r *reader) binary(least, depth int) constant {
	x := r.unary(depth)
	for {
		t := r.peek()
		op := t.text
		if (op == "<" || op == ">") && r.tokens[min(r.next+1, len(r.tokens)-1)].text == op {
			op += op
		}
		p := precedence[op]
		if p < least || p == 0 {
			return x
		}
		r.next += len(op)
		y := r.binary(p+1, depth+1)
		if x.float != 0 || y.float != 0 {
			r.fail(t, "expected integers as the operands of %s", op)
		}
		x = r.operate(t, op, x, y)
	}
}

// operate computes with integers of 64 bits. As in C, one without a sign makes the result one, but for shifts.
func (r *reader) operate(t token, op string, x, y constant) constant {
	both := x.unsigned || y.unsigned
	switch op {
	case "+":
		return constant{bits: x.bits + y.bits, unsigned: both}
	case "-":
		return constant{bits: x.bits - y.bits, unsigned: both}
	case "*":
		return constant{bits: x.bits * y.bits, unsigned: both}
	case "<<":
		return constant{bits: x.bits << y.bits, unsigned: x.unsigned}
	case ">>":
		if x.unsigned {
			return constant{bits: x.bits >> y.bits, unsigned: true}
		}
		return constant{bits: uint64(int64(x.bits) >> y.bits)}
	}
	switch {
	case y.bits == 0:
		r.fail(t, "division by zero")
	case op == "/" && both:
		return constant{bits: x.bits / y.bits, unsigned: true}
	case op == "/":
		return constant{bits: uint64(int64(x.bits) / int64(y.bits))}
	case !x.unsigned && int64(x.bits) < 0 || !y.unsigned && int64(y.bits) < 0: // C and PTX differ
		r.fail(t, "a remainder of a negative number, or by one, is not supported")
	}
	return constant{bits: x.bits % y.bits}
}

func (r *reader) unary(depth int) constant {
	t := r.peek()
	if depth > maxDepth {
		r.fail(t, "the expression is nested more than %d deep", maxDepth)
	}
	switch {
	case r.accept("-"):
		c := r.unary(depth + 1)
		if c.float != 0 {
			return constant{bits: c.bits ^ 1<<(c.float-1), float: c.float}
		}
		return constant{bits: -c.bits, unsigned: c.unsigned}
	case r.accept("~"):
		c := r.unary(depth + 1)
		if c.float != 0 {
			r.fail(t, "expected an integer as the operand of ~")
		}
		return constant{bits: ^c.bits, unsigned: true}
	case r.accept("("):
		c := r.binary(1, depth+1)
		r.expect(")")
		return c
	case r.accept("WARP_SZ"):
		return constant{bits: 32}
	}
	c, ok := literal(t.text)
	if r.take(); !ok {
		r.unexpected(t, "a number")
	}
	return c
}

// literal reads a number: decimal, hexadecimal, octal or binary, perhaps with a U; or a float as its bits or in decimal.
func literal(text string) (constant, bool) {
	for prefix, width := range map[string]int{"0f": 32, "0F": 32, "0d": 64, "0D": 64} {
		if digits, ok := strings.CutPrefix(text, prefix); ok {
			n, err := strconv.ParseUint(digits, 16, width)
			return constant{bits: n, float: width}, err == nil && len(digits) == width/4
		}
	}
	digits, unsigned := strings.CutSuffix(text, "U")
	if strings.Trim(digits, "0123456789abcdefABCDEFxX") == "" && digits != "" {
		if n, err := strconv.ParseUint(digits, 0, 64); err == nil {
			return constant{bits: n, unsigned: unsigned || n > math.MaxInt64}, true
		}
	}
	if strings.Trim(text, "0123456789.eE+-") != "" || !strings.ContainsAny(text, ".eE") {
		return constant{}, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return constant{bits: math.Float64bits(x), float: 64}, err == nil
}

// integerAsFloat is an integer as the first value of a float.
func integerAsFloat(c constant) constant {
	x := float64(int64(c.bits))
	if c.unsigned {
		x = float64(c.bits)
	}
	return constant{bits: math.Float64bits(x), float: 64}
}
