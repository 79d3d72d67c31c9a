package op

// FToF converts floats to another float type.
//
//cutile:op ftof(x) {rounding_mode: r}
func FToF[R, T any](x T, r Rounding) R { panic(host) }

// IToF converts integers to floats.
//
//cutile:op itof(x) {signedness: sign(T), rounding_mode: r}
func IToF[R, T any](x T, r Rounding) R { panic(host) }

// FToI converts floats to integers; r must be NearestIntToZero. With saturate, numbers that are out of range become
// the least or greatest integer.
//
//cutile:op ftoi(x) {signedness: sign(R), rounding_mode: r, saturating: saturate}
func FToI[R, T any](x T, r Rounding, saturate bool) R { panic(host) }

// ExtI widens integers, with the sign of T.
//
//cutile:op exti(x) {signedness: sign(T)} bounds(x)
func ExtI[R, T any](x T) R { panic(host) }

// TruncI narrows integers by dropping high bits; o may promise that the value does not change.
//
//cutile:op trunci(x) {overflow: o}
func TruncI[R, T any](x T, o Overflow) R { panic(host) }

// Bitcast reinterprets the bits of each element as another type of the same width.
//
//cutile:op bitcast(x)
func Bitcast[R, T any](x T) R { panic(host) }

// Pack reinterprets a tile of rank 1 as its bytes, R. Two elements of four bits share a byte, with the first in its
// low half.
//
//cutile:op pack(x)
func Pack[R, T any](x T) R { panic(host) }

// Unpack reinterprets the bytes of a tile of rank 1 as elements of R.
//
//cutile:op unpack(x)
func Unpack[R, T any](x T) R { panic(host) }

// IntToPtr converts 64-bit integers to pointers.
//
//cutile:op int_to_ptr(x)
func IntToPtr[P, T any](x T) P { panic(host) }

// PtrToInt converts pointers to 64-bit integers.
//
//cutile:op ptr_to_int(p)
func PtrToInt[R, P any](p P) R { panic(host) }

// PtrToPtr converts pointers to pointers to another element type.
//
//cutile:op ptr_to_ptr(p)
func PtrToPtr[Q, P any](p P) Q { panic(host) }

// Recast converts a pointer to a pointer to another element type, which shares the memory chains of p.
//
//cutile:op ptr_to_ptr(p) meta {stored: p.stored, all: p.all}
func Recast[F, E any](p Pointer[E]) Pointer[F] { panic(host) }
