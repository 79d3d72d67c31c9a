// Package op declares the operations of CUDA Tile IR as Go functions, for the kernel compiler to read.
//
// A declaration's directive names the operation of the table and says which parameter is which operand or attribute;
// its body never runs. Package tile is ordinary Go over these declarations; kernels may call them too, and a package
// that users register may declare operations of its own in the same way.
//
//	//cutile:op addf(x, y) {rounding_mode: r, flush_to_zero: ftz}
//	func AddF[T any](x, y T, r Rounding, ftz bool) T
//
// docs/internals.md gives the grammar of the directives.
package op

// host is what a kernel operation says when it is called as plain Go.
const host = "cutile: a kernel operation was called as plain Go: kernels run through cutile.Launch"
