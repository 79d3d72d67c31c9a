package op

// Constant returns a tile whose elements are all v, a number that is known when the kernel is compiled, or a truth value. V is any
// type that holds it: R takes the number as it is, or refuses it.
//
//cutile:op constant() {value: v}
//cutile:operator const
func Constant[R, V any](v V) R { panic(host) }

// Iota returns 0, 1, 2 … along a tile of rank 1.
//
//cutile:op iota()
func Iota[R any]() R { panic(host) }

// Broadcast stretches dimensions of 1.
//
//cutile:op broadcast(x)
func Broadcast[R, T any](x T) R { panic(host) }

// Reshape returns the same elements, in row-major order, in another shape.
//
//cutile:op reshape(x)
func Reshape[R, T any](x T) R { panic(host) }

// Permute reorders dimensions: dimension i of the result is dimension dims[i] of x.
//
//cutile:op permute(x) {permutation: dims}
func Permute[R, T any](x T, dims ...int) R { panic(host) }

// Reduce reduces one axis, which R does not have. f combines two elements and must be pure. The identity is known when the kernel
// is compiled; I is any type that holds it, such as E.
//
//cutile:op reduce(x) {dim: axis, identities: [identity]} region f(0, 1)
func Reduce[R, T, I, E any](x T, axis int, identity I, f func(acc, elem E) E) R { panic(host) }

// Reduce2 reduces one axis of two tiles at once.
//
//cutile:op reduce([x, y]) {dim: axis, identities: [idx, idy]} region f(0, 2, 1, 3)
func Reduce2[R, S, T, U, I, J, E, F any](x T, y U, axis int, idx I, idy J, f func(ax E, ay F, x E, y F) (E, F)) (R, S) {
	panic(host)
}

// Scan returns the running results along an axis; back starts from the end.
//
//cutile:op scan(x) {dim: axis, reverse: back, identities: [identity]} region f(0, 1)
func Scan[T, I, E any](x T, axis int, back bool, identity I, f func(acc, elem E) E) T { panic(host) }

// Reduce3 reduces one axis of three tiles at once.
//
//cutile:op reduce([x, y, z]) {dim: axis, identities: [idx, idy, idz]} region f(0, 2, 4, 1, 3, 5)
func Reduce3[R, S, Q, T, U, V, I, J, K, E, F, G any](x T, y U, z V, axis int, idx I, idy J, idz K, f func(ax E, ay F, az G, x E, y F, z G) (E, F, G)) (R, S, Q) {
	panic(host)
}

// Scan2 returns the running results of two tiles at once.
//
//cutile:op scan([x, y]) {dim: axis, reverse: back, identities: [idx, idy]} region f(0, 2, 1, 3)
func Scan2[T, U, I, J, E, F any](x T, y U, axis int, back bool, idx I, idy J, f func(ax E, ay F, x E, y F) (E, F)) (T, U) {
	panic(host)
}

// Scan3 returns the running results of three tiles at once.
//
//cutile:op scan([x, y, z]) {dim: axis, reverse: back, identities: [idx, idy, idz]} region f(0, 2, 4, 1, 3, 5)
func Scan3[T, U, V, I, J, K, E, F, G any](x T, y U, z V, axis int, back bool, idx I, idy J, idz K, f func(ax E, ay F, az G, x E, y F, z G) (E, F, G)) (T, U, V) {
	panic(host)
}

// Elements returns a tile of these elements in row-major order.
//
//cutile:op constant() {value: v}
func Elements[R any](v ...any) R { panic(host) }

// Cat joins two tiles along an axis.
//
//cutile:op cat(x, y) {dim: axis}
func Cat[R, T, U any](x T, y U, axis int) R { panic(host) }

// Extract returns the part of x at an index, which counts in parts and has one number for each axis.
//
//cutile:op extract(x, index)
func Extract[R, T any](x T, index ...int32) R { panic(host) }

// Insert returns x with the part at an index replaced.
//
//cutile:op insert(part, x, index)
func Insert[T, R any](x T, part R, index ...int32) T { panic(host) }
