package op

// FToF changes the float format.
//
//cutile:op ftof(x) {rounding_mode: r}
func FToF[R, T any](x T, r Rounding) R { panic(host) }

// IToF converts integers to floats.
//
//cutile:op itof(x) {signedness: sign(T), rounding_mode: r}
func IToF[R, T any](x T, r Rounding) R { panic(host) }

// FToI converts floats to integers, towards zero.
//
//cutile:op ftoi(x) {signedness: sign(R), rounding_mode: nearest_int_to_zero}
func FToI[R, T any](x T) R { panic(host) }

// ExtI widens integers by the sign of T.
//
//cutile:op exti(x) {signedness: sign(T)} bounds(x)
func ExtI[R, T any](x T) R { panic(host) }

// TruncI narrows integers by dropping high bits.
//
//cutile:op trunci(x)
func TruncI[R, T any](x T) R { panic(host) }

// Bitcast reads the bits of each element as another type of the same width.
//
//cutile:op bitcast(x)
func Bitcast[R, T any](x T) R { panic(host) }
