// Package op declares the operations of CUDA Tile IR as Go functions, for the kernel compiler to read.
//
// A declaration's directive names the operation and maps the function's parameters to its operands and attributes. The
// function's body never runs. Package tile is ordinary Go that calls these functions. Kernels may call them too, and a
// package that a user registers may declare further operations in the same way.
//
//	//cutile:op addf(x, y) {rounding_mode: r, flush_to_zero: ftz}
//	func AddF[T any](x, y T, r Rounding, ftz bool) T
//
// The grammar of the directives is in docs/internals.md.
package op

// host is the text of the panic when plain Go code calls a kernel operation.
const host = "cutile: a kernel operation was called as plain Go: kernels run through cutile.Launch"
