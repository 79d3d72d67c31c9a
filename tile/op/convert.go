package op

// FToF changes the float format.
//
//cutile:op ftof(x) {rounding_mode: r}
func FToF[R, T any](x T, r Rounding) R { panic(host) }

// IToF converts integers to floats.
//
//cutile:op itof(x) {signedness: sign(T), rounding_mode: r}
func IToF[R, T any](x T, r Rounding) R { panic(host) }

// FToI converts floats to integers; r is NearestIntToZero. With saturate what is too large becomes the extreme integer.
//
//cutile:op ftoi(x) {signedness: sign(R), rounding_mode: r, saturating: saturate}
func FToI[R, T any](x T, r Rounding, saturate bool) R { panic(host) }

// ExtI widens integers by the sign of T.
//
//cutile:op exti(x) {signedness: sign(T)} bounds(x)
func ExtI[R, T any](x T) R { panic(host) }

// TruncI narrows integers by dropping high bits; o may promise that they say nothing.
//
//cutile:op trunci(x) {overflow: o}
func TruncI[R, T any](x T, o Overflow) R { panic(host) }

// Bitcast reads the bits of each element as another type of the same width.
//
//cutile:op bitcast(x)
func Bitcast[R, T any](x T) R { panic(host) }

// Pack reads a tile of rank 1 as its bytes, R: two elements of four bits share one, the first in its low half.
//
//cutile:op pack(x)
func Pack[R, T any](x T) R { panic(host) }

// Unpack reads the bytes of a tile of rank 1 as elements of R.
//
//cutile:op unpack(x)
func Unpack[R, T any](x T) R { panic(host) }

// IntToPtr reads 64-bit integers as addresses.
//
//cutile:op int_to_ptr(x)
func IntToPtr[P, T any](x T) P { panic(host) }

// PtrToInt reads addresses as 64-bit integers.
//
//cutile:op ptr_to_int(p)
func PtrToInt[R, P any](p P) R { panic(host) }

// PtrToPtr reads pointers as pointers to another element.
//
//cutile:op ptr_to_ptr(p)
func PtrToPtr[Q, P any](p P) Q { panic(host) }

// Recast reads a pointer as one to another element. It shares the memory chains of p.
//
//cutile:op ptr_to_ptr(p) meta {stored: p.stored, all: p.all}
func Recast[F, E any](p Pointer[E]) Pointer[F] { panic(host) }
