package op

// MMAF returns the matrix product a·b + acc of floats; fast allows the products of 8-bit floats to be summed with
// fewer bits.
//
//cutile:op mmaf(a, b, acc) {fast_acc: fast}
func MMAF[A, B, C any](a A, b B, acc C, fast bool) C { panic(host) }

// MMAI returns the matrix product a·b + acc of 8-bit integers, accumulated in 32 bits.
//
//cutile:op mmai(a, b, acc) {signedness_lhs: sign(A), signedness_rhs: sign(B)}
func MMAI[A, B, C any](a A, b B, acc C) C { panic(host) }

// MMAFScaled returns the matrix product a·b + acc, where sa and sb hold a factor for each block of elements along K.
//
//cutile:op mmaf_scaled(a, b, acc, sa, sb)
func MMAFScaled[A, B, C, S, T any](a A, b B, acc C, sa S, sb T) C { panic(host) }
