package op

// AddI returns the sum of two integers, which wraps unless o promises that it does not.
//
//cutile:op addi(x, y) {overflow: o}
func AddI[T any](x, y T, o Overflow) T { panic(host) }

// SubI returns the difference of two integers, which wraps unless o promises that it does not.
//
//cutile:op subi(x, y) {overflow: o}
func SubI[T any](x, y T, o Overflow) T { panic(host) }

// MulI returns the low half of the product of two integers, which is the whole product if o promises that it does
// not wrap.
//
//cutile:op muli(x, y) {overflow: o}
func MulI[T any](x, y T, o Overflow) T { panic(host) }

// MulHiI returns the high half of the unsigned product of two integers.
//
//cutile:op mulhii(x, y)
func MulHiI[T any](x, y T) T { panic(host) }

// AndI returns the bitwise and of two integers.
//
//cutile:op andi(x, y)
func AndI[T any](x, y T) T { panic(host) }

// OrI returns the bitwise or of two integers.
//
//cutile:op ori(x, y)
func OrI[T any](x, y T) T { panic(host) }

// XorI returns the bitwise exclusive or of two integers.
//
//cutile:op xori(x, y)
func XorI[T any](x, y T) T { panic(host) }

// RemI returns the remainder of the truncating division of two integers.
//
//cutile:op remi(x, y) {signedness: sign(T)} traps
func RemI[T any](x, y T) T { panic(host) }

// MaxI returns the greater of two integers.
//
//cutile:op maxi(x, y) {signedness: sign(T)}
func MaxI[T any](x, y T) T { panic(host) }

// MinI returns the smaller of two integers.
//
//cutile:op mini(x, y) {signedness: sign(T)}
func MinI[T any](x, y T) T { panic(host) }

// DivI returns the quotient of two integers, rounded towards zero, down or up according to r.
//
//cutile:op divi(x, y) {signedness: sign(T), rounding: r} traps
func DivI[T any](x, y T, r Rounding) T { panic(host) }

// NegI returns the two's-complement negation; o may promise that x is not the least integer.
//
//cutile:op negi(x) {overflow: o}
func NegI[T any](x T, o Overflow) T { panic(host) }

// AbsI returns the absolute value of signed integers.
//
//cutile:op absi(x)
func AbsI[T any](x T) T { panic(host) }

// ShlI shifts left; the count is unsigned. o may promise that no bit is lost.
//
//cutile:op shli(x, n) {overflow: o}
func ShlI[T any](x, n T, o Overflow) T { panic(host) }

// ShrI shifts right, and shifts in the sign if T is signed; the count is unsigned.
//
//cutile:op shri(x, n) {signedness: sign(T)}
func ShrI[T any](x, n T) T { panic(host) }

// CmpI compares integers.
//
//cutile:op cmpi(x, y) {comparison_predicate: p, signedness: sign(T)}
func CmpI[T any](x, y T, p Predicate) Mask[T] { panic(host) }

// Select returns x where c is true, and y elsewhere.
//
//cutile:op select(c, x, y)
func Select[B, T any](c B, x, y T) T { panic(host) }
