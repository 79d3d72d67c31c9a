package op

// AddF returns the sum of floats, rounded according to r; ftz flushes denormals to zero (f32 only).
//
//cutile:op addf(x, y) {rounding_mode: r, flush_to_zero: ftz}
func AddF[T any](x, y T, r Rounding, ftz bool) T { panic(host) }

// SubF returns the difference of floats, rounded according to r; ftz flushes denormals to zero (f32 only).
//
//cutile:op subf(x, y) {rounding_mode: r, flush_to_zero: ftz}
func SubF[T any](x, y T, r Rounding, ftz bool) T { panic(host) }

// MulF returns the product of floats, rounded according to r; ftz flushes denormals to zero (f32 only).
//
//cutile:op mulf(x, y) {rounding_mode: r, flush_to_zero: ftz}
func MulF[T any](x, y T, r Rounding, ftz bool) T { panic(host) }

// DivF returns the quotient of floats, rounded according to r; ftz flushes denormals to zero (f32 only).
//
//cutile:op divf(x, y) {rounding_mode: r, flush_to_zero: ftz}
func DivF[T any](x, y T, r Rounding, ftz bool) T { panic(host) }

// FMA returns x*y + z with a single rounding.
//
//cutile:op fma(x, y, z) {rounding_mode: r, flush_to_zero: ftz}
func FMA[T any](x, y, z T, r Rounding, ftz bool) T { panic(host) }

// NegF returns x with the opposite sign.
//
//cutile:op negf(x)
func NegF[T any](x T) T { panic(host) }

// AbsF returns the absolute value of x.
//
//cutile:op absf(x)
func AbsF[T any](x T) T { panic(host) }

// Ceil returns x rounded up to an integral value.
//
//cutile:op ceil(x)
func Ceil[T any](x T) T { panic(host) }

// Floor returns x rounded down to an integral value.
//
//cutile:op floor(x)
func Floor[T any](x T) T { panic(host) }

// RemF returns the remainder of x/y with the sign of x.
//
//cutile:op remf(x, y)
func RemF[T any](x, y T) T { panic(host) }

// MaxF returns the greater of two floats. With nan the result is NaN if either operand is NaN; otherwise it is the
// other operand. ftz flushes denormals to zero (f32 only).
//
//cutile:op maxf(x, y) {propagate_nan: nan, flush_to_zero: ftz}
func MaxF[T any](x, y T, nan, ftz bool) T { panic(host) }

// MinF returns the smaller of two floats. With nan the result is NaN if either operand is NaN; otherwise it is the
// other operand. ftz flushes denormals to zero (f32 only).
//
//cutile:op minf(x, y) {propagate_nan: nan, flush_to_zero: ftz}
func MinF[T any](x, y T, nan, ftz bool) T { panic(host) }

// CmpF compares floats.
//
//cutile:op cmpf(x, y) {comparison_predicate: p, comparison_ordering: o}
func CmpF[T any](x, y T, p Predicate, o FloatOrder) Mask[T] { panic(host) }
