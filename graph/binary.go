package graph

// Add returns x + y.
func Add(x, y *Value) *Value { return pointwise("add", x, y) }

// Sub returns x - y.
func Sub(x, y *Value) *Value { return pointwise("sub", x, y) }

// Mul returns x·y.
func Mul(x, y *Value) *Value { return pointwise("mul", x, y) }

// Div returns x/y. Integers are rounded to zero; the quotient by zero is -1, all bits.
func Div(x, y *Value) *Value { return pointwise("div", x, y) }

// Rem returns the remainder of x/y with the sign of x; of integers, the remainder by zero is x.
func Rem(x, y *Value) *Value { return pointwise("rem", x, y) }

// Mod returns the remainder of x/y with the sign of y; of integers, the remainder by zero is x.
func Mod(x, y *Value) *Value { return pointwise("mod", x, y) }

// Pow returns x to the power of y. Integers wrap around; a negative power of one is that of its quotient, rounded to zero.
func Pow(x, y *Value) *Value { return pointwise("pow", x, y) }

// Max returns the greater of x and y; a NaN if one of them is.
func Max(x, y *Value) *Value { return pointwise("max", x, y) }

// Min returns the lesser of x and y; a NaN if one of them is.
func Min(x, y *Value) *Value { return pointwise("min", x, y) }

// Atan2 returns the angle of the point (y, x): the arctangent of x/y by the signs of both.
func Atan2(x, y *Value) *Value { return pointwise("atan2", x, y) }

// And returns the bits that both x and y have.
func And(x, y *Value) *Value { return pointwise("and", x, y) }

// Or returns the bits that x or y have.
func Or(x, y *Value) *Value { return pointwise("or", x, y) }

// Xor returns the bits that one of x and y has.
func Xor(x, y *Value) *Value { return pointwise("xor", x, y) }

// ShiftLeft returns x shifted left by y bits; 0 if y is the width or more.
func ShiftLeft(x, y *Value) *Value { return pointwise("shl", x, y) }

// ShiftRight returns x shifted right by y bits, filled with zeros.
func ShiftRight(x, y *Value) *Value { return pointwise("shr", x, y) }

// ShiftRightArithmetic returns x shifted right by y bits, filled with the highest bit of x.
func ShiftRightArithmetic(x, y *Value) *Value { return pointwise("sar", x, y) }

// MulHigh returns the upper half of the product of x and y in twice as many bits.
func MulHigh(x, y *Value) *Value { return pointwise("mulhi", x, y) }

// Equal returns whether x = y.
func Equal(x, y *Value) *Value { return pointwise("eq", x, y) }

// NotEqual returns whether x ≠ y, which holds for a NaN.
func NotEqual(x, y *Value) *Value { return pointwise("ne", x, y) }

// Less returns whether x < y.
func Less(x, y *Value) *Value { return pointwise("lt", x, y) }

// LessEqual returns whether x ≤ y.
func LessEqual(x, y *Value) *Value { return pointwise("le", x, y) }

// Greater returns whether x > y.
func Greater(x, y *Value) *Value { return pointwise("gt", x, y) }

// GreaterEqual returns whether x ≥ y.
func GreaterEqual(x, y *Value) *Value { return pointwise("ge", x, y) }
