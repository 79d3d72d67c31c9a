package layout

import (
	"math"
	"reflect"
)

// Each operation folds where both operands are known, and where the result does not depend on the symbol (x*0, x*1,
// x+0, x/1). Else the divisor of the result follows from those of the operands, and the expression is asked for.

// Add is a + b.
func (a Int) Add(b Int) Int {
	switch {
	case a.bad() || b.bad():
		return worse(a, b)
	case a.Is(0):
		return b
	case b.Is(0):
		return a
	case !a.isStatic() || !b.isStatic():
		return later(OpAdd, a, b, gcd(a.n, b.n))
	}
	if sum := a.n + b.n; (sum > a.n) == (b.n > 0) {
		return Int{n: sum}
	}
	return Int{kind: overflowed}
}

// Mul is a * b.
func (a Int) Mul(b Int) Int {
	switch {
	case a.bad() || b.bad():
		return worse(a, b)
	case a.Is(0) || b.Is(0):
		return Int{}
	case a.Is(1):
		return b
	case b.Is(1):
		return a
	}
	p, over := mulOverflows(a.n, b.n)
	switch {
	case a.isStatic() && b.isStatic() && over:
		return Int{kind: overflowed}
	case a.isStatic() && b.isStatic():
		return Int{n: p}
	case over: // the divisor alone does not fit: either one still divides
		p = max(magnitude(a.n), magnitude(b.n))
	}
	return later(OpMul, a, b, magnitude(p))
}

// Quo is a / b, rounded towards zero as in Go.
func (a Int) Quo(b Int) Int {
	switch {
	case a.bad() || b.bad():
		return worse(a, b)
	case b.Is(0):
		return Int{kind: zeroDivided}
	case b.Is(1):
		return a
	case a.Is(0):
		return Int{}
	case a.isStatic() && b.isStatic():
		if a.n == math.MinInt64 && b.n == -1 {
			return Int{kind: overflowed}
		}
		return Int{n: a.n / b.n}
	case b.isStatic() && a.n%b.n == 0:
		return later(OpDiv, a, b, magnitude(a.n/b.n))
	}
	return later(OpDiv, a, b, 1)
}

// Mod is the remainder of [Int.Quo].
func (a Int) Mod(b Int) Int {
	switch {
	case a.bad() || b.bad():
		return worse(a, b)
	case b.Is(0):
		return Int{kind: zeroDivided}
	case b.Is(1) || a.Is(0):
		return Int{}
	case a.isStatic() && b.isStatic():
		return Int{n: a.n % b.n}
	case b.isStatic() && a.n%b.n == 0:
		return Int{}
	}
	return later(OpMod, a, b, gcd(a.n, b.n))
}

// CeilDiv is a / b rounded up, of numbers that are not negative. No divisor of a symbolic quotient is kept, as in the
// reference.
func (a Int) CeilDiv(b Int) Int {
	if a.bad() || b.bad() || b.Is(0) || a.Is(0) || b.isStatic() && a.n%b.n == 0 { // exact: no need to round
		return a.Quo(b).forgetDiv()
	}
	return a.Add(b.Add(N(-1))).Quo(b).forgetDiv()
}

// RoundUp is the least multiple of b that is not below a.
func (a Int) RoundUp(b Int) Int { return a.CeilDiv(b).Mul(b) }

// Min is the smaller one.
func (a Int) Min(b Int) Int {
	switch {
	case a.bad() || b.bad():
		return worse(a, b)
	case a.isStatic() && b.isStatic():
		return Int{n: min(a.n, b.n)}
	}
	return later(OpMin, a, b, gcd(a.n, b.n))
}

// Abs is the absolute value.
func (a Int) Abs() Int {
	switch {
	case a.bad():
		return a
	case !a.isStatic():
		return later(OpAbs, a, Int{}, a.n)
	case a.n == math.MinInt64:
		return Int{kind: overflowed}
	}
	return Int{n: magnitude(a.n)}
}

// And and Xor are bitwise. A power of two that divides both sides divides the result.
func (a Int) And(b Int) Int {
	return a.bitwise(OpAnd, b, func(x, y int64) int64 { return x & y })
}

// Xor is bitwise exclusive or, see [Int.And].
func (a Int) Xor(b Int) Int {
	return a.bitwise(OpXor, b, func(x, y int64) int64 { return x ^ y })
}

func (a Int) bitwise(op Op, b Int, now func(x, y int64) int64) Int {
	switch {
	case a.bad() || b.bad():
		return worse(a, b)
	case a.isStatic() && b.isStatic():
		return Int{n: now(a.n, b.n)}
	case a.Is(0) || b.Is(0):
		if op == OpAnd {
			return Int{}
		}
		return a.Add(b)
	}
	low := gcd(a.n, b.n)
	return later(op, a, b, low&-low)
}

// Shift is a shifted left by n bits, right (with the sign) where n is negative.
func (a Int) Shift(n int) Int {
	switch {
	case a.bad() || n == 0:
		return a
	case n < 0 && a.isStatic():
		return Int{n: a.n >> min(-n, 63)}
	case n < 0:
		div := int64(1)
		if -n < 63 && a.n%(1<<-n) == 0 {
			div = a.n >> -n
		}
		return later(OpShr, a, N(-n), div)
	case n > 62:
		return Int{kind: overflowed}
	case a.isStatic():
		return a.Mul(Int{n: 1 << n})
	}
	return later(OpShl, a, N(n), a.Mul(Int{n: 1 << n}).n)
}

// later is the symbol for "a op b", at least one of which is symbolic.
func later(op Op, a, b Int, div int64) Int {
	r := Int{n: max(div, 1), kind: symbolic, wide: a.Wide() || b.Wide()}
	switch {
	case a.expr != nil:
		r.expr = a.expr.Apply(op, a, b, r.wide)
	case b.expr != nil:
		r.expr = b.expr.Apply(op, a, b, r.wide)
	}
	return r
}

func worse(a, b Int) Int {
	if a.bad() {
		return a
	}
	return b
}

func (a Int) forgetDiv() Int {
	if a.kind == symbolic {
		a.n = 1
	}
	return a
}

// comparable guards == on interface values of types that do not have it.
func comparable(e Expr) bool { return reflect.TypeOf(e).Comparable() }
