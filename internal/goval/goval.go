// Package goval computes with numbers that are known while a kernel is compiled, as Go does with variables: integers wrap and
// floats are rounded after each operation. Constants are exact instead, and package constexpr computes them.
//
// Both compilers compute here, so that one program has one result and one message at either level. Tests hold every operation
// against the Go compiler's own. What else both need lies here, too: the [Reporter] of mistakes, and questions about syntax.
package goval

import (
	"go/constant"
	"math"
)

// Value is a known number, truth value or text: a constant.Value, or a [NonFinite] where no constant of Go is the number.
type Value any

// NonFinite is an infinity, NaN or the negative zero.
type NonFinite float64

// Known reports whether a compiler's value is a [Value].
func Known(v any) bool {
	switch v.(type) {
	case constant.Value, NonFinite:
		return true
	}
	return false
}

// FromFloat is a float as a Value.
func FromFloat(f float64) Value {
	if math.IsInf(f, 0) || math.IsNaN(f) || f == 0 && math.Signbit(f) {
		return NonFinite(f)
	}
	return constant.MakeFloat64(f)
}

// Float is a number as the nearest float64; NaN for a value that is not a number.
func Float(v Value) float64 {
	switch x := v.(type) {
	case NonFinite:
		return float64(x)
	case constant.Value:
		f, _ := constant.Float64Val(constant.ToFloat(x))
		return f
	}
	return math.NaN()
}

// Same reports whether two values are the same number, truth value or text; NaN is the same as NaN.
func Same(a, b Value) bool {
	switch x := a.(type) {
	case constant.Value:
		y, ok := b.(constant.Value)
		return ok && x.Kind() == y.Kind() && constant.Compare(x, equal, y)
	case NonFinite:
		y, ok := b.(NonFinite)
		return ok && (x == y || x != x && y != y)
	}
	return false
}
