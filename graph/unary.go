package graph

// The functions of this file apply to each element. Package documentation says how operands are broadcast.

// Neg returns -x.
func Neg(x *Value) *Value { return unary("neg", x) }

// Abs returns |x|.
func Abs(x *Value) *Value { return unary("abs", x) }

// Sign returns -1, 0 or 1 by the sign of x; a zero keeps its sign, and a NaN stays one.
func Sign(x *Value) *Value { return unary("sign", x) }

// Exp returns e to the power of x.
func Exp(x *Value) *Value { return unary("exp", x) }

// Exp2 returns 2 to the power of x.
func Exp2(x *Value) *Value { return unary("exp2", x) }

// Expm1 returns e to the power of x, less 1.
func Expm1(x *Value) *Value { return unary("expm1", x) }

// Log returns the natural logarithm of x.
func Log(x *Value) *Value { return unary("log", x) }

// Log2 returns the logarithm of x to base 2.
func Log2(x *Value) *Value { return unary("log2", x) }

// Log1p returns the natural logarithm of 1 + x.
func Log1p(x *Value) *Value { return unary("log1p", x) }

// Sqrt returns the square root of x.
func Sqrt(x *Value) *Value { return unary("sqrt", x) }

// Rsqrt returns 1/√x.
func Rsqrt(x *Value) *Value { return unary("rsqrt", x) }

// Sin returns the sine of x.
func Sin(x *Value) *Value { return unary("sin", x) }

// Cos returns the cosine of x.
func Cos(x *Value) *Value { return unary("cos", x) }

// Tan returns the tangent of x.
func Tan(x *Value) *Value { return unary("tan", x) }

// Asin returns the arcsine of x.
func Asin(x *Value) *Value { return unary("asin", x) }

// Acos returns the arccosine of x.
func Acos(x *Value) *Value { return unary("acos", x) }

// Atan returns the arctangent of x.
func Atan(x *Value) *Value { return unary("atan", x) }

// Sinh returns the hyperbolic sine of x.
func Sinh(x *Value) *Value { return unary("sinh", x) }

// Cosh returns the hyperbolic cosine of x.
func Cosh(x *Value) *Value { return unary("cosh", x) }

// Tanh returns the hyperbolic tangent of x.
func Tanh(x *Value) *Value { return unary("tanh", x) }

// Asinh returns the inverse hyperbolic sine of x.
func Asinh(x *Value) *Value { return unary("asinh", x) }

// Acosh returns the inverse hyperbolic cosine of x.
func Acosh(x *Value) *Value { return unary("acosh", x) }

// Atanh returns the inverse hyperbolic tangent of x.
func Atanh(x *Value) *Value { return unary("atanh", x) }

// Erf returns the error function of x.
func Erf(x *Value) *Value { return unary("erf", x) }

// Sigmoid returns 1/(1 + e^-x).
func Sigmoid(x *Value) *Value { return unary("logistic", x) }

// Floor returns the greatest integer that is at most x.
func Floor(x *Value) *Value { return unary("floor", x) }

// Ceil returns the least integer that is at least x.
func Ceil(x *Value) *Value { return unary("ceil", x) }

// Trunc returns x without its fraction.
func Trunc(x *Value) *Value { return unary("trunc", x) }

// RoundToEven returns the integer nearest to x, the even one of two.
func RoundToEven(x *Value) *Value { return unary("round_even", x) }

// Round returns the integer nearest to x, of two the one farther from zero.
func Round(x *Value) *Value { return unary("round_away", x) }

// IsFinite returns whether x is neither infinite nor a NaN.
func IsFinite(x *Value) *Value { return unary("is_finite", x) }

// IsNaN returns whether x is a NaN.
func IsNaN(x *Value) *Value { return unary("is_nan", x) }

// IsInf returns whether x is infinite.
func IsInf(x *Value) *Value { return unary("is_inf", x) }

// Not returns x with all bits inverted, of bools the negation.
func Not(x *Value) *Value { return unary("not", x) }

// LeadingZeros returns the number of zero bits before the first one in x.
func LeadingZeros(x *Value) *Value { return unary("clz", x) }

// OnesCount returns the number of one bits in x.
func OnesCount(x *Value) *Value { return unary("popcount", x) }
