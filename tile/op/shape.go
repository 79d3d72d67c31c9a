package op

// Constant is a tile whose elements are all v.
//
//cutile:op constant() {value: v}
//cutile:operator const
func Constant[R any](v float64) R { panic(host) }

// Iota counts 0, 1, 2 … along a tile of rank 1.
//
//cutile:op iota()
func Iota[R any]() R { panic(host) }

// Broadcast stretches dimensions of 1.
//
//cutile:op broadcast(x)
func Broadcast[R, T any](x T) R { panic(host) }

// Reshape gives the same elements, in row-major order, another shape.
//
//cutile:op reshape(x)
func Reshape[R, T any](x T) R { panic(host) }

// Permute reorders dimensions: dimension i of the result is dimension dims[i] of x.
//
//cutile:op permute(x) {permutation: dims}
func Permute[R, T any](x T, dims ...int) R { panic(host) }

// Reduce folds one axis, which R lacks. f combines two elements and must be pure.
//
//cutile:op reduce(x) {dim: axis, identities: [id]} region f(1, 0)
func Reduce[R, T, E any](x T, axis int, id float64, f func(acc, elem E) E) R { panic(host) }

// Reduce2 folds one axis of two tiles at once.
//
//cutile:op reduce([x, y]) {dim: axis, identities: [idx, idy]} region f(1, 3, 0, 2)
func Reduce2[R, S, T, U, E, F any](x T, y U, axis int, idx, idy float64, f func(ax E, ay F, x E, y F) (E, F)) (R, S) {
	panic(host)
}

// Scan gives the running fold along an axis; back runs from the end.
//
//cutile:op scan(x) {dim: axis, reverse: back, identities: [id]} region f(1, 0)
func Scan[T, E any](x T, axis int, back bool, id float64, f func(acc, elem E) E) T { panic(host) }

// MMAF is the matrix product a·b + acc of floats.
//
//cutile:op mmaf(a, b, acc)
func MMAF[A, B, C any](a A, b B, acc C) C { panic(host) }

// MMAI is the matrix product a·b + acc of 8-bit integers, accumulated in 32 bits.
//
//cutile:op mmai(a, b, acc) {signedness_lhs: sign(A), signedness_rhs: sign(B)}
func MMAI[A, B, C any](a A, b B, acc C) C { panic(host) }
