package op

// Log returns the natural logarithm of x.
//
//cutile:op log(x)
func Log[T any](x T) T { panic(host) }

// Log2 returns the binary logarithm of x.
//
//cutile:op log2(x)
func Log2[T any](x T) T { panic(host) }

// Sin returns the sine of x.
//
//cutile:op sin(x)
func Sin[T any](x T) T { panic(host) }

// Cos returns the cosine of x.
//
//cutile:op cos(x)
func Cos[T any](x T) T { panic(host) }

// Tan returns the tangent of x.
//
//cutile:op tan(x)
func Tan[T any](x T) T { panic(host) }

// Sinh returns the hyperbolic sine of x.
//
//cutile:op sinh(x)
func Sinh[T any](x T) T { panic(host) }

// Cosh returns the hyperbolic cosine of x.
//
//cutile:op cosh(x)
func Cosh[T any](x T) T { panic(host) }

// Exp returns e**x; r is Full or Approx (f32).
//
//cutile:op exp(x) {rounding_mode: r}
func Exp[T any](x T, r Rounding) T { panic(host) }

// Tanh returns the hyperbolic tangent of x; r is Full or Approx (f32).
//
//cutile:op tanh(x) {rounding_mode: r}
func Tanh[T any](x T, r Rounding) T { panic(host) }

// Exp2 returns 2**x; ftz flushes denormals to zero (f32 only).
//
//cutile:op exp2(x) {flush_to_zero: ftz}
func Exp2[T any](x T, ftz bool) T { panic(host) }

// Rsqrt returns the reciprocal of the square root of x; ftz flushes denormals to zero (f32 only).
//
//cutile:op rsqrt(x) {flush_to_zero: ftz}
func Rsqrt[T any](x T, ftz bool) T { panic(host) }

// Sqrt returns the square root of x, rounded according to r; ftz flushes denormals to zero (f32 only).
//
//cutile:op sqrt(x) {rounding_mode: r, flush_to_zero: ftz}
func Sqrt[T any](x T, r Rounding, ftz bool) T { panic(host) }

// Pow returns x**y.
//
//cutile:op fpowf(x, y)
func Pow[T any](x, y T) T { panic(host) }

// PowI returns x**n for an integer n of at most 32 bits.
//
//cutile:op fpowi(x, n)
func PowI[T, I any](x T, n I) T { panic(host) }

// Atan2 returns the angle of the point (y, x), so its arguments correspond to Go's math.Atan2(x, y).
//
//cutile:op atan2(x, y)
func Atan2[T any](x, y T) T { panic(host) }
