package gomlx

import "github.com/gomlx/gomlx/backends"

// This file has a method for each operation of the table, as GoMLX's interface demands.

// Abs returns |x|; of complex numbers it is real.
func (b *Builder) Abs(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeAbs, x) }

// BitCount returns the number of one bits in x.
func (b *Builder) BitCount(x backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeBitCount, x)
}

// BitwiseNot returns x with all bits inverted.
func (b *Builder) BitwiseNot(x backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeBitwiseNot, x)
}

// Ceil returns the least integer that is at least x.
func (b *Builder) Ceil(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeCeil, x) }

// Clz returns the number of zero bits before the first one.
func (b *Builder) Clz(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeClz, x) }

// Conj returns the conjugate of complex numbers.
func (b *Builder) Conj(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeConj, x) }

// Cos returns the cosine of x.
func (b *Builder) Cos(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeCos, x) }

// Erf returns the error function of x.
func (b *Builder) Erf(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeErf, x) }

// Exp returns e to the power of x.
func (b *Builder) Exp(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeExp, x) }

// Expm1 returns e to the power of x, less 1.
func (b *Builder) Expm1(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeExpm1, x) }

// Floor returns the greatest integer that is at most x.
func (b *Builder) Floor(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeFloor, x) }

// Identity returns x.
func (b *Builder) Identity(x backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeIdentity, x)
}

// Imag returns the imaginary part, 0 of floats.
func (b *Builder) Imag(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeImag, x) }

// IsFinite returns whether x is neither infinite nor a NaN.
func (b *Builder) IsFinite(x backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeIsFinite, x)
}

// IsNaN returns whether x is a NaN.
func (b *Builder) IsNaN(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeIsNaN, x) }

// Log returns the natural logarithm of x.
func (b *Builder) Log(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeLog, x) }

// Log1p returns the natural logarithm of 1 + x.
func (b *Builder) Log1p(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeLog1p, x) }

// LogicalNot returns the negation of bools.
func (b *Builder) LogicalNot(x backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeLogicalNot, x)
}

// Logistic returns 1/(1 + e^-x).
func (b *Builder) Logistic(x backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeLogistic, x)
}

// Neg returns -x.
func (b *Builder) Neg(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeNeg, x) }

// Real returns the real part, x itself of floats.
func (b *Builder) Real(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeReal, x) }

// Round returns the integer nearest to x, the even one of two.
func (b *Builder) Round(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeRound, x) }

// Rsqrt returns 1/√x.
func (b *Builder) Rsqrt(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeRsqrt, x) }

// Sign returns -1, 0 or 1 by the sign of x; a zero keeps its sign and a NaN stays one.
func (b *Builder) Sign(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeSign, x) }

// Sin returns the sine of x.
func (b *Builder) Sin(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeSin, x) }

// Sqrt returns the square root of x.
func (b *Builder) Sqrt(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeSqrt, x) }

// Tanh returns the hyperbolic tangent of x.
func (b *Builder) Tanh(x backends.Op) (backends.Op, error) { return b.apply(backends.OpTypeTanh, x) }

// Add returns x + y.
func (b *Builder) Add(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeAdd, x, y)
}

// BitwiseAnd returns the bits that both x and y have.
func (b *Builder) BitwiseAnd(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeBitwiseAnd, x, y)
}

// BitwiseOr returns the bits that x or y have.
func (b *Builder) BitwiseOr(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeBitwiseOr, x, y)
}

// BitwiseXor returns the bits that one of x and y has.
func (b *Builder) BitwiseXor(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeBitwiseXor, x, y)
}

// Div returns x/y; integers are rounded to zero, and the quotient by zero is -1.
func (b *Builder) Div(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeDiv, x, y)
}

// Equal returns whether x = y.
func (b *Builder) Equal(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeEqual, x, y)
}

// EqualTotalOrder returns whether x = y in the order of all floats, -NaN < -Inf < -0 < +0 < +Inf < +NaN.
func (b *Builder) EqualTotalOrder(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeEqualTotalOrder, x, y)
}

// GreaterOrEqual returns whether x ≥ y.
func (b *Builder) GreaterOrEqual(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeGreaterOrEqual, x, y)
}

// GreaterOrEqualTotalOrder returns whether x ≥ y in the order of all floats, -NaN < -Inf < -0 < +0 < +Inf < +NaN.
func (b *Builder) GreaterOrEqualTotalOrder(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeGreaterOrEqualTotalOrder, x, y)
}

// GreaterThan returns whether x > y.
func (b *Builder) GreaterThan(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeGreaterThan, x, y)
}

// GreaterThanTotalOrder returns whether x > y in the order of all floats, -NaN < -Inf < -0 < +0 < +Inf < +NaN.
func (b *Builder) GreaterThanTotalOrder(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeGreaterThanTotalOrder, x, y)
}

// LessOrEqual returns whether x ≤ y.
func (b *Builder) LessOrEqual(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeLessOrEqual, x, y)
}

// LessOrEqualTotalOrder returns whether x ≤ y in the order of all floats, -NaN < -Inf < -0 < +0 < +Inf < +NaN.
func (b *Builder) LessOrEqualTotalOrder(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeLessOrEqualTotalOrder, x, y)
}

// LessThan returns whether x < y.
func (b *Builder) LessThan(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeLessThan, x, y)
}

// LessThanTotalOrder returns whether x < y in the order of all floats, -NaN < -Inf < -0 < +0 < +Inf < +NaN.
func (b *Builder) LessThanTotalOrder(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeLessThanTotalOrder, x, y)
}

// LogicalAnd returns whether both x and y are true.
func (b *Builder) LogicalAnd(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeLogicalAnd, x, y)
}

// LogicalOr returns whether x or y is true.
func (b *Builder) LogicalOr(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeLogicalOr, x, y)
}

// LogicalXor returns whether one of x and y is true.
func (b *Builder) LogicalXor(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeLogicalXor, x, y)
}

// Max returns the greater of x and y; a NaN if one of them is.
func (b *Builder) Max(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeMax, x, y)
}

// Min returns the lesser of x and y; a NaN if one of them is.
func (b *Builder) Min(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeMin, x, y)
}

// Mul returns x·y.
func (b *Builder) Mul(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeMul, x, y)
}

// NotEqual returns whether x ≠ y, which holds for a NaN.
func (b *Builder) NotEqual(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeNotEqual, x, y)
}

// NotEqualTotalOrder returns whether x ≠ y in the order of all floats, -NaN < -Inf < -0 < +0 < +Inf < +NaN.
func (b *Builder) NotEqualTotalOrder(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeNotEqualTotalOrder, x, y)
}

// Pow returns x to the power of y.
func (b *Builder) Pow(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypePow, x, y)
}

// Rem returns the remainder of x/y with the sign of x; of integers, the remainder by zero is x.
func (b *Builder) Rem(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeRem, x, y)
}

// ShiftLeft returns x shifted left by y bits; 0 if y is the width or more.
func (b *Builder) ShiftLeft(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeShiftLeft, x, y)
}

// ShiftRightArithmetic returns x shifted right by y bits, filled with the highest bit of x.
func (b *Builder) ShiftRightArithmetic(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeShiftRightArithmetic, x, y)
}

// ShiftRightLogical returns x shifted right by y bits, filled with zeros.
func (b *Builder) ShiftRightLogical(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeShiftRightLogical, x, y)
}

// Sub returns x - y.
func (b *Builder) Sub(x, y backends.Op) (backends.Op, error) {
	return b.apply(backends.OpTypeSub, x, y)
}
