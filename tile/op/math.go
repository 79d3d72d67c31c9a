package op

// Log is the natural logarithm.
//
//cutile:op log(x)
func Log[T any](x T) T { panic(host) }

// Log2 is the base-2 logarithm.
//
//cutile:op log2(x)
func Log2[T any](x T) T { panic(host) }

// Sin is the sine.
//
//cutile:op sin(x)
func Sin[T any](x T) T { panic(host) }

// Cos is the cosine.
//
//cutile:op cos(x)
func Cos[T any](x T) T { panic(host) }

// Tan is the tangent.
//
//cutile:op tan(x)
func Tan[T any](x T) T { panic(host) }

// Sinh is the hyperbolic sine.
//
//cutile:op sinh(x)
func Sinh[T any](x T) T { panic(host) }

// Cosh is the hyperbolic cosine.
//
//cutile:op cosh(x)
func Cosh[T any](x T) T { panic(host) }

// Exp is e raised to x; r is Full or Approx (f32).
//
//cutile:op exp(x) {rounding_mode: r}
func Exp[T any](x T, r Rounding) T { panic(host) }

// Tanh is the hyperbolic tangent; r is Full or Approx (f32).
//
//cutile:op tanh(x) {rounding_mode: r}
func Tanh[T any](x T, r Rounding) T { panic(host) }

// Exp2 is 2 raised to x; ftz flushes denormals to zero (f32 only).
//
//cutile:op exp2(x) {flush_to_zero: ftz}
func Exp2[T any](x T, ftz bool) T { panic(host) }

// Rsqrt is the reciprocal of the square root; ftz flushes denormals to zero (f32 only).
//
//cutile:op rsqrt(x) {flush_to_zero: ftz}
func Rsqrt[T any](x T, ftz bool) T { panic(host) }

// Sqrt is the square root, rounded as r says; ftz flushes denormals to zero (f32 only).
//
//cutile:op sqrt(x) {rounding_mode: r, flush_to_zero: ftz}
func Sqrt[T any](x T, r Rounding, ftz bool) T { panic(host) }

// Pow is x raised to y.
//
//cutile:op fpowf(x, y)
func Pow[T any](x, y T) T { panic(host) }

// PowI is x raised to an integer n of at most 32 bits.
//
//cutile:op fpowi(x, n)
func PowI[T, I any](x T, n I) T { panic(host) }

// Atan2 is the angle of the point (y, x), as math.Atan2(x, y) of Go names its arguments.
//
//cutile:op atan2(x, y)
func Atan2[T any](x, y T) T { panic(host) }
