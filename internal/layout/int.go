package layout

import (
	"fmt"
	"math"
	"math/bits"
)

// Int is an integer that is known now (static) or when the kernel runs (symbolic). The zero value is the static 0.
//
// For a symbolic integer a divisor is known, 1 at worst, and whether it has 64 bits or 32. Arithmetic keeps what it can
// of both.
type Int struct {
	n    int64 // the value, or the divisor (at least 1) of a symbolic one
	kind kind
	wide bool
	expr Expr
}

type kind uint8

const (
	static kind = iota
	symbolic
	overflowed // a result outside 64 bits; reported by the operation that made it
	zeroDivided
)

// Op is an operation on integers that a symbolic operand delays to run time. Operands are not negative where the
// layouts are meaningful, so that division and remainder need not say how they round.
type Op uint8

// The operations that an [Expr] is asked for.
const (
	OpAdd Op = iota
	OpMul
	OpDiv
	OpMod
	OpMin
	OpAbs // of x alone; y is the static 0
	OpAnd
	OpXor
	OpShl
	OpShr
)

var opNames = [...]string{"+", "*", "/", "%", "min", "abs", "&", "^", "<<", ">>"}

// String gives Go's sign of the operation, or its name.
func (op Op) String() string {
	if int(op) < len(opNames) {
		return opNames[op]
	}
	return fmt.Sprintf("Op(%d)", op)
}

// Expr is the run-time value behind a symbolic integer. It belongs to whoever uses the package; the algebra only passes
// it on. Symbols without one serve where nothing is computed, as in tests of the algebra itself.
type Expr interface {
	// Apply gives the value of "x op y". The receiver is the expression of x, or that of y if x has none; the other
	// operand may be static. A result of 64 bits is wanted where wide is set.
	Apply(op Op, x, y Int, wide bool) Expr
}

// N is the static integer n.
func N(n int) Int { return Int{n: int64(n)} }

// Sym is a symbolic integer of 32 bits, or of 64 where wide is set, which div divides. A div below 1 counts as 1. expr
// may be nil.
func Sym(div int, wide bool, expr Expr) Int {
	return Int{n: int64(max(div, 1)), kind: symbolic, wide: wide, expr: expr}
}

// Static gives the value of an integer that is known now.
func (a Int) Static() (value int, ok bool) { return int(a.n), a.kind == static }

// Is reports whether a is known now and equals n.
func (a Int) Is(n int) bool { return a.kind == static && a.n == int64(n) }

// Div gives the largest known divisor: the absolute value of a static integer (0 for 0).
func (a Int) Div() int {
	if a.kind == static && a.n < 0 {
		return int(-a.n)
	}
	return int(a.n)
}

// Wide reports whether a symbolic integer has 64 bits.
func (a Int) Wide() bool { return a.kind == symbolic && a.wide }

// Expr gives the run-time value of a symbolic integer, nil if it has none.
func (a Int) Expr() Expr { return a.expr }

// Err gives [ErrOverflow] or [ErrZero] if the arithmetic that made a failed. Operations on layouts report it themselves.
func (a Int) Err() error { return arithmetic(Leaf(a)) }

// Equal reports whether a and b are known to be the same: equal numbers, or symbols with the same expression.
func (a Int) Equal(b Int) bool {
	if a.kind == static && b.kind == static {
		return a.n == b.n
	}
	return a.kind == symbolic && b.kind == symbolic && a.expr != nil && comparable(a.expr) && a.expr == b.expr
}

// String is 7, ?, ?{div=8}, ?{i64} or ?{i64 div=8}.
func (a Int) String() string {
	switch {
	case a.kind == static:
		return fmt.Sprint(a.n)
	case a.kind != symbolic:
		return "!" // only inside an error
	case a.wide && a.n > 1:
		return fmt.Sprintf("?{i64 div=%d}", a.n)
	case a.wide:
		return "?{i64}"
	case a.n > 1:
		return fmt.Sprintf("?{div=%d}", a.n)
	}
	return "?"
}

func (a Int) isStatic() bool { return a.kind == static }
func (a Int) bad() bool      { return a.kind > symbolic }

// mulOverflows reports whether the product of two numbers does not fit 64 bits, and gives it if it does.
func mulOverflows(a, b int64) (product int64, overflows bool) {
	if a == math.MinInt64 || b == math.MinInt64 {
		return 0, true
	}
	hi, lo := bits.Mul64(uint64(magnitude(a)), uint64(magnitude(b)))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, true
	}
	return a * b, false
}

func magnitude(a int64) int64 {
	if a < 0 {
		return -a
	}
	return a
}

// gcd is the greatest common divisor of magnitudes; gcd(0, b) is b.
func gcd(a, b int64) int64 {
	a, b = magnitude(a), magnitude(b)
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
