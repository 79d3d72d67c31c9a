package op

// AddI is the sum of two integers, which wraps unless o promises that it does not.
//
//cutile:op addi(x, y) {overflow: o}
func AddI[T any](x, y T, o Overflow) T { panic(host) }

// SubI is the difference of two integers, which wraps unless o promises that it does not.
//
//cutile:op subi(x, y) {overflow: o}
func SubI[T any](x, y T, o Overflow) T { panic(host) }

// MulI is the low half of the product of two integers, all of it where o promises that it does not wrap.
//
//cutile:op muli(x, y) {overflow: o}
func MulI[T any](x, y T, o Overflow) T { panic(host) }

// MulHiI is the high half of the unsigned product of two integers.
//
//cutile:op mulhii(x, y)
func MulHiI[T any](x, y T) T { panic(host) }

// AndI is the bitwise and of two integers.
//
//cutile:op andi(x, y)
func AndI[T any](x, y T) T { panic(host) }

// OrI is the bitwise or of two integers.
//
//cutile:op ori(x, y)
func OrI[T any](x, y T) T { panic(host) }

// XorI is the bitwise exclusive or of two integers.
//
//cutile:op xori(x, y)
func XorI[T any](x, y T) T { panic(host) }

// RemI is the remainder of the truncating division of two integers.
//
//cutile:op remi(x, y) {signedness: sign(T)} traps
func RemI[T any](x, y T) T { panic(host) }

// MaxI is the greater of two integers.
//
//cutile:op maxi(x, y) {signedness: sign(T)}
func MaxI[T any](x, y T) T { panic(host) }

// MinI is the smaller of two integers.
//
//cutile:op mini(x, y) {signedness: sign(T)}
func MinI[T any](x, y T) T { panic(host) }

// DivI is the quotient of two integers, rounded towards zero, down or up as r says.
//
//cutile:op divi(x, y) {signedness: sign(T), rounding: r} traps
func DivI[T any](x, y T, r Rounding) T { panic(host) }

// NegI is the two's-complement negation; o may promise that x is not the least integer.
//
//cutile:op negi(x) {overflow: o}
func NegI[T any](x T, o Overflow) T { panic(host) }

// AbsI is the magnitude of signed integers.
//
//cutile:op absi(x)
func AbsI[T any](x T) T { panic(host) }

// ShlI shifts left; the count is unsigned. o may promise that no bit is lost.
//
//cutile:op shli(x, n) {overflow: o}
func ShlI[T any](x, n T, o Overflow) T { panic(host) }

// ShrI shifts right, with the sign where T has one; the count is unsigned.
//
//cutile:op shri(x, n) {signedness: sign(T)}
func ShrI[T any](x, n T) T { panic(host) }

// CmpI compares integers.
//
//cutile:op cmpi(x, y) {comparison_predicate: p, signedness: sign(T)}
func CmpI[T any](x, y T, p Predicate) Mask[T] { panic(host) }

// Select chooses x where c holds, else y.
//
//cutile:op select(c, x, y)
func Select[B, T any](c B, x, y T) T { panic(host) }
